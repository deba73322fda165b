import { RECOMPUTE_EVERY } from '#core/indicators/sma.ts';

/** Signals per block of all vector runs, so that averages of many periods stay in the cache. */
export const BLOCK = 2048;

/** One moving average over the signals from `first` on, a block at a time; slot 0 holds the value before the block. */
export interface Column {
  readonly values: Float64Array;
  fill(closes: Float64Array, from: number, to: number): void;
}

/** The exponential average of core/indicators/ema.ts, bit for bit, without a call for each value. */
export interface Ema extends Column {
  readonly weight: number;
  /** The seed is complete. From here on four averages are computed in one loop. */
  seeded: boolean;
}

export function emaColumn(length: number, first: number): Ema {
  const values = new Float64Array(BLOCK + 1);
  const weight = 2 / (length + 1);
  let [count, sum] = [0, 0];
  const column: Ema = {
    values,
    weight,
    seeded: false,
    fill(closes, from, to) {
      let value = values[BLOCK] ?? 0;
      values[0] = value;
      for (let k = Math.max(from, first); k < to; k++) {
        const close = closes[k] ?? 0;
        if (count === length) value += weight * (close - value);
        else {
          count += 1;
          sum += close;
          if (count === length) value = sum / length;
        }
        values[k - from + 1] = value;
      }
      column.seeded = count === length;
    },
  };
  return column;
}

/** Each value depends on the one before it, so four averages in one loop take hardly longer than one. Slots may repeat. */
function fillFour(
  [a, b, c, d]: readonly [Ema, Ema, Ema, Ema],
  closes: Float64Array,
  { from, to }: { from: number; to: number },
): void {
  const [av, bv, cv, dv] = [a.values, b.values, c.values, d.values];
  const [aw, bw, cw, dw] = [a.weight, b.weight, c.weight, d.weight];
  let [x, y, z, w] = [av[BLOCK] ?? 0, bv[BLOCK] ?? 0, cv[BLOCK] ?? 0, dv[BLOCK] ?? 0];
  av[0] = x;
  bv[0] = y;
  cv[0] = z;
  dv[0] = w;
  for (let k = from; k < to; k++) {
    const close = closes[k] ?? 0;
    const slot = k - from + 1;
    x += aw * (close - x);
    y += bw * (close - y);
    z += cw * (close - z);
    w += dw * (close - w);
    av[slot] = x;
    bv[slot] = y;
    cv[slot] = z;
    dv[slot] = w;
  }
}

/** Computes one block of exponential averages, those with a complete seed four at a time. */
export function fillEmas(emas: readonly Ema[], closes: Float64Array, range: { from: number; to: number }): void {
  const seeded: Ema[] = [];
  for (const ema of emas) {
    if (ema.seeded) seeded.push(ema);
    else ema.fill(closes, range.from, range.to);
  }
  for (let i = 0; i < seeded.length; i += 4) {
    const [a, b = a, c = a, d = a] = seeded.slice(i, i + 4);
    if (a && b && c && d) fillFour([a, b, c, d], closes, range);
  }
}

/** The simple average of core/indicators/sma.ts, bit for bit. Leaving values are read from the candles. */
export function smaColumn(length: number, first: number): Column {
  const values = new Float64Array(BLOCK + 1);
  let sum = 0;
  /** The sum up to signal `k` in the order of the ring buffer: value i is in slot i mod `length`. */
  const addedUp = (closes: Float64Array, k: number): number => {
    const begin = k - ((k - first) % length);
    let total = 0;
    for (let at = begin; at <= k; at++) total += closes[at] ?? 0;
    for (let at = Math.max(k + 1 - length, first); at < begin; at++) total += closes[at] ?? 0;
    return total;
  };
  /** One signal: while the ring buffer fills, and when the sum is recomputed. */
  const step = (closes: Float64Array, k: number, running: number): number => {
    const count = k - first + 1;
    if (count % RECOMPUTE_EVERY === 0) return addedUp(closes, k);
    return running + ((closes[k] ?? 0) - (count > length ? (closes[k - length] ?? 0) : 0));
  };
  return {
    values,
    fill(closes, from, to) {
      let running = sum;
      let k = Math.max(from, first);
      while (k < to) {
        running = step(closes, k, running);
        const count = k - first + 1;
        values[k - from + 1] = count < length ? Number.NaN : running / length;
        k += 1;
        if (count < length) continue;
        // No check is needed until the next signal at which the sum is recomputed.
        const end = Math.min(to, k - 1 + RECOMPUTE_EVERY - (count % RECOMPUTE_EVERY));
        for (; k < end; k++) {
          running += (closes[k] ?? 0) - (closes[k - length] ?? 0);
          values[k - from + 1] = running / length;
        }
      }
      sum = running;
    },
  };
}
