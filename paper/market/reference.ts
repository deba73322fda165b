import {
  add,
  type Decimal,
  divide,
  floorToStep,
  fromSteps,
  multiply,
  ONE,
  requireDecimal,
  ZERO,
} from '#core/amount/decimal.ts';
import type { SymbolMarket } from './symbol-market.ts';

/** The exchange cuts counts at 4 decimals, sums at 12 and the price at 8. */
const [COUNT_STEP, SUM_STEP, PRICE_STEP] = [
  requireDecimal('0.0001'),
  requireDecimal('0.000000000001'),
  requireDecimal('0.00000001'),
];

/**
 * The coin's reference price and its time. Undefined if it has none; a price of null while there are no data for it.
 */
export function referenceOf(
  market: SymbolMarket,
  nowMs: number,
): { readonly price: Decimal | null; readonly atMs: number } | undefined {
  const rule = market.terms.reference;
  if (rule.kind === 'none') return undefined;
  return rule.kind === 'external' ? rule : { price: meanOf(market, rule, nowMs), atMs: nowMs };
}

/** The mean of the window's trades. The oldest bucket counts with the share that is inside the window. */
function meanOf(
  market: SymbolMarket,
  { bucketCount, bucketWidthMs }: { readonly bucketCount: number; readonly bucketWidthMs: number },
  nowMs: number,
): Decimal | null {
  const cutMs = nowMs - bucketCount * bucketWidthMs;
  let [count, sum] = [ZERO, ZERO];
  for (const bucket of market.means) {
    const insideMs = Math.min(bucketWidthMs, bucket.openMs + bucketWidthMs - cutMs);
    if (insideMs <= 0) continue;
    const whole = fromSteps(bucket.count, ONE);
    if (insideMs >= bucketWidthMs) {
      [count, sum] = [add(count, whole), add(sum, bucket.sum)];
      continue;
    }
    const share = divide(fromSteps(insideMs, ONE), fromSteps(bucketWidthMs, ONE));
    count = add(count, floorToStep(multiply(whole, share), COUNT_STEP));
    sum = add(sum, floorToStep(multiply(bucket.sum, share), SUM_STEP));
  }
  return count === ZERO ? null : floorToStep(divide(sum, count), PRICE_STEP);
}
