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

/** Costs and start balance of a run. Rates are fractions (0.001 is 0.1 %), the balance is in the quote asset. */
export interface Terms {
  readonly balance: Decimal;
  /** Taker fee. A resting order pays `makerFeeRate`, or this rate when that is absent. */
  readonly feeRate: Decimal;
  readonly makerFeeRate?: Decimal;
  /** `other`: fees do not reduce the traded amounts. Their value in quote is taken from the cash. */
  readonly feeIn?: 'received' | 'other';
  readonly slippage: Decimal;
  /** Half the spread as a share of the price; absent: none. */
  readonly halfSpread?: Decimal;
  /** Share of a candle's volume that the orders of the run may take; absent: no limit. */
  readonly participation?: Decimal;
}

/** The fee rate that is taken from the bought coin. */
export const baseFeeRate = ({ feeRate, feeIn }: Pick<Terms, 'feeRate' | 'feeIn'>): number =>
  feeIn === 'other' ? 0 : toNumber(feeRate);

/** Slippage plus half the spread: the cost of a market order as a share of the price. */
export const againstOf = ({ slippage, halfSpread = ZERO }: Terms): number => toNumber(add(slippage, halfSpread));

/** The buy level an entry belongs to, with the budget of the level's first order in this cycle. */
export interface EntryTag {
  readonly level: number;
  readonly plannedQuote: Decimal;
}

/** A market order between the decision and the next detail candle; `quantity` is the part that has not filled. */
export interface PendingOrder {
  /** Sequence number of the order within the coin. */
  readonly number: number;
  readonly side: Side;
  readonly quantity: Decimal;
  /** For a buy: the price at which cash is reserved for it until it fills. */
  readonly dearest: Decimal;
  readonly reason: string;
  readonly entry?: EntryTag;
}

/** The fill model (kernel.ts) in the sentences that are part of every result. */
export const FILL_RULES: readonly string[] = [
  'The strategy decides at the close of a detail candle. No order fills on the candle that created it.',
  'A market order fills at the open of the next detail candle. Slippage, half the spread and rounding to the tick size worsen the price.',
  'A buy that costs more than the available balance at that open is rejected, as on the exchange.',
  'A resting limit order fills at its limit, and only when the price trades through it. A buy fills at the open when the candle opens below the limit. It pays the maker fee and locks its cost.',
  'A stop triggers when the price touches it and sells there. It sells at the open when the price opens beyond it. A stop with a limit never sells below that limit: it waits until the price trades through it.',
  'A fill inside a candle counts at the last moment of the candle. A cool-down after a loss starts there.',
  'A target that rests next to the stop fills like a resting limit order and ends the stop. A candle that reaches both is doubtful.',
  'A trailing stop on the exchange follows the highest price since it was placed, also inside a candle.',
  'The stop on the exchange is placed and moved by the rules of live trading: immediately after a fill, otherwise at the close of a candle.',
  'When a candle allows two outcomes, the run assumes that it rose before it fell. The ambiguity band shows the other outcome.',
  'A stop sells at the touch even when the price then falls below its limit inside the candle. The worst case of the band waits at the limit or sells at the next open.',
  'A strategy that acts at any price decides at closes here. The band also covers its decisions inside candles that crossed such a price.',
  'When a share of the volume is set, orders take at most that share of a candle. The rest of an order waits for the next candle.',
  'The fee of a buy is taken in the coin, the fee of a sell in the quote asset, both cut to 8 decimals. Fees in another asset reduce the cash by their value.',
  'A position that is open at the end is valued at the last close and not sold.',
];

/** The exchange records amounts with 8 decimals. */
const SMALLEST = requireDecimal('0.00000001');
const cut = (amount: Decimal): Decimal => floorToStep(amount, SMALLEST);

/** The price of a taker order at `ticks`: never better than that. */
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
  /** Sequence numbers of the fill and of the order within the coin. */
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

/** Placeholder for the asset in which the account pays its fees. */
export const OTHER_ASSET = 'OTHER';
