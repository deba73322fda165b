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
import { isSellable } from '#core/position/position.ts';
import { STOP_QTY_DRIFT } from '#core/sizing/protective-stop.ts';
import { listingNow, type SymbolMarket } from '#paper/market/symbol-market.ts';
import { until } from '#test/flow/until.ts';
import { walletOf } from './oracle.ts';
import type { Stage } from './stage.ts';

/** Longest time, at pace 1, in which a worker runs and a position is without a stop before a reason is reported. */
const BARE_MS = 12_000;
/** Longest time, at pace 1, for a sale by hand that the exchange does not stand in the way of. */
const SALE_MS = 12_000;
const LOOK_MS = 100;
/** Log rows that tell the operator why no stop rests. */
const REPORTS = ['stop_missing', 'coin_cannot_run'];
/** What is worth this share less can still be sold when the price moves a little. */
const HEADROOM = requireDecimal('0.97');

interface Watched {
  readonly stage: Stage;
  readonly pace: number;
  /** Positions must have a stop on the exchange. */
  readonly guarded: boolean;
}

/** What the exchange holds of a coin for the account, when that can be sold. */
function heldOf(stage: Stage, market: SymbolMarket): Decimal {
  const { rules } = listingNow(market);
  const held = walletOf(stage, rules.baseAsset);
  return market.lastPrice !== undefined && isSellable(held, multiply(market.lastPrice, HEADROOM), rules) ? held : ZERO;
}

function isBare(stage: Stage, market: SymbolMarket): boolean {
  const { rules } = listingNow(market);
  const held = heldOf(stage, market);
  const inSales = [...stage.paper.venue.engine.orders.open.values()]
    .filter(({ side, symbol }) => side === 'SELL' && symbol === rules.symbol)
    .reduce((sum, order) => add(sum, subtract(order.quantity, order.executed)), ZERO);
  const short = absolute(subtract(held, inSales));
  return held > 0n && short >= maximum(rules.lot.step, multiply(held, STOP_QTY_DRIFT));
}

/** Looks at every coin during a play, and says in the end which position was bare for too long without a reported reason. */
interface Vigil {
  end(): Promise<string[]>;
}

export function openVigil(watched: Watched): Vigil {
  const { stage, pace } = watched;
  const since = new Map<string, Date>();
  const found = new Map<string, string>();
  let over = false;
  const look = async (symbol: string): Promise<void> => {
    const market = stage.paper.venue.markets.get(symbol);
    const counts = market !== undefined && watched.guarded && stage.worker.isTaken();
    if (!counts || !isBare(stage, market)) return void since.delete(symbol);
    const began = since.get(symbol) ?? new Date();
    since.set(symbol, began);
    if (Date.now() - began.getTime() < BARE_MS * pace || found.has(symbol)) return;
    const reported = await stage.database.pool.query(
      `select from action_logs where symbol = $1 and ctx ->> 'event' = any($2) and recorded_at >= $3`,
      [symbol, REPORTS, began],
    );
    if (reported.rowCount !== 0) return;
    found.set(symbol, `${symbol} was held for ${BARE_MS * pace} ms without a stop and without a reason`);
  };
  const watching = (async (): Promise<void> => {
    // A restore takes the tables away for a moment.
    for (; !over; await delay(LOOK_MS * pace)) for (const symbol of stage.symbols) await look(symbol).catch(() => {});
  })();
  return {
    async end() {
      over = true;
      await watching;
      return [...found.values()];
    },
  };
}

/** Sells a coin by hand, again while something is left to sell; throws when that takes too long. */
export async function sellByHand({ stage, pace }: Omit<Watched, 'guarded'>, symbol: string): Promise<void> {
  const market = stage.paper.venue.markets.get(symbol);
  const untilMs = performance.now() + SALE_MS * pace;
  let last = 'nothing was answered';
  while (market !== undefined && heldOf(stage, market) > 0n) {
    const id = await stage.ask('force-sell', {}, symbol);
    const read = async () => {
      const actions = stage.database.kysely.selectFrom('operator_actions').select(['state', 'reason', 'finished_at']);
      const action = await actions.where('id', '=', id).executeTakeFirst();
      if (action !== undefined) last = `${action.state}, ${action.reason ?? 'no reason'}`;
      // One that a restored backup does not know is asked for again.
      return action === undefined || action.finished_at !== null ? (action?.state ?? 'forgotten') : undefined;
    };
    const state = await until('a sale by hand', read, untilMs - performance.now()).catch(() => undefined);
    if (state === 'done') return;
    if (performance.now() > untilMs) throw new Error(`A sale by hand of ${symbol} did not get through: ${last}`);
  }
}
