/** Rows per chunk, and chunks per wide chunk. Each holds its highest and lowest value. */
export const SHIFT = 4;
export const CHUNK = 1 << SHIFT;
export const WIDE_SHIFT = 2 * SHIFT;
const WIDE = 1 << WIDE_SHIFT;

type Numbers = Float64Array | Int32Array;

/** A column with the highest and lowest value of each chunk, so that a long span needs no scan. */
export interface Extremes {
  readonly values: Numbers;
  readonly most: Numbers;
  readonly least: Numbers;
  readonly wideMost: Numbers;
  readonly wideLeast: Numbers;
}

export function extremesOf<T extends Numbers>(values: T): Extremes {
  const empty = (rows: number): Numbers =>
    values instanceof Int32Array ? new Int32Array(rows) : new Float64Array(rows);
  const fold = ([high, low]: readonly [Numbers, Numbers]): [Numbers, Numbers] => {
    const chunks = Math.ceil(high.length / CHUNK);
    const [most, least] = [empty(chunks), empty(chunks)];
    for (let chunk = 0; chunk < chunks; chunk++) {
      const last = Math.min(high.length, (chunk + 1) * CHUNK);
      let up = high[chunk * CHUNK] ?? 0;
      let down = low[chunk * CHUNK] ?? 0;
      for (let at = chunk * CHUNK + 1; at < last; at++) {
        if ((high[at] ?? 0) > up) up = high[at] ?? 0;
        if ((low[at] ?? 0) < down) down = low[at] ?? 0;
      }
      most[chunk] = up;
      least[chunk] = down;
    }
    return [most, least];
  };
  const [most, least] = fold([values, values]);
  const [wideMost, wideLeast] = fold([most, least]);
  return { values, most, least, wideMost, wideLeast };
}

/** The result of `boundsOf`. One object is reused. */
interface Span {
  most: number;
  least: number;
}
const found: Span = { most: 0, least: 0 };

/** Highest and lowest value of all chunks that touch rows `from` to `to`. The bounds may be wider than the span. */
export function boundsOf({ most, least, wideMost, wideLeast }: Extremes, from: number, to: number): Span {
  const wide = to - from > 2 * WIDE;
  const shift = wide ? WIDE_SHIFT : SHIFT;
  const highs = wide ? wideMost : most;
  const lows = wide ? wideLeast : least;
  const last = (to - 1) >> shift;
  let up = Number.NEGATIVE_INFINITY;
  let down = Number.POSITIVE_INFINITY;
  for (let chunk = from >> shift; chunk <= last; chunk++) {
    const high = highs[chunk] ?? 0;
    const low = lows[chunk] ?? 0;
    if (high > up) up = high;
    if (low < down) down = low;
  }
  found.most = up;
  found.least = down;
  return found;
}

/** The first row from `from` on with a value below `limit`; `to` when there is none. */
export function firstBelow({ values, least, wideLeast }: Extremes, limit: number, { from, to }: Rows): number {
  if (limit === Number.NEGATIVE_INFINITY) return to;
  for (let at = from; at < to; ) {
    if ((at & (WIDE - 1)) === 0 && (wideLeast[at >> WIDE_SHIFT] ?? 0) >= limit) at += WIDE;
    else if ((at & (CHUNK - 1)) === 0 && (least[at >> SHIFT] ?? 0) >= limit) at += CHUNK;
    else if ((values[at] ?? 0) < limit) return at;
    else at += 1;
  }
  return to;
}

interface Rows {
  readonly from: number;
  readonly to: number;
}
