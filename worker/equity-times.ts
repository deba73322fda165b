const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Interval of the points: first on the first day of a curve, then later. */
const [FIRST_MS, LATER_MS] = [MINUTE_MS, 15 * MINUTE_MS];

/** The times of the first and the newest point of a profile. */
interface EquitySpan {
  readonly first: Date;
  readonly last: Date;
}

/**
 * The time of the next point at market time `nowMs`; undefined when none is due. Points are on full minutes of the first day
 * of a curve and on full quarters of an hour after that. A market whose time went back starts again.
 */
export function dueAt(nowMs: number, span: EquitySpan | undefined): Date | undefined {
  if (span === undefined) return new Date(floorTo(nowMs, FIRST_MS));
  const [firstMs, lastMs] = [span.first.getTime(), span.last.getTime()];
  const stepMs = nowMs >= firstMs && nowMs - firstMs < DAY_MS ? FIRST_MS : LATER_MS;
  const atMs = floorTo(nowMs, stepMs);
  return atMs === floorTo(lastMs, stepMs) || (atMs < lastMs && atMs >= firstMs) ? undefined : new Date(atMs);
}

const floorTo = (ms: number, stepMs: number): number => ms - (ms % stepMs);
