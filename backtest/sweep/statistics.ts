/** Daily returns of one evaluated parameter set. */
export type Returns = ArrayLike<number>;

/** Of one day, of the population: `kurtosis` is 3 for a normal distribution. */
export interface Moments {
  readonly count: number;
  readonly sharpe: number;
  readonly skew: number;
  readonly kurtosis: number;
}

function mean(values: Returns): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i] ?? 0;
  return sum / Math.max(1, values.length);
}
function variance(values: Returns, centre: number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    const away = (values[i] ?? 0) - centre;
    sum += away * away;
  }
  return sum / Math.max(1, values.length);
}
function central(values: Returns, centre: number, power: number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += ((values[i] ?? 0) - centre) ** power;
  return sum / Math.max(1, values.length);
}

/** Mean and deviation of one day, of the population; null for fewer than three days or when the returns never moved. */
function spreadOf(returns: Returns): { readonly centre: number; readonly deviation: number } | null {
  const centre = mean(returns);
  const deviation = Math.sqrt(variance(returns, centre));
  return returns.length < 3 || deviation === 0 ? null : { centre, deviation };
}

/** Sharpe ratio of one day; null for fewer than three days or when the returns never moved. */
export function dailySharpe(returns: Returns): number | null {
  const spread = spreadOf(returns);
  return spread === null ? null : spread.centre / spread.deviation;
}

/** Sharpe ratio of one day, skewness and kurtosis, all of the population. */
export function momentsOf(returns: Returns): Moments | null {
  const spread = spreadOf(returns);
  if (spread === null) return null;
  const { centre, deviation } = spread;
  return {
    count: returns.length,
    sharpe: centre / deviation,
    skew: central(returns, centre, 3) / deviation ** 3,
    kurtosis: central(returns, centre, 4) / deviation ** 4,
  };
}

/** Deviation of some numbers, of the population. */
export const deviationOf = (values: Returns): number => Math.sqrt(variance(values, mean(values)));

/** The distinct series, in their order. */
export function distinctSeries(all: readonly Returns[]): Returns[] {
  const known = new Map<number, Returns[]>();
  return all.filter((returns) => {
    const key = mean(returns);
    const alike = known.get(key);
    if (alike === undefined) known.set(key, [returns]);
    else if (alike.some((other) => isEqual(other, returns))) return false;
    else alike.push(returns);
    return true;
  });
}

function isEqual(a: Returns, b: Returns): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Standard normal distribution function: Abramowitz and Stegun 26.2.17, error below 1e-7. */
export function normalBelow(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return z >= 0 ? 1 - tail : tail;
}

/** Inverse of normalBelow by bisection; `share` between 0 and 1. */
export function normalAt(share: number): number {
  let [low, high] = [-10, 10];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normalBelow(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

const EULER = 0.5772156649015329;

/**
 * The Sharpe ratio that the best of `trials` tries without skill is expected to have (Bailey and Lopez de Prado, 2014):
 * SR0 = s(SR) * ((1 - e) * Z^-1(1 - 1/N) + e * Z^-1(1 - 1/(N * exp 1))), e = 0.5772; `spread` is s(SR), the deviation of
 * the Sharpe ratios of the trials.
 */
export const expectedBest = (spread: number, trials: number): number =>
  trials < 2 ? 0 : spread * ((1 - EULER) * normalAt(1 - 1 / trials) + EULER * normalAt(1 - 1 / (trials * Math.E)));

/** 30 days of a normal distribution, whose kurtosis is 3. */
const LEAST_DAYS_A_KURTOSIS = 10;
const ROUNDING = 1e-9;

/**
 * (T - 1) * the variance of an estimated Sharpe ratio (Mertens, 2002): 1 - skew * SR + (kurtosis - 1) / 4 * SR^2. Null
 * outside its domain. It is valid for many days. A few extreme days raise the kurtosis and the number of days needed.
 */
function varianceOfSharpe({ count, sharpe, skew, kurtosis }: Moments): number | null {
  const value = 1 - skew * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe;
  return value > ROUNDING && count >= LEAST_DAYS_A_KURTOSIS * kurtosis ? value : null;
}

/**
 * Deflated Sharpe ratio (Bailey and Lopez de Prado, 2014): the probability that the true Sharpe ratio is above `expected`,
 * the one that luck alone would give: Z((SR - SR0) * sqrt(T - 1) / sqrt(1 - skew * SR + (kurtosis - 1) / 4 * SR^2)).
 * Null outside the domain of the formula.
 */
export function deflatedSharpe(moments: Moments, expected: number): number | null {
  const width = varianceOfSharpe(moments);
  return width === null
    ? null
    : normalBelow(((moments.sharpe - expected) * Math.sqrt(moments.count - 1)) / Math.sqrt(width));
}

/** Confidence of the minimum track record length. */
const CONFIDENCE = 0.95;

/**
 * Minimum track record length (Bailey and Lopez de Prado, 2012): the days after which a Sharpe ratio is above zero with
 * 95 % confidence: 1 + (1 - skew * SR + (kurtosis - 1) / 4 * SR^2) * (Z^-1(0.95) / SR)^2. Infinite for a ratio of zero or
 * less, null outside the domain of the formula.
 */
export function minimumTrackRecord(moments: Moments): number | null {
  const width = varianceOfSharpe(moments);
  if (width === null) return null;
  return moments.sharpe <= 0 ? Number.POSITIVE_INFINITY : 1 + width * (normalAt(CONFIDENCE) / moments.sharpe) ** 2;
}

/** Half of them are chosen: `sharpesOn` adds up five. */
const PARTS = 10;
const at = (values: Float64Array, place: number): number => values[place] ?? 0;
const allParts = Array.from({ length: PARTS }, (_, part) => part);
/** More sets are sampled evenly. */
const MOST_COMPARED = 1000;

/** Sums and sums of squares of each set over each part of the days. Layout: part by part, sets next to each other. */
interface PartSums {
  readonly sums: Float64Array;
  readonly squares: Float64Array;
  readonly count: number;
  /** Number of days in five parts. */
  readonly days: number;
}

function partSums(sets: readonly Returns[], length: number): PartSums {
  const count = sets.length;
  const sums = new Float64Array(count * PARTS);
  const squares = new Float64Array(count * PARTS);
  for (const [set, returns] of sets.entries()) {
    for (const part of allParts) {
      let [sum, square] = [0, 0];
      for (let day = part * length; day < (part + 1) * length; day++) {
        const value = returns[day] ?? 0;
        sum += value;
        square += value * value;
      }
      sums[part * count + set] = sum;
      squares[part * count + set] = square;
    }
  }
  return { sums, squares, count, days: (length * PARTS) / 2 };
}

/** The Sharpe ratio of each set on five parts of the days. */
function sharpesOn({ sums, squares, count, days }: PartSums, parts: readonly number[]): Float64Array {
  const [a = 0, b = 0, c = 0, d = 0, e = 0] = parts.map((part) => part * count);
  const sharpes = new Float64Array(count);
  for (let set = 0; set < count; set++) {
    const sum = at(sums, a + set) + at(sums, b + set) + at(sums, c + set) + at(sums, d + set) + at(sums, e + set);
    const square =
      at(squares, a + set) + at(squares, b + set) + at(squares, c + set) + at(squares, d + set) + at(squares, e + set);
    const centre = sum / days;
    const spread = square / days - centre * centre;
    sharpes[set] = spread <= 1e-18 ? 0 : centre / Math.sqrt(spread);
  }
  return sharpes;
}

/** Whether the best set of one half of the days is in the lower half of all sets on the other. */
function failsLater(past: Float64Array, later: Float64Array): boolean {
  let best = 0;
  for (let set = 1; set < past.length; set++) if (at(past, set) > at(past, best)) best = set;
  const own = at(later, best);
  let below = 0;
  for (let set = 0; set < later.length; set++) {
    const value = at(later, set);
    below += value < own ? 1 : value === own ? 0.5 : 0;
  }
  return below <= later.length / 2;
}

/**
 * Probability of backtest overfitting by combinatorially symmetric cross-validation (Bailey et al., 2015). The days are cut
 * into ten parts. For each choice of five, the best set on these is ranked on the other five. The result is the share of
 * choices in which it ends in the lower half. Null for fewer than two sets or twenty days.
 */
export function overfitting(all: readonly Returns[]): number | null {
  const every = Math.max(1, Math.ceil(all.length / MOST_COMPARED));
  const sets = all.filter((_returns, i) => i % every === 0);
  const length = Math.floor((sets[0]?.length ?? 0) / PARTS);
  if (sets.length < 2 || length < 2) return null;
  const table = partSums(sets, length);
  let [choices, failed] = [0, 0];
  // Choices come in complementary pairs. Those without the last part cover each pair once.
  for (let mask = 0; mask < 1 << (PARTS - 1); mask++) {
    const chosen = allParts.filter((part) => mask & (1 << part));
    const left = allParts.filter((part) => !chosen.includes(part));
    if (chosen.length !== left.length) continue;
    const [one, other] = [sharpesOn(table, chosen), sharpesOn(table, left)];
    choices += 2;
    failed += Number(failsLater(one, other)) + Number(failsLater(other, one));
  }
  return failed / choices;
}
