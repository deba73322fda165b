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
} from '#core/decimal.ts';
import type { ExchangeFill } from '#core/fill.ts';
import type { Side } from '#core/order.ts';
import type { SymbolRules } from '#core/symbol.ts';

/** What a run is charged and begins with; rates are fractions (0.001 is 0.1 %), the balance is in the quote asset. */
export interface Terms {
  readonly balance: Decimal;
  readonly feeRate: Decimal;
  readonly slippage: Decimal;
}

/** A market order between the decision and the next detail candle. */
export interface PendingOrder {
  readonly side: Side;
  readonly quantity: Decimal;
  readonly reason: string;
  /** The buy level an entry belongs to, with the budget of the level's first order in this cycle. */
  readonly entry?: { readonly level: number; readonly plannedQuote: Decimal };
}

/** The rules of this room, in the words that go with every result. */
export const FILL_RULES: readonly string[] = [
  'Decisions are made at the close of a detail candle; no order fills on the candle that created it.',
  'A market order fills whole at the open of the next detail candle, moved against it by the slippage and rounded against it onto the price grid.',
  'A buy that costs more than the free balance at that open is rejected, as the exchange would.',
  'The fee of a buy is taken in the coin, that of a sell in the quote asset, both cut to 8 decimals.',
  'A position still open at the end is valued at the last close and not sold.',
];

/** The exchange books amounts with 8 decimals. */
const SMALLEST = requireDecimal('0.00000001');
const cut = (amount: Decimal): Decimal => floorToStep(amount, SMALLEST);

/** The price of a market order that meets a candle opening at `openTicks`: never better than the open. */
export function marketPrice(side: Side, openTicks: number, context: { tick: Decimal; slippage: Decimal }): Decimal {
  const { tick, slippage } = context;
  const open = fromSteps(openTicks, tick);
  if (side === 'buy') return ceilToStep(multiply(open, add(ONE, slippage)), tick);
  return floorToStep(multiply(open, subtract(ONE, slippage)), tick);
}

export interface FillContext {
  readonly rules: SymbolRules;
  readonly terms: Terms;
  readonly cash: Decimal;
  readonly atMs: number;
  /** Counts the fills of the run. */
  readonly number: number;
}

/** The fill of a whole market order at `price`; undefined when the cash does not cover a buy. */
export function fillMarket(order: PendingOrder, price: Decimal, context: FillContext): ExchangeFill | undefined {
  const { rules, terms, cash, atMs, number } = context;
  const { side, quantity } = order;
  const quoteQuantity = cut(multiply(quantity, price));
  const buying = side === 'buy';
  if (buying && quoteQuantity > cash) return undefined;
  const received = buying ? quantity : quoteQuantity;
  return {
    symbol: rules.symbol,
    tradeId: String(number),
    exchangeOrderId: String(number),
    side,
    price,
    quantity,
    quoteQuantity,
    feeAmount: cut(multiply(received, terms.feeRate)),
    feeAsset: buying ? rules.baseAsset : rules.quoteAsset,
    maker: false,
    at: new Date(atMs),
  };
}
