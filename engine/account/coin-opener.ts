import { newId, type ProfileId } from '#core/ids.ts';
import type { OrderRecord } from '#core/order/order.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { encodeRules } from '#core/market/symbol-codec.ts';
import { type AccountContext, marketNow } from '#engine/state/account-context.ts';
import { mergedConfig } from '#engine/state/coin.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import type { Roster } from '#engine/state/ports.ts';
import { openCoin } from '#engine/runner/recover.ts';

/** Number of coins that are opened, or whose candles are read, in parallel. */
export const PARALLEL_COINS = 8;
/** Pause before the next attempt to open a coin, doubled up to the longest (wall ms). */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 60_000];

/** A problem of one coin, for the operator; `nextAt` is the next attempt, in wall time. */
export interface CoinTrouble {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly runs: boolean;
  readonly cause: string;
  readonly nextAt: Date | null;
}

export interface Wanted {
  readonly profile: ProfileToRun;
  readonly symbol: string;
}

export interface Entry {
  readonly fingerprint: string;
  readonly runner: CoinRunner;
}

export const keyOf = (profileId: ProfileId, symbol: string): string => `${profileId}:${symbol}`;
export const fingerprintOf = (profile: ProfileToRun, symbol: string, rules: SymbolRules | undefined): string =>
  JSON.stringify([profile.strategyName, mergedConfig(profile, symbol), rules && encodeRules([rules])]);

interface Unopened extends CoinTrouble {
  readonly pauseMs: number;
}

interface Opener {
  open(wanted: Wanted, liveOrders: readonly OrderRecord[]): Promise<Entry | undefined>;
  /** False during the pause after a failed attempt. */
  mayOpen(wanted: Wanted): boolean;
  isRetryDue(): boolean;
  troubles(): Iterable<CoinTrouble>;
  /** Drops the troubles of coins that are not in `kept`. */
  forget(kept: ReadonlySet<string>): void;
}

/**
 * Opens coins. A coin that cannot run is reported in its profile's log, once per reason, and does not delay the others.
 */
export function createOpener(context: AccountContext, roster: Roster, rules: ReadonlyMap<string, SymbolRules>): Opener {
  const unopened = new Map<string, Unopened>();
  const isPaused = ({ nextAt }: CoinTrouble): boolean => nextAt !== null && nextAt.getTime() > Date.now();
  return {
    async open(wanted, liveOrders) {
      const { profile, symbol } = wanted;
      const key = keyOf(profile.id, symbol);
      const strategy = roster.strategies.get(profile.strategyName);
      const plan = await openCoin(context, { profile, symbol, rules: rules.get(symbol), strategy, liveOrders });
      const before = unopened.get(key);
      if (plan.kind === 'run') {
        unopened.delete(key);
        return { fingerprint: fingerprintOf(profile, symbol, rules.get(symbol)), runner: plan.runner };
      }
      const pauseMs = Math.min((before?.pauseMs ?? FIRST_PAUSE_MS / 2) * 2, LONGEST_PAUSE_MS);
      const nextAt = plan.kind === 'later' ? new Date(Date.now() + pauseMs) : null;
      const trouble = { profileId: profile.id, symbol, runs: false, cause: plan.reason, nextAt, pauseMs };
      unopened.set(key, trouble);
      if (before?.cause !== plan.reason) reportUnopened(context, trouble);
      return undefined;
    },
    mayOpen({ profile, symbol }) {
      const trouble = unopened.get(keyOf(profile.id, symbol));
      return trouble === undefined || !isPaused(trouble);
    },
    isRetryDue: () => unopened.values().some((trouble) => trouble.nextAt !== null && !isPaused(trouble)),
    troubles: () => unopened.values(),
    forget(kept) {
      for (const key of unopened.keys()) if (!kept.has(key)) unopened.delete(key);
    },
  };
}

/** Reads the first candles of coins, a few coins in parallel; exits work meanwhile. */
export function createCandleReader(isClosed: () => boolean): (runner: CoinRunner) => void {
  const waiting: CoinRunner[] = [];
  let readers = 0;
  const runReader = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined && !isClosed(); next = waiting.shift())
      await next.readCandles();
    readers -= 1;
  };
  return (runner) => {
    waiting.push(runner);
    if (readers >= PARALLEL_COINS) return;
    readers += 1;
    void runReader();
  };
}

export function candleTrouble({ coin }: CoinRunner): CoinTrouble[] {
  const source = coin.sources.find(({ problem }) => problem !== null);
  if (source === undefined || source.problem === null) return [];
  const { cause, nextAt } = source.problem;
  const place = { profileId: coin.profile.id, symbol: coin.symbol };
  return [{ ...place, runs: true, cause: `Its ${source.interval} candles cannot be read (${cause}).`, nextAt }];
}

function reportUnopened(context: AccountContext, { profileId, symbol, cause, nextAt }: CoinTrouble): void {
  const at = marketNow(context);
  context.ports.records.log({
    id: newId<string>(),
    profileId,
    symbol,
    level: 'error',
    msg: `${symbol} is not traded: ${cause}${nextAt === null ? '' : ' The worker tries again.'}`,
    ctx: { event: 'coin_cannot_run', reason: cause },
    count: 1,
    firstAt: at,
    lastAt: at,
  });
}
