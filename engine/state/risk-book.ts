import type { ApprovalReason, Numbers } from '#core/decision/decision.ts';
import type { CoinPause, CountedEntry, RiskFacts } from '#core/account/risk.ts';
import { type CoinName, createRiskJudge, type RiskJudge } from '#core/account/risk-judge.ts';

/** Periodic reads use at most one twentieth of the time. */
const POLL_PACE = 20;

/** The stored limits of one account, evaluated by core/account/risk-judge.ts, and the operator's pauses. */
export interface RiskBook extends Pick<RiskJudge, 'rooms' | 'spent' | 'finish' | 'forget'> {
  /** Reads limits, pauses, results and positions again, including everything committed before the call. */
  refresh(): Promise<void>;
  /** Refreshes, unless the last read was expensive and not long ago. */
  poll(): Promise<void>;
  /** A fill was recorded: reads again, unless no limit is set and no read is in progress. */
  booked(): Promise<void>;
  /** The first pause or limit that refuses a buy of the coin now. */
  refusal(coin: CoinName, now: Date): { readonly reason: ApprovalReason; readonly numbers: Numbers } | undefined;
  /** Counts a buy whose intent is about to be committed. */
  reserve(entry: Omit<CountedEntry, 'live'>): void;
}

export function createRiskBook(read: () => Promise<RiskFacts>, now: () => Date): RiskBook {
  const judge = createRiskJudge();
  let pauses: readonly CoinPause[] = [];
  const load = async (): Promise<void> => {
    const facts = await read();
    pauses = facts.pauses;
    judge.take(facts, now());
  };
  const { refresh, poll, isBusy } = oneByOne(load);
  const { rooms, spent, finish, forget } = judge;
  return {
    ...{ refresh, poll, rooms, spent, finish, forget },
    async booked() {
      if (isBusy() || judge.isLimited() !== false) await refresh();
    },
    refusal(coin, at) {
      const pause = pauses.find(({ profileId, symbol }) => profileId === coin.profileId && symbol === coin.symbol);
      if (pause !== undefined && pause.until.getTime() > Date.now()) {
        return { reason: 'halt-coin-paused', numbers: { until: pause.until.toISOString(), why: pause.why } };
      }
      return judge.refusal(coin, at);
    },
    reserve: (entry) => judge.reserve(entry, now()),
  };
}

/**
 * Runs one read after the other, so that an older result never overwrites a newer one; waiting callers share a read.
 */
function oneByOne(load: () => Promise<void>): Pick<RiskBook, 'refresh' | 'poll'> & { isBusy: () => boolean } {
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  let reads = 0;
  let pollFromMs = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<void> => {
    waiting = null;
    const startMs = performance.now();
    await load();
    const endMs = performance.now();
    pollFromMs = endMs + POLL_PACE * (endMs - startMs);
  };
  const refresh = (): Promise<void> => {
    if (waiting !== null) return waiting;
    reads += 1;
    waiting = last.then(read).finally(() => void (reads -= 1));
    last = waiting.catch(() => {});
    return waiting;
  };
  return {
    refresh,
    isBusy: () => reads > 0,
    poll: () => (performance.now() < pollFromMs ? Promise.resolve() : refresh()),
  };
}
