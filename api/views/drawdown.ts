/** Net P&L of one profile at one moment, in quote units. */
interface NetPoint {
  readonly atMs: number;
  readonly net: number;
}

/** `share` is 0 or negative: -0.04 for a fall of 4 % below an earlier high. */
export interface Drawdown {
  readonly share: number;
  readonly sinceMs: number;
  /** The newest point is the high. */
  readonly isAtHigh: boolean;
}

/**
 * The largest fall of the equity of several profiles together, whose points are in order of time. Deposits are not
 * separated: all points assume the capital of now, `equity` less the present P&L. Undefined without two points.
 */
export function maxDrawdown(profiles: readonly (readonly NetPoint[])[], equity: number): Drawdown | undefined {
  const times = [...new Set(profiles.flat().map(({ atMs }) => atMs))].toSorted((a, b) => a - b);
  const next = profiles.map(() => 0);
  const sums = times.map((atMs) =>
    profiles.reduce((sum, points, i) => {
      while ((points[next[i] ?? 0]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs) next[i] = (next[i] ?? 0) + 1;
      return sum + (points[(next[i] ?? 0) - 1]?.net ?? 0);
    }, 0),
  );
  const [firstMs] = times;
  const last = sums.at(-1);
  if (firstMs === undefined || last === undefined || sums.length < 2) return undefined;
  const capital = equity - last;
  let [high, share] = [Number.NEGATIVE_INFINITY, 0];
  for (const sum of sums) {
    high = Math.max(high, capital + sum);
    if (high > 0) share = Math.min(share, (capital + sum) / high - 1);
  }
  return { share, sinceMs: firstMs, isAtHigh: capital + last >= high };
}
