import { add, type Decimal } from '#core/amount/decimal.ts';
import type { Terms } from './terms.ts';

/** The trades of one time range: its start, their number, and the sum of their prices. */
export interface Bucket {
  readonly openMs: number;
  count: number;
  sum: Decimal;
}

/** Adds a trade to the moving mean. */
export function noteReference(
  { means, terms }: { readonly means: Bucket[]; readonly terms: Terms },
  price: Decimal,
  atMs: number,
): void {
  if (terms.reference.kind !== 'mean') return;
  const { bucketCount, bucketWidthMs } = terms.reference;
  const openMs = atMs - (atMs % bucketWidthMs);
  const last = means.at(-1);
  if (last?.openMs === openMs) [last.count, last.sum] = [last.count + 1, add(last.sum, price)];
  else means.push({ openMs, count: 1, sum: price });
  if (means.length > bucketCount + 1) means.shift();
}
