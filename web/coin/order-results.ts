import { add, type Decimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { OrderId } from '#core/ids.ts';
import type { CoinPage } from '#web/data/answers.ts';

type Fill = CoinPage['fills'][number];

/** Fees and P&L of one order, in quote. */
export interface OrderResult {
  /** Null while the value of a fee is unknown. */
  readonly fee: Decimal | null;
  /** P&L of a sale net of all fees; null for a buy, and while the value of a fee is unknown. */
  readonly pnl: Decimal | null;
}

const sum = (values: readonly string[]): Decimal => values.map(requireDecimal).reduce(add, ZERO);

/** Results by order. An order has none when `fills`, the newest of its coin, do not contain all of its fills. */
export function orderResults(orders: CoinPage['orders'], fills: readonly Fill[]): ReadonlyMap<OrderId, OrderResult> {
  const byOrder = Map.groupBy(fills, ({ orderId }) => orderId);
  const results = new Map<OrderId, OrderResult>();
  for (const { id, side, filledQuantity } of orders) {
    const mine = byOrder.get(id) ?? [];
    const listed = sum(mine.map(({ quantity }) => quantity));
    if (listed === ZERO || listed !== requireDecimal(filledQuantity)) continue;
    const fees = mine.flatMap(({ feeQuote }) => feeQuote ?? []);
    const isValued = fees.length === mine.length;
    const pnl = isValued && side === 'sell' ? sum(mine.map(({ realised }) => realised)) : null;
    results.set(id, { fee: isValued ? sum(fees) : null, pnl });
  }
  return results;
}
