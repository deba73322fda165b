import type { Answer } from '#api/contract/operation.ts';
import type { listEquity } from '#api/contract/trades.ts';

type EquityPoint = Answer<typeof listEquity>['points'][number];

/** Worth at one moment, and what it would be had the same money lain in the coins in equal parts. */
interface WorthMark {
  readonly atMs: number;
  readonly worth: number;
  readonly holding: number;
}

/** The most that a profile had in coins: the money that holding is compared with. */
export const mostInvested = (points: readonly EquityPoint[]): number =>
  Math.max(...points.map(({ positionCost }) => Number(positionCost)), 0);

/** Marks of several profiles as one curve that ends at what everything is worth now; deposits are not told apart. */
export function joinEquity(profiles: readonly (readonly EquityPoint[])[], worthNow: number): WorthMark[] {
  const times = [...new Set(profiles.flat().map(({ at }) => at))].toSorted();
  const next = profiles.map(() => 0);
  const sums = times.map((at) => {
    let [net, held] = [0, 0];
    for (const [i, points] of profiles.entries()) {
      while ((points[next[i] ?? 0]?.at ?? '~') <= at) next[i] = (next[i] ?? 0) + 1;
      const last = points[(next[i] ?? 0) - 1];
      if (last === undefined) continue;
      net += Number(last.net);
      held += mostInvested(points) * Number(last.holding ?? 0);
    }
    return { atMs: Date.parse(at), net, held };
  });
  const start = worthNow - (sums.at(-1)?.net ?? 0);
  const first = sums[0]?.net ?? 0;
  // Both lines begin at one point: what was earned before the first mark is in the starting worth.
  return sums.map(({ atMs, net, held }) => ({ atMs, worth: start + net, holding: start + first + held }));
}
