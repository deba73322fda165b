/** Prices of one coin on one scale from 0 to 100, lossy: it only draws. */
export interface RailScale {
  readonly at: (price: number) => number;
  /** Ticks: 1 % of the reference each, a longer one every 5 %. */
  readonly marks: readonly { readonly at: number; readonly long: boolean }[];
}

/** Two labels in the order of their prices: the lower price is on the left of a rail. */
export const inOrder = <Label extends { readonly price: string }>(labels: readonly Label[]): Label[] =>
  labels.toSorted((one, other) => Number(one.price) - Number(other.price));

const MARGIN = 0.08;
const MOST_MARKS = 60;

/** The prices of a rail: left end, width, and the reference of a percent. */
interface PriceSpan {
  readonly from: number;
  readonly width: number;
  readonly reference: number;
}

/** `reference` is the average price, or the price without a position; `undefined` when nothing can be drawn. */
export function railScale(prices: readonly number[], reference: number): RailScale | undefined {
  const known = prices.filter((price) => Number.isFinite(price) && price > 0);
  if (known.length === 0 || !(reference > 0)) return undefined;
  const low = Math.min(...known);
  const high = Math.max(...known);
  const span = Math.max(high - low, reference * 0.01);
  const from = (low + high) / 2 - span * (0.5 + MARGIN);
  const width = span * (1 + 2 * MARGIN);
  const at = (price: number): number => Math.min(100, Math.max(0, ((price - from) / width) * 100));
  return { at, marks: marksOf({ from, width, reference }, at) };
}

function marksOf({ from, width, reference }: PriceSpan, at: RailScale['at']): RailScale['marks'] {
  const percent = reference / 100;
  const step = width / percent > MOST_MARKS ? 5 : 1;
  const first = Math.ceil((from - reference) / percent / step) * step;
  const last = Math.floor((from + width - reference) / percent);
  const marks: { at: number; long: boolean }[] = [];
  for (let n = first; n <= last && marks.length < MOST_MARKS; n += step) {
    marks.push({ at: at(reference + n * percent), long: n % 5 === 0 });
  }
  return marks;
}
