import {
  add,
  ceilToStep,
  type Decimal,
  floorToStep,
  fromSteps,
  multiply,
  ONE,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { Side } from '#core/order/order.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** What a run is charged and begins with; rates are fractions (0.001 is 0.1 %), the balance is in the quote asset. */
export interface Terms {
  readonly balance: Decimal;
  /** Of an order that meets the book; one that waited in it pays `makerFeeRate`, or the same where that is absent. */
  readonly feeRate: Decimal;
  readonly makerFeeRate?: Decimal;
  /** `other`: fees leave the traded amounts alone and are taken from the cash at their worth in quote. */
  readonly feeIn?: 'received' | 'other';
  readonly slippage: Decimal;
  /** Half the distance between the best buyer and the best seller, as a share of the price; absent: none. */
  readonly halfSpread?: Decimal;
  /** Share of a candle's volume that the orders of the run may take; absent: any amount. */
  readonly participation?: Decimal;
}

/** The share of a buy that is taken from the bought coin. */
export const baseFeeRate = ({ feeRate, feeIn }: Pick<Terms, 'feeRate' | 'feeIn'>): number =>
  feeIn === 'other' ? 0 : toNumber(feeRate);

/** What a market order pays above and receives below the price, as a share of it: slippage and half the spread. */
export const againstOf = ({ slippage, halfSpread = ZERO }: Terms): number => toNumber(add(slippage, halfSpread));

/** The buy level an entry belongs to, with the budget of the level's first order in this cycle. */
export interface EntryTag {
  readonly level: number;
  readonly plannedQuote: Decimal;
}

/** A market order between the decision and the next detail candle; `quantity` is what has not filled yet. */
export interface PendingOrder {
  /** Counts the orders of the coin. */
  readonly number: number;
  readonly side: Side;
  readonly quantity: Decimal;
  /** Of a buy: the price at which money is kept free for it until it fills. */
  readonly dearest: Decimal;
  readonly reason: string;
  readonly entry?: EntryTag;
}

/** The rules of this room, in the words that go with every result. */
export const FILL_RULES: readonly string[] = [
  'Decisions are made at the close of a detail candle; no order fills on the candle that created it.',
  'A market order fills at the open of the next detail candle, moved against it by slippage and half the spread and rounded against it onto the price grid.',
  'A buy that costs more than the free balance at that open is rejected, as the exchange would.',
  'An order that waits at a limit fills only when the price trades through the limit, at the limit (a buy at the open of a candle that opens below it), and pays the maker fee; it locks what it would cost.',
  'A stop is set off when the price touches it and sells there; where the price opens beyond the stop it sells at the open. One with a limit never sells below it: what opens below the limit waits until the price trades through it.',
  'What fills inside a candle, not at its open, counts as filled at its last moment: a pause after a loss begins there.',
  'A stop that trails on the exchange follows the highest price since it was placed, also inside a candle.',
  'The stop on the exchange is placed and moved by the same rules as in live trading: at once after a fill, else at the close of a candle.',
  'Where one candle could have done two things, it is taken to have risen before it fell; the ambiguity band says what the other order would have made.',
  'A stop whose limit the price went on to break inside a candle sells at the touch; at worst it waits at its limit, else it sells at the next open.',
  'A strategy that acts at any price is asked at closes; the band also holds what it would have done inside candles that crossed such a price.',
  'Where a share of the volume is set, no more of a candle is taken than that; the rest of an order waits for the next candle.',
  'The fee of a buy is taken in the coin, that of a sell in the quote asset, both cut to 8 decimals; fees in another asset are taken from the cash at their worth.',
  'A position still open at the end is valued at the last close and not sold.',
];

/** The exchange books amounts with 8 decimals. */
const SMALLEST = requireDecimal('0.00000001');
const cut = (amount: Decimal): Decimal => floorToStep(amount, SMALLEST);

/** The price of an order that meets the book at `ticks`: never better than that. */
export function marketPrice(
  side: Side,
  ticks: number,
  context: Pick<Terms, 'slippage' | 'halfSpread'> & { readonly tick: Decimal },
): Decimal {
  const { tick, slippage, halfSpread = ZERO } = context;
  const price = fromSteps(ticks, tick);
  const against = add(slippage, halfSpread);
  if (against === 0n) return price;
  if (side === 'buy') return ceilToStep(multiply(price, add(ONE, against)), tick);
  return floorToStep(multiply(price, subtract(ONE, against)), tick);
}

interface FillContext {
  readonly rules: SymbolRules;
  readonly terms: Terms;
  readonly atMs: number;
  /** Count the fills and the orders of the coin. */
  readonly number: number;
  readonly order: number;
  readonly maker: boolean;
}

/** The fill of `quantity` at `price`. */
export function fillAt(
  order: Pick<PendingOrder, 'side' | 'quantity'>,
  price: Decimal,
  context: FillContext,
): ExchangeFill {
  const { rules, terms, atMs, maker } = context;
  const { side, quantity } = order;
  const quoteQuantity = cut(multiply(quantity, price));
  const rate = maker ? (terms.makerFeeRate ?? terms.feeRate) : terms.feeRate;
  const other = terms.feeIn === 'other';
  const received = side === 'buy' && !other ? quantity : quoteQuantity;
  const asset = side === 'buy' ? rules.baseAsset : rules.quoteAsset;
  return {
    symbol: rules.symbol,
    tradeId: String(context.number),
    exchangeOrderId: String(context.order),
    side,
    price,
    quantity,
    quoteQuantity,
    feeAmount: cut(multiply(received, rate)),
    feeAsset: other ? OTHER_ASSET : asset,
    maker,
    at: new Date(atMs),
  };
}

/** Stands for whatever asset the account pays its fees in. */
export const OTHER_ASSET = 'OTHER';
