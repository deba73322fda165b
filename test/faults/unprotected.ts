import { setTimeout as delay } from 'node:timers/promises';
import {
  absolute,
  add,
  type Decimal,
  maximum,
  multiply,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import { accountRun, cacheKeys } from '#core/installation/cache-keys.ts';
import { isSellable } from '#core/position/position.ts';
import { STOP_QTY_DRIFT } from '#core/sizing/protective-stop.ts';
import { listingNow, type SymbolMarket } from '#paper/market/symbol-market.ts';
import { until } from '#test/flow/until.ts';
import { protects, walletOf } from './oracle.ts';
import type { Environment } from './environment.ts';

/**
 * Longest time, at pace 1, that a position may be without a stop while a worker runs and reports no reason: neither of
 * the coin nor of the account.
 */
const UNPROTECTED_MS = 12_000;
/** Longest time, at pace 1, for a manual sale that the exchange does not prevent. */
const SALE_MS = 12_000;
const LOOK_MS = 100;
/** A look that comes later counts as this long: the worker, which shares the process, did not run either. */
const LONGEST_LOOK_MS = 500;
/** Events of log rows that report to the operator why no stop rests. */
const REPORTS = ['stop_missing', 'coin_cannot_run'];
/** Safety margin: a position worth this share of its value can still be sold after a small price move. */
const HEADROOM = requireDecimal('0.97');

interface Watched {
  readonly environment: Environment;
  readonly pace: number;
  /** Positions must have a stop on the exchange. */
  readonly guarded: boolean;
}

/** Balance of a coin on the exchange; zero when it is too small to sell. */
function heldOf(environment: Environment, market: SymbolMarket): Decimal {
  const { rules } = listingNow(market);
  const held = walletOf(environment, rules.baseAsset);
  return market.lastPrice !== undefined && isSellable(held, multiply(market.lastPrice, HEADROOM), rules) ? held : ZERO;
}

/** True while the worker reports that the account stopped because of a fault and starts again. */
async function isReportedDown({ cache, accountId }: Environment): Promise<boolean> {
  const text = await cache.get(cacheKeys.accountRun(accountId));
  const state = text === undefined ? undefined : accountRun.parse(JSON.parse(text));
  return state !== undefined && state.downSince !== null && state.faults !== null;
}

function isUnprotected(environment: Environment, market: SymbolMarket): boolean {
  const { rules } = listingNow(market);
  const held = heldOf(environment, market);
  const inSales = [...environment.paper.venue.engine.orders.open.values()]
    .filter((order) => protects(order) && order.symbol === rules.symbol)
    .reduce((sum, order) => add(sum, subtract(order.quantity, order.executed)), ZERO);
  const short = absolute(subtract(held, inSales));
  return held > 0n && short >= maximum(rules.lot.step, multiply(held, STOP_QTY_DRIFT));
}

/** Checks every coin during a run; `end` lists positions that had no stop for too long without a reported reason. */
interface UnprotectedWatch {
  end(): Promise<string[]>;
}

export function watchUnprotected(watched: Watched): UnprotectedWatch {
  const { environment, pace } = watched;
  const since = new Map<string, { readonly startedAt: Date; lookedMs: number; ms: number }>();
  const found = new Map<string, string>();
  let over = false;
  const look = async (symbol: string): Promise<void> => {
    const market = environment.paper.venue.markets.get(symbol);
    const counts = market !== undefined && watched.guarded && environment.worker.isRunning();
    if (!counts || !isUnprotected(environment, market)) return void since.delete(symbol);
    const lookedMs = performance.now();
    const bare = since.get(symbol) ?? { startedAt: new Date(), lookedMs, ms: 0 };
    if (!(await isReportedDown(environment))) bare.ms += Math.min(lookedMs - bare.lookedMs, LONGEST_LOOK_MS * pace);
    bare.lookedMs = lookedMs;
    since.set(symbol, bare);
    if (bare.ms < UNPROTECTED_MS * pace || found.has(symbol)) return;
    const reported = await environment.database.pool.query(
      `select from action_logs where symbol = $1 and ctx ->> 'event' = any($2) and recorded_at >= $3`,
      [symbol, REPORTS, bare.startedAt],
    );
    if (reported.rowCount !== 0) return;
    found.set(symbol, `${symbol} was held for ${UNPROTECTED_MS * pace} ms without a stop and without a reason`);
  };
  const watching = (async (): Promise<void> => {
    // During a restore the tables are missing for a moment.
    for (; !over; await delay(LOOK_MS * pace))
      for (const symbol of environment.symbols) await look(symbol).catch(() => {});
  })();
  return {
    async end() {
      over = true;
      await watching;
      return [...found.values()];
    },
  };
}

/** Sells a coin manually, and again while anything is left to sell; throws when that takes too long. */
export async function sellByHand({ environment, pace }: Omit<Watched, 'guarded'>, symbol: string): Promise<void> {
  const market = environment.paper.venue.markets.get(symbol);
  const untilMs = performance.now() + SALE_MS * pace;
  let last = 'no answer';
  while (market !== undefined && heldOf(environment, market) > 0n) {
    const id = await environment.request('force-sell', {}, symbol);
    const read = async () => {
      const actions = environment.database.kysely
        .selectFrom('operator_actions')
        .select(['state', 'reason', 'finished_at']);
      const action = await actions.where('id', '=', id).executeTakeFirst();
      if (action !== undefined) last = `${action.state}, ${action.reason ?? 'no reason'}`;
      // A restored backup may lack the request: send it again.
      return action === undefined || action.finished_at !== null ? (action?.state ?? 'forgotten') : undefined;
    };
    const state = await until('a manual sale', read, untilMs - performance.now()).catch(() => undefined);
    if (state === 'done') return;
    if (performance.now() > untilMs) throw new Error(`The manual sale of ${symbol} did not succeed: ${last}`);
  }
}
