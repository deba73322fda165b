import { type Decimal, toSteps, ZERO } from '#core/amount/decimal.ts';
import type { Regime } from '#core/decision/regime.ts';
import { targetOf } from '#core/position/levels.ts';
import { isSellable } from '#core/position/position.ts';
import type { SignalAction } from '#core/order/signal.ts';
import type { BasketTurn } from '#core/sizing/basket.ts';
import { minOrderQuote } from '#core/sizing/sizing.ts';
import type { Situation } from './situation.ts';

/**
 * Input of a strategy on one tick. One object per instance is reused: never keep it. Prices are whole ticks in float64,
 * quantities whole lots. The engine handles wallet, caps, halts and exchange filters.
 */
export interface TickView {
  nowMs: number;
  price: number;
  priceAgeMs: number;
  lots: number;
  /** Highest number of lots in this cycle. */
  peakLots: number;
  /** Average entry price in ticks, fractional; 0 when flat. */
  avgTicks: number;
  /** The position can be sold under the trading rules. Otherwise entry rules treat it as flat. */
  sellable: boolean;
  firstBuyFillMs: number;
  cycle: number;
  /** The next buy level: 0 for the first buy, the number of levels when all are used. */
  target: number;
  entryOrderOpen: boolean;
  /** The buy that rests on the exchange; null when there is none, or when its state is unknown. */
  waiting: WaitingEntry | null;
  exitOrderOpen: boolean;
  /** The daily trend: 1 rising, -1 falling, 0 neither, 2 unknown or not used. */
  regime: Regime;
  /** A technical rating calls for a sale in profit. */
  ratingSells: boolean;
  /** The part of this coin in the plan of the basket; null outside of a basket. */
  basket: BasketTurn | null;
  /** The signal of another program that still waits for an answer; null when there is none. */
  signal: TickSignal | null;
  takerFee: number;
  makerFee: number;
  /** False when a stored setting has the wrong type: entries are refused, exits run. */
  readable: boolean;
}

/** A recorded signal; it has at most one order. */
export interface TickSignal {
  readonly action: SignalAction;
  readonly key: string;
  /** Name of the inlet through which it came. */
  readonly inlet: string;
  /** Time since it was sent. */
  readonly ageMs: number;
}

/** A buy in the book; prices in ticks. */
interface WaitingEntry {
  readonly level: number;
  /** Trigger price; 0 for a plain limit order. */
  readonly stop: number;
  readonly limit: number;
  readonly placedMs: number;
  /** It has triggered, or has a partial fill. */
  readonly touched: boolean;
}

const USUAL_FEES = { taker: 0.001, maker: 0.001 };

/** The view of a coin without position and price. */
export const openView = (fees = USUAL_FEES, readable = true): TickView => ({
  nowMs: 0,
  price: 0,
  priceAgeMs: 0,
  lots: 0,
  peakLots: 0,
  avgTicks: 0,
  sellable: false,
  firstBuyFillMs: 0,
  cycle: 0,
  target: 0,
  entryOrderOpen: false,
  waiting: null,
  exitOrderOpen: false,
  regime: 2,
  ratingSells: false,
  basket: null,
  signal: null,
  takerFee: fees.taker,
  makerFee: fees.maker,
  readable,
});

type Held = Pick<Situation, 'position' | 'levels' | 'rules' | 'terms'> & { readonly baseFeeRate: () => number };

/** Updates the position fields of a view. Without an open cycle the strategy sees no recorded rest and no price. */
export function viewPosition(view: TickView, held: Held): void {
  const { position, rules } = held;
  const { firstBuyAt, averagePrice } = position;
  const open = firstBuyAt !== null;
  view.lots = open ? Math.floor(toSteps(position.quantity, rules.lot.step)) : 0;
  view.peakLots = open ? Math.floor(toSteps(position.peakQuantity, rules.lot.step)) : 0;
  view.avgTicks = open ? toSteps(averagePrice, rules.price.tick) : 0;
  view.sellable = open && isSellable(position.quantity, averagePrice, rules);
  view.firstBuyFillMs = firstBuyAt?.getTime() ?? 0;
  view.cycle = position.cycle;
  view.target = open ? targetNow(held, view.sellable) : 0;
}

/** A position without own fills, for example with a manually set average price, counts as the first level. */
const targetNow = (held: Held, sellable: boolean): number =>
  held.levels.length === 0 ? Number(sellable) : targetOf(held.levels, leastEntry(held));

/** The smallest buy at the average price that can be sold again, in quote. */
function leastEntry({ position, rules, terms, baseFeeRate }: Held): Decimal {
  const price = position.averagePrice;
  if (price <= 0n) return ZERO;
  const { stopMultiple, stopLimitOffset } = terms;
  return minOrderQuote({ price, rules, stopMultiple, stopLimitOffset, baseFeeRate: baseFeeRate() });
}
