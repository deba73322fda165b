import type { AccountId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import { bindSymbol, type BoundSymbol, listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import { lockAccount } from '#storage/operator/accounts.ts';
import { forgetProfile } from '#storage/operator/forget-profile.ts';
import { requestAction } from '#storage/trading/operator-actions.ts';
import {
  countProfiles,
  createProfile as insertProfile,
  deleteProfile as removeProfile,
  isProfileNameTaken,
  listProfiles as selectProfiles,
  type ProfileView,
  saveProfile,
} from '#storage/operator/profiles.ts';
import { announce } from '#api/frame/bus.ts';
import { requireFreeBase, requireListed } from '#api/checks/coin-binding.ts';
import {
  lintConfig,
  lintWarnings,
  readMarket,
  requireConfig,
  requireOverride,
  requireOverridesStillFit,
  requireSizing,
  requireStrategy,
  type Warning,
} from '#api/checks/config-check.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  changeProfile,
  createProfile,
  deleteProfile,
  lintProfile,
  listProfiles,
  readProfile,
} from '#api/contract/profiles.ts';
import { exposed, readExposure } from '#api/checks/exposure.ts';
import { isVisitor, type Operator } from '#api/guard/session.ts';
import { reachesAccount } from '#api/guard/token.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import { requireAccount, requireProfile } from '#api/require.ts';
import { profileView } from '#api/views/views.ts';

const configOf = (stored: unknown): Record<string, unknown> => (isObject(stored) ? stored : {});

const nameTaken = (name: string): ApiProblem =>
  new ApiProblem('conflict', `The account already has a profile named "${name}".`, {
    errors: [{ path: 'name', message: 'is the name of another profile' }],
  });

/** A limit, because every dashboard reads every profile. */
const MAX_OF_VISITORS = 50;

async function requireRoom(transaction: Transaction, operator: Operator, accountId: AccountId): Promise<void> {
  if (!isVisitor(operator) || (await countProfiles(transaction, accountId)) < MAX_OF_VISITORS) return;
  const sentence = `In this live demo an account has at most ${MAX_OF_VISITORS} profiles: delete one first.`;
  throw new ApiProblem('conflict', sentence);
}

export const announceProfile = (context: ApiContext, id: string): Promise<void> =>
  announce(context, { command: 'profiles-changed', events: [{ topic: 'profile', id, data: {} }] });

interface Draft extends Omit<Incoming<typeof createProfile>['body'], 'symbols'> {
  readonly symbols: readonly BoundSymbol[];
}

/** An operation that creates a profile, in a transaction of its own. */
type Creation = Pick<Incoming<typeof createProfile>, 'operator' | 'commit'>;

/** Checks and creates a profile with its coins and their overrides; `detail` is audited in addition to the profile itself. */
export async function createFrom(
  context: ApiContext,
  { operator, commit }: Creation,
  { draft, detail }: { readonly draft: Draft; readonly detail?: Record<string, unknown> },
) {
  const { database } = context;
  const { config, symbols: bound } = draft;
  const strategy = requireStrategy(draft.strategyName);
  requireConfig(strategy, config);
  const account = await requireAccount(database.kysely, operator, draft.accountId);
  const market = await readMarket(context, account);
  const symbols = bound.map(({ symbol }) => symbol);
  if (new Set(symbols).size < symbols.length) throw invalidField('symbols', 'names a coin twice');
  requireListed(symbols, market.rules, 'symbols');
  for (const { overrideConfig } of bound) requireOverride(strategy, config, configOf(overrideConfig));
  const doubts = requireSizing({ market, strategy, config, part: 'config' }, bound);
  const warnings = [...doubts, ...lintWarnings(strategy, config, symbols)];
  const profile = await commit(async ({ transaction }) => {
    await lockAccount(transaction, account.id, 'change');
    await requireAccount(transaction, operator, account.id);
    await requireRoom(transaction, operator, account.id);
    await requireFreeBase(transaction, { accountId: account.id, profileId: null, symbols, rules: market.rules });
    const id = await insertProfile(transaction, draft);
    if (id === undefined) throw nameTaken(draft.name);
    for (const coin of bound) await bindSymbol(transaction, id, coin);
    return { answer: await requireProfile(transaction, operator, id), subject: id, after: { ...draft, ...detail } };
  });
  await announceProfile(context, profile.id);
  return { profile: profileView(profile), warnings };
}

const create = (context: ApiContext, incoming: Incoming<typeof createProfile>) => {
  const { body } = incoming;
  const symbols = [...new Set(body.symbols)].map((symbol) => ({ symbol, overrideConfig: {} }));
  return createFrom(context, incoming, { draft: { ...body, symbols } });
};

interface ConfigChange {
  readonly transaction: Transaction;
  readonly before: ProfileView;
  readonly config: Record<string, unknown>;
  readonly market: Awaited<ReturnType<typeof readMarket>>;
}

/** Checks a new config of a profile: refuses errors and returns warnings. */
export async function requireNewConfig({ transaction, before, config, market }: ConfigChange): Promise<Warning[]> {
  const strategy = requireStrategy(before.strategyName);
  requireConfig(strategy, config);
  const bound = await listBoundSymbols(transaction, before.id);
  requireOverridesStillFit(strategy, { before: before.config, after: config }, bound);
  const coins = bound.map(({ symbol }) => symbol);
  const doubts = requireSizing({ market, strategy, config, part: 'config' }, bound);
  return [...doubts, ...lintWarnings(strategy, config, coins)];
}

type ProfileChange = Pick<Incoming<typeof changeProfile>, 'operator' | 'profile' | 'readAccount' | 'commit' | 'body'>;

interface ChangeOptions {
  /** Audited in addition to name and config. */
  readonly detail?: Record<string, unknown>;
  /** Runs first in the transaction, with the profile as it is: it may refuse the change. */
  before?(transaction: Transaction, profile: ProfileView): Promise<void>;
}

/** Saves a name or a config. */
export async function saveChange(
  context: ApiContext,
  { operator, profile: { id, accountId, strategyName }, readAccount, commit, body }: ProfileChange,
  options: ChangeOptions = {},
) {
  const { name, config } = body;
  // Parsed before the transaction, so that an invalid config does not hold one open.
  if (config !== undefined) requireConfig(requireStrategy(strategyName), config);
  const market = await readMarket(context, await readAccount());
  const saved = await commit(async ({ transaction, profile: before }) => {
    await options.before?.(transaction, before);
    if (name !== undefined && (await isProfileNameTaken(transaction, { accountId, name, except: before.id }))) {
      throw nameTaken(name);
    }
    const warnings = config === undefined ? [] : await requireNewConfig({ transaction, before, config, market });
    await saveProfile(transaction, before.id, {
      ...(name === undefined ? {} : { name }),
      ...(config === undefined ? {} : { config }),
    });
    const profile = await requireProfile(transaction, operator, before.id);
    return {
      answer: { profile: profileView(profile), warnings },
      before: { name: before.name, config: before.config },
      after: { name: profile.name, config: profile.config, ...options.detail },
    };
  });
  await announceProfile(context, id);
  return saved;
}

/**
 * With an API key the worker deletes the profile, because only the exchange knows every open order; until then the profile
 * makes no new decisions. Without a key the api deletes it, because no request to the exchange is possible.
 */
async function remove(context: ApiContext, incoming: Incoming<typeof deleteProfile>) {
  const { operator, readAccount, commit, params, query } = incoming;
  const account = await readAccount();
  const market = await readMarket(context, account);
  const actionId = await commit(async ({ transaction, profile: before }) => {
    const exposure = await readExposure(transaction, { profileId: before.id, market });
    const leavePositions = query.leavePositions === 'true';
    if (exposure.positions > 0 && !leavePositions)
      throw exposed(exposure, 'sell first, or delete with leavePositions=true and keep the coins, unmanaged.');
    if (exposure.orders > 0 && account.apiKey === null)
      throw exposed(exposure, 'the account has no API key to cancel them with. Store one first.');
    const requestedBy = operator.user.id;
    const request = {
      accountId: account.id,
      profileId: before.id,
      kind: 'profile.delete',
      payload: { leavePositions },
      requestedBy,
    };
    const actionId = account.apiKey === null ? null : (await requestAction(transaction, request)).id;
    if (actionId === null) await removeProfile(transaction, before.id);
    else await saveProfile(transaction, before.id, { enabled: false });
    const after = actionId === null ? {} : { after: { actionId, leavePositions } };
    return { answer: actionId, before: profileView(before), ...after };
  });
  if (actionId === null) await forgetProfile(context.cache, params.id).catch(() => {});
  await announceProfile(context, params.id);
  return { actionId };
}

export function mountProfiles({ context, handle }: Routes): void {
  const { database } = context;
  handle(listProfiles, async ({ operator }) => ({
    profiles: (await selectProfiles(database.kysely, operator.user.id))
      .filter(({ accountId }) => reachesAccount(operator, accountId))
      .map(profileView),
  }));
  handle(readProfile, async ({ profile }) => profileView(profile));
  handle(lintProfile, async ({ profile: { strategyName, symbols }, body }) => {
    const { errors, findings } = lintConfig(requireStrategy(strategyName), body.config, symbols);
    return { errors, findings: [...findings] };
  });
  handle(createProfile, (incoming) => create(context, incoming));
  handle(changeProfile, (incoming) => saveChange(context, incoming));
  handle(deleteProfile, (incoming) => remove(context, incoming));
}
