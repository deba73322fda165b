import type { ProfileId } from '#core/ids.ts';
import { limitsWithoutAsset, type RiskLimits } from '#core/account/risk.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { blockIntents, lockProfile } from '#storage/operator/profiles.ts';
import { lockRiskLimits, pauseCoin as storePause, type RiskTarget, saveRiskLimits } from '#storage/trading/risk.ts';
import { auditChange } from '#api/audit.ts';
import { announce } from '#api/frame/bus.ts';
import { requireCoin } from '#api/views/coins.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  changeAccountRisk,
  changeProfileRisk,
  pauseCoin,
  readAccountRisk,
  readProfileRisk,
  resumeCoin,
} from '#api/contract/risk.ts';
import type { Operator } from '#api/guard/session.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { invalid, invalidField } from '#api/frame/problem.ts';
import { requireAccount, requireFoundProfile, requireProfile } from '#api/require.ts';
import { limitUsageOf } from '#api/views/limit-usage.ts';

interface Limited extends RiskTarget {
  readonly account: AccountView;
}

async function readState(context: ApiContext, { account, subject }: Limited) {
  const subjects = await limitUsageOf(context, account);
  const own = subjects.find((subjectRisk) => subjectRisk.subject === subject);
  if (own === undefined) throw new Error(`The limits of ${subject} are missing.`);
  const bound = subjects.filter((subjectRisk) => subjectRisk.scope === 'account' || subjectRisk.subject === subject);
  return { limits: own.limits, standings: bound.flatMap(({ standings }) => standings) };
}

type Change = Pick<Incoming<typeof changeAccountRisk>, 'operator' | 'caller' | 'body'>;

/** Merges the given limits into the stored ones. */
const merged = (stored: RiskLimits, { ...given }: Change['body']): RiskLimits => ({
  ...stored,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});

async function change(context: ApiContext, target: Limited, { operator, caller, body }: Change) {
  const changed = await context.database.transaction(async (transaction) => {
    const before = await lockRiskLimits(transaction, target);
    const after = merged(before, body);
    const uncounted = limitsWithoutAsset(after);
    if (uncounted.length > 0) {
      throw invalidField('asset', `is missing: ${uncounted.join(', ')} must be counted in one, such as USDT`);
    }
    if (JSON.stringify(before) === JSON.stringify(after)) return false;
    await saveRiskLimits(transaction, target, after);
    const { scope, subject } = target;
    const risk = { action: 'risk.change', subject: `${scope}:${subject}`, before, after };
    await auditChange(transaction, { operator, caller }, risk);
    return true;
  });
  if (changed) await announceHalts(context, target);
  return readState(context, target);
}

const announceHalts = (context: ApiContext, { scope, subject }: RiskTarget): Promise<void> => {
  const event = { topic: 'halt', ...(scope === 'profile' ? { id: subject } : {}), data: { scope, subject } } as const;
  return announce(context, { command: 'halts-changed', events: [event] });
};

type CoinCall = Pick<Incoming<typeof resumeCoin>, 'operator' | 'caller' | 'params'>;

/** Waits for buy intents in progress: no buy commits after the pause. */
async function setPause(context: ApiContext, { operator, caller, params }: CoinCall, pause: PauseInput | null) {
  const { id: profileId, symbol } = params;
  const profile = await requireProfile(context.database.kysely, operator, profileId);
  const account = await requireAccount(context.database.kysely, operator, profile.accountId);
  const before = (await requireCoin(context, { account, profileId, symbol })).pause;
  await context.database.transaction(async (transaction) => {
    await blockIntents(transaction, profileId);
    requireFoundProfile(await lockProfile(transaction, operator.user.id, profileId), profileId);
    await storePause(transaction, { profileId, symbol, until: pause?.until ?? null, why: pause?.reason ?? '' });
    const subject = `${profileId}:${symbol}`;
    const action = pause === null ? 'coin.resume' : 'coin.pause';
    await auditChange(transaction, { operator, caller }, { action, subject, before, after: pause });
  });
  await announceHalts(context, { scope: 'profile', subject: profileId });
  return requireCoin(context, { account, profileId, symbol });
}

interface PauseInput {
  readonly until: Date;
  readonly reason: string;
}

const YEAR_MS = 366 * 86_400_000;

async function pause(context: ApiContext, incoming: Incoming<typeof pauseCoin>) {
  const until = new Date(incoming.body.until);
  const aheadMs = until.getTime() - context.now().getTime();
  if (aheadMs <= 0) throw invalid([{ path: 'until', message: 'is not in the future' }]);
  if (aheadMs > YEAR_MS) throw invalid([{ path: 'until', message: 'is more than a year ahead' }]);
  return setPause(context, incoming, { until, reason: incoming.body.reason });
}

export function mountRisk({ context, handle }: Routes): void {
  const { kysely } = context.database;
  const requireAccountTarget = async (operator: Operator, id: AccountView['id']): Promise<Limited> => {
    const account = await requireAccount(kysely, operator, id);
    return { scope: 'account', subject: account.id, account };
  };
  const requireProfileTarget = async (operator: Operator, id: ProfileId): Promise<Limited> => {
    const profile = await requireProfile(kysely, operator, id);
    return { scope: 'profile', subject: id, account: await requireAccount(kysely, operator, profile.accountId) };
  };

  handle(readAccountRisk, async ({ operator, params }) =>
    readState(context, await requireAccountTarget(operator, params.id)),
  );
  handle(readProfileRisk, async ({ operator, params }) =>
    readState(context, await requireProfileTarget(operator, params.id)),
  );
  handle(changeAccountRisk, async (incoming) =>
    change(context, await requireAccountTarget(incoming.operator, incoming.params.id), incoming),
  );
  handle(changeProfileRisk, async (incoming) =>
    change(context, await requireProfileTarget(incoming.operator, incoming.params.id), incoming),
  );
  handle(pauseCoin, (incoming) => pause(context, incoming));
  handle(resumeCoin, (incoming) => setPause(context, incoming, null));
}
