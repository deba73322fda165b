import { limitsWithoutAsset, type RiskLimits } from '#core/account/risk.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { lockRiskLimits, pauseCoin as storePause, type RiskTarget, saveRiskLimits } from '#storage/trading/risk.ts';
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
import type { Incoming, Routes } from '#api/handle.ts';
import { invalid, invalidField } from '#api/frame/problem.ts';
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

type Change = Incoming<typeof changeAccountRisk> | Incoming<typeof changeProfileRisk>;

/** Merges the given limits into the stored ones. */
const merged = (stored: RiskLimits, { ...given }: Change['body']): RiskLimits => ({
  ...stored,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
});

async function change(context: ApiContext, target: Limited, { commit, body }: Change) {
  const changed = await commit(async ({ transaction }) => {
    const before = await lockRiskLimits(transaction, target);
    const after = merged(before, body);
    const uncounted = limitsWithoutAsset(after);
    if (uncounted.length > 0) {
      throw invalidField('asset', `is missing: ${uncounted.join(', ')} must be counted in one, such as USDT`);
    }
    if (JSON.stringify(before) === JSON.stringify(after)) return { answer: false, unchanged: true };
    await saveRiskLimits(transaction, target, after);
    const { scope, subject } = target;
    return { answer: true, subject: `${scope}:${subject}`, before, after };
  });
  if (changed) await announceHalts(context, target);
  return readState(context, target);
}

const announceHalts = (context: ApiContext, { scope, subject }: RiskTarget): Promise<void> => {
  const event = { topic: 'halt', ...(scope === 'profile' ? { id: subject } : {}), data: { scope, subject } } as const;
  return announce(context, { command: 'halts-changed', events: [event] });
};

type CoinCall = Incoming<typeof resumeCoin> | Incoming<typeof pauseCoin>;

/** Waits for buy intents in progress: no buy commits after the pause. */
async function setPause(context: ApiContext, { readAccount, commit, params }: CoinCall, pause: PauseInput | null) {
  const { id: profileId, symbol } = params;
  const account = await readAccount();
  const before = (await requireCoin(context, { account, profileId, symbol })).pause;
  await commit(async ({ transaction }) => {
    await storePause(transaction, { profileId, symbol, until: pause?.until ?? null, why: pause?.reason ?? '' });
    return { answer: undefined, before, after: pause };
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

type ProfileCall = Pick<Incoming<typeof readProfileRisk>, 'profile' | 'readAccount'>;

export function mountRisk({ context, handle }: Routes): void {
  const accountTarget = ({ account }: Pick<Incoming<typeof readAccountRisk>, 'account'>): Limited => ({
    ...{ scope: 'account', subject: account.id, account },
  });
  const profileTarget = async ({ profile, readAccount }: ProfileCall): Promise<Limited> => ({
    ...{ scope: 'profile', subject: profile.id, account: await readAccount() },
  });

  handle(readAccountRisk, (incoming) => readState(context, accountTarget(incoming)));
  handle(readProfileRisk, async (incoming) => readState(context, await profileTarget(incoming)));
  handle(changeAccountRisk, (incoming) => change(context, accountTarget(incoming), incoming));
  handle(changeProfileRisk, async (incoming) => change(context, await profileTarget(incoming), incoming));
  handle(pauseCoin, (incoming) => pause(context, incoming));
  handle(resumeCoin, (incoming) => setPause(context, incoming, null));
}
