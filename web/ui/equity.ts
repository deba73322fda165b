import type { Answer } from '#api/contract/operation.ts';
import type { listEquity } from '#api/contract/trades.ts';

type EquityPoint = Answer<typeof listEquity>['points'][number];

/** Equity at one moment, and the equity of buy and hold in equal parts. */
interface EquityMark {
  readonly atMs: number;
  readonly worth: number;
  readonly holding: number;
}

/** Maximum cost of the positions of a profile: the reference of buy and hold. */
export const mostInvested = (points: readonly EquityPoint[]): number =>
  Math.max(...points.map(({ positionCost }) => Number(positionCost)), 0);

/** Points of several profiles as one curve that ends at the present equity; deposits are not separated. */
export function joinEquity(profiles: readonly (readonly EquityPoint[])[], worthNow: number): EquityMark[] {
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
  // Both lines start at one point: earlier P&L is part of the starting equity.
  return sums.map(({ atMs, net, held }) => ({ atMs, worth: start + net, holding: start + first + held }));
}

/** The marks at even times, as a plot needs them: at each time the newest mark until then. */
export function evenly(marks: readonly EquityMark[], most: number): EquityMark[] {
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined || first === last) return [...marks];
  const steps = Math.min(most, Math.round((last.atMs - first.atMs) / 60_000));
  let next = 0;
  return Array.from({ length: steps + 1 }, (_, step) => {
    const atMs = first.atMs + ((last.atMs - first.atMs) * step) / Math.max(1, steps);
    while ((marks[next + 1]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs) next += 1;
    return { ...(marks[next] ?? last), atMs };
  });
}
