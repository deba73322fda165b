import type { Transaction } from '#storage/database.ts';
import { bindSymbol, type BoundSymbol, listBoundSymbols } from '#storage/profile-symbols.ts';
import { lockAccount } from '#storage/accounts.ts';
import { requestAction } from '#storage/operator-actions.ts';
import {
  createProfile as insertProfile,
  deleteProfile as removeProfile,
  excludeIntents,
  isProfileNameTaken,
  listProfiles as selectProfiles,
  lockProfile,
  type ProfileView,
  saveProfile,
} from '#storage/profiles.ts';
import { auditChange } from '../audit.ts';
import { announce } from '../bus.ts';
import { requireFreeBase, requireListed } from '../coin-binding.ts';
import {
  readMarket,
  requireConfig,
  requireOverridesStillFit,
  requireSizing,
  requireStrategy,
  type Warning,
} from '../config-check.ts';
import type { ApiContext } from '../context.ts';
import { changeProfile, createProfile, deleteProfile, listProfiles, readProfile } from '../contract/profiles.ts';
import { exposed, readExposure } from '../exposure.ts';
import type { Incoming, Routes } from '../handle.ts';
import { ApiProblem } from '../problem.ts';
import { requireAccount, requireFoundProfile, requireProfile } from '../require.ts';
import { profileView } from '../views.ts';

const nameTaken = (name: string): ApiProblem =>
  new ApiProblem('conflict', `The account has a profile named "${name}" already.`, {
    errors: [{ path: 'name', message: 'is the name of another profile' }],
  });

export const announceProfile = (context: ApiContext, id: string): Promise<void> =>
  announce(context, { command: 'profiles-changed', events: [{ topic: 'profile', id, data: {} }] });

async function create(context: ApiContext, { operator, caller, body }: Incoming<typeof createProfile>) {
  const { database, venues } = context;
  const strategy = requireStrategy(body.strategyName);
  requireConfig(strategy, body.config);
  const account = await requireAccount(database.kysely, operator, body.accountId);
  const market = await readMarket(venues, account);
  const symbols = [...new Set(body.symbols)];
  requireListed(symbols, market.rules, 'symbols');
  const bound: BoundSymbol[] = symbols.map((symbol) => ({ symbol, overrideConfig: {} }));
  const warnings = requireSizing({ market, strategy, config: body.config, path: 'config' }, bound);
  const profile = await database.transaction(async (transaction) => {
    await lockAccount(transaction, account.id, 'change');
    await requireAccount(transaction, operator, account.id);
    await requireFreeBase(transaction, { accountId: account.id, profileId: null, symbols, rules: market.rules });
    const id = await insertProfile(transaction, body);
    if (id === undefined) throw nameTaken(body.name);
    for (const one of bound) await bindSymbol(transaction, id, one);
    await auditChange(transaction, { operator, caller }, { action: 'profile.create', subject: id, after: body });
    return requireProfile(transaction, operator, id);
  });
  await announceProfile(context, profile.id);
  return { profile: profileView(profile), warnings };
}

interface ConfigChange {
  readonly transaction: Transaction;
  readonly before: ProfileView;
  readonly config: Record<string, unknown>;
  readonly market: Awaited<ReturnType<typeof readMarket>>;
}

/** Everything that may speak against a new config of a profile; returns what only raises a doubt. */
async function requireNewConfig({ transaction, before, config, market }: ConfigChange): Promise<Warning[]> {
  const strategy = requireStrategy(before.strategyName);
  requireConfig(strategy, config);
  const bound = await listBoundSymbols(transaction, before.id);
  requireOverridesStillFit(strategy, { before: before.config, after: config }, bound);
  return requireSizing({ market, strategy, config, path: 'config' }, bound);
}

async function change(context: ApiContext, { operator, caller, params, body }: Incoming<typeof changeProfile>) {
  const { database, venues } = context;
  const { accountId } = await requireProfile(database.kysely, operator, params.id);
  const market = await readMarket(venues, await requireAccount(database.kysely, operator, accountId));
  const { name, config } = body;
  const saved = await database.transaction(async (transaction) => {
    const before = requireFoundProfile(await lockProfile(transaction, operator.user.id, params.id), params.id);
    if (name !== undefined && (await isProfileNameTaken(transaction, { accountId, name, except: before.id }))) {
      throw nameTaken(name);
    }
    const warnings = config === undefined ? [] : await requireNewConfig({ transaction, before, config, market });
    await saveProfile(transaction, before.id, {
      ...(name === undefined ? {} : { name }),
      ...(config === undefined ? {} : { config }),
    });
    const profile = await requireProfile(transaction, operator, before.id);
    await auditChange(
      transaction,
      { operator, caller },
      {
        action: 'profile.change',
        subject: before.id,
        before: { name: before.name, config: before.config },
        after: { name: profile.name, config: profile.config },
      },
    );
    return { profile: profileView(profile), warnings };
  });
  await announceProfile(context, params.id);
  return saved;
}

/**
 * With a key the worker does it, as only the exchange knows every order that rests there; until then the profile makes
 * no new decisions. Without one nothing can be asked of the exchange.
 */
async function remove(context: ApiContext, { operator, caller, params, query }: Incoming<typeof deleteProfile>) {
  const { database, venues } = context;
  const { accountId } = await requireProfile(database.kysely, operator, params.id);
  const account = await requireAccount(database.kysely, operator, accountId);
  const market = await readMarket(venues, account);
  const actionId = await database.transaction(async (transaction) => {
    await excludeIntents(transaction, params.id);
    const before = requireFoundProfile(await lockProfile(transaction, operator.user.id, params.id), params.id);
    const exposure = await readExposure(transaction, { profileId: before.id, market });
    const leavePositions = query.leavePositions === 'true';
    if (exposure.positions > 0 && !leavePositions)
      throw exposed(exposure, 'sell first, or delete with leavePositions=true and keep the coins, unmanaged.');
    if (exposure.orders > 0 && account.apiKey === null)
      throw exposed(exposure, 'the account has no API key to cancel them with. Store one first.');
    const request = { accountId, profileId: before.id, kind: 'profile.delete', payload: { leavePositions } };
    const asked =
      account.apiKey === null ? null : await requestAction(transaction, { ...request, requestedBy: operator.user.id });
    if (asked === null) await removeProfile(transaction, before.id);
    else await saveProfile(transaction, before.id, { enabled: false });
    await auditChange(
      transaction,
      { operator, caller },
      {
        action: 'profile.delete',
        subject: before.id,
        before: profileView(before),
        ...(asked !== null && { after: { actionId: asked, leavePositions } }),
      },
    );
    return asked;
  });
  await announceProfile(context, params.id);
  return { actionId };
}

export function mountProfiles({ context, handle }: Routes): void {
  const { database } = context;
  handle(listProfiles, async ({ operator }) => ({
    profiles: (await selectProfiles(database.kysely, operator.user.id)).map(profileView),
  }));
  handle(readProfile, async ({ operator, params }) =>
    profileView(await requireProfile(database.kysely, operator, params.id)),
  );
  handle(createProfile, (incoming) => create(context, incoming));
  handle(changeProfile, (incoming) => change(context, incoming));
  handle(deleteProfile, (incoming) => remove(context, incoming));
}
