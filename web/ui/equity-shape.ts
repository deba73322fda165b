/** A point of a plot; a smaller y is higher on the screen. */
export type Point = readonly [x: number, y: number];

/** Where two lines cross between two of their points. `from` and `to` are the distances there, of opposite signs. */
function crossing([x0, y0]: Point, [x1, y1]: Point, [from, to]: readonly [number, number]): Point {
  const part = from / (from - to);
  return [x0 + (x1 - x0) * part, y0 + (y1 - y0) * part];
}

interface Areas {
  /** Closed outlines where `fact` is above `held`. */
  readonly above: readonly (readonly Point[])[];
  readonly below: readonly (readonly Point[])[];
}

/** The areas between two lines with the same x values, one outline from crossing to crossing. */
export function areasBetween(fact: readonly Point[], held: readonly Point[]): Areas {
  const areas: { above: Point[][]; below: Point[][] } = { above: [], below: [] };
  if (fact.length !== held.length) return areas;
  let [top, bottom]: [Point[], Point[]] = [[], []];
  let side = 0;
  const close = (at?: Point): void => {
    const outline = [...top, ...(at === undefined ? [] : [at]), ...bottom.toReversed()];
    if (side !== 0) areas[side < 0 ? 'above' : 'below'].push(outline);
    [top, bottom, side] = [[], [], 0];
  };
  let last: { fact: Point; held: Point } | undefined;
  for (const [i, point] of fact.entries()) {
    const other = held[i] ?? point;
    const distance = Math.sign(point[1] - other[1]);
    if (distance !== side && last !== undefined) {
      const distances = [last.fact[1] - last.held[1], point[1] - other[1]] as const;
      const meets = distances[1] === 0 ? point : crossing(last.fact, point, distances);
      if (side !== 0) close(meets);
      if (distance !== 0) [top, bottom] = [[meets], []];
    }
    side = distance;
    if (side !== 0) {
      top.push(point);
      bottom.push(other);
    }
    last = { fact: point, held: other };
  }
  close();
  return areas;
}

/** The least share of its largest value that a scale spans: a smaller move must not look like a large one. */
const LEAST_SHARE = 0.001;

/** The scale of a plot: from the lowest to the highest value. Values that hardly move are in the middle of 0.1 %. */
export function rangeOf(values: readonly number[]): { readonly low: number; readonly high: number } {
  if (values.length === 0) return { low: 0, high: 0 };
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const missing = Math.max(0, Math.max(Math.abs(low), Math.abs(high)) * LEAST_SHARE - (high - low)) / 2;
  return { low: low - missing, high: high + missing };
}

const MOST_PLACES = 8;

/** The fewest decimals, at least `least`, with which values that differ have labels that differ. */
export function labelPlaces(values: readonly number[], least = 0): number {
  const different = new Set(values.map((value) => value.toFixed(MOST_PLACES))).size;
  for (let places = least; places < MOST_PLACES; places++)
    if (new Set(values.map((value) => value.toFixed(places))).size === different) return places;
  return MOST_PLACES;
}
