import { cut, floor, type Fraction, fraction, minus, most, NONE, over, plus, times } from './fraction.ts';
import { type Costs, isSellable, type Market } from './market.ts';

export interface Fill {
  readonly side: 'buy' | 'sell';
  readonly atMs: number;
  readonly price: Fraction;
  readonly quantity: Fraction;
  readonly fee: Fraction;
  /** Quantity times price, as it is booked. */
  readonly quote: Fraction;
}

interface LevelFill {
  readonly planned: Fraction;
  readonly filled: Fraction;
}

/** The position and its cycle. */
export interface Position {
  cash: Fraction;
  quantity: Fraction;
  /** In quote. */
  average: Fraction;
  largest: Fraction;
  cycle: number;
  firstBuyMs: number | null;
  /** Received less paid in the present cycle, or in the one that closed last. */
  net: Fraction;
  pauseUntilMs: number;
  levels: Map<number, LevelFill>;
}

export const openPosition = (cash: Fraction): Position => ({
  cash,
  quantity: NONE,
  average: NONE,
  largest: NONE,
  cycle: 0,
  firstBuyMs: null,
  net: NONE,
  pauseUntilMs: 0,
  levels: new Map(),
});

/** An execution as it is booked: quote amount and fee are cut to 8 decimals. */
export function fillOf(made: Omit<Fill, 'fee' | 'quote'>, rate: Fraction, costs: Costs): Fill {
  const { side, price, quantity } = made;
  const quote = cut(times(quantity, price), 8);
  const received = side === 'buy' && costs.feeInReceived ? quantity : quote;
  return { ...made, quote, fee: cut(times(received, rate), 8) };
}

export interface Bought {
  readonly level: number;
  readonly planned: Fraction;
}

/** Books a buy. */
export function bookBuy(position: Position, fill: Fill, order: Bought & Pick<Costs, 'feeInReceived'>): void {
  const { price, quantity, fee, quote, atMs } = fill;
  const added = order.feeInReceived ? minus(quantity, fee) : quantity;
  const paid = order.feeInReceived ? quote : plus(quote, fee);
  const held = position.quantity;
  if (position.firstBuyMs === null) {
    position.cycle += 1;
    position.firstBuyMs = atMs;
    position.net = minus(NONE, times(held, position.average));
  }
  const value = plus(times(position.average, held), times(price, added));
  position.quantity = plus(held, added);
  position.average = cut(over(value, position.quantity), 18);
  position.largest = most(position.largest, position.quantity);
  position.net = minus(position.net, paid);
  position.cash = minus(position.cash, paid);
  const known = position.levels.get(order.level) ?? { planned: order.planned, filled: NONE };
  position.levels.set(order.level, { planned: known.planned, filled: plus(known.filled, quote) });
}

/** Books a sale; the cycle closes when the rest cannot be sold at its price. */
export function bookSale(
  position: Position,
  { price, quantity, fee, quote, atMs }: Fill,
  { market, pauseMs }: { readonly market: Market; readonly pauseMs: number },
): void {
  const proceeds = minus(quote, fee);
  const { average, firstBuyMs } = position;
  position.cash = plus(position.cash, proceeds);
  position.quantity = minus(position.quantity, quantity);
  if (position.quantity.n === 0n) position.average = NONE;
  if (firstBuyMs === null) position.net = plus(position.net, minus(proceeds, times(quantity, average)));
  else {
    position.net = plus(position.net, proceeds);
    if (isSellable(position.quantity, price, market)) return;
    position.net = plus(position.net, times(position.quantity, position.average));
  }
  position.firstBuyMs = null;
  position.largest = NONE;
  position.levels.clear();
  position.pauseUntilMs = position.net.n < 0n ? atMs + pauseMs : 0;
}

/** The position as the rules of a strategy see it. */
export const isHeld = ({ firstBuyMs, quantity, average }: Position, market: Market): boolean =>
  firstBuyMs !== null && isSellable(quantity, average, market);

export const lotsOf = (quantity: Fraction, { step }: Market): bigint => floor(over(quantity, step));
/** The average entry price in ticks. */
export const averageTicks = ({ average }: Position, { tick }: Market): Fraction => over(average, tick);

/** The multiple of the average that pays the fees of both ways. */
export function feeMultiple(costs: Costs, entryMode: string): Fraction {
  const kept = (rate: Fraction): Fraction => minus(fraction(1n), rate);
  return over(fraction(1n), times(kept(entryMode === 'maker' ? costs.maker : costs.taker), kept(costs.taker)));
}
