/** Daily returns of one evaluated parameter set. */
export type Returns = ArrayLike<number>;

interface Moments {
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
function central(values: Returns, centre: number, power: number): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += ((values[i] ?? 0) - centre) ** power;
  return sum / Math.max(1, values.length);
}

/** Mean and deviation of one day, of the population; null for fewer than three days or when the returns never moved. */
function spreadOf(returns: Returns): { readonly centre: number; readonly deviation: number } | null {
  const centre = mean(returns);
  const deviation = Math.sqrt(central(returns, centre, 2));
  return returns.length < 3 || deviation === 0 ? null : { centre, deviation };
}

/** Sharpe ratio of one day, skewness and kurtosis (3 for a normal distribution), all of the population. */
function momentsOf(returns: Returns): Moments | null {
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

/** Standard normal distribution function: Abramowitz and Stegun 26.2.17, error below 1e-7. */
export function normalBelow(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return z >= 0 ? 1 - tail : tail;
}

/** Inverse of normalBelow by halving; `share` between 0 and 1. */
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
 * Deflated Sharpe ratio (Bailey and Lopez de Prado, 2014): the probability that the best of `trials` tries has a true
 * Sharpe ratio above zero, given how high the best of as many tries without skill would be:
 * SR0 = s(SR) * ((1 - e) * Z^-1(1 - 1/N) + e * Z^-1(1 - 1/(N * exp 1))), e = 0.5772;
 * DSR = Z((SR - SR0) * sqrt(T - 1) / sqrt(1 - skew * SR + (kurtosis - 1) / 4 * SR^2)).
 * Null when the returns never moved. `trials` counts every set ever evaluated, not only those at hand.
 */
export function deflatedSharpe(best: Returns, all: readonly Returns[], trials: number): number | null {
  const moments = momentsOf(best);
  if (moments === null) return null;
  const sharpes = all.flatMap((returns) => {
    const one = spreadOf(returns);
    return one === null ? [] : [one.centre / one.deviation];
  });
  const spread = Math.sqrt(central(sharpes, mean(sharpes), 2));
  const count = Math.max(trials, sharpes.length, 1);
  const luck =
    count < 2 ? 0 : spread * ((1 - EULER) * normalAt(1 - 1 / count) + EULER * normalAt(1 - 1 / (count * Math.E)));
  const { sharpe, skew, kurtosis, count: days } = moments;
  const width = Math.sqrt(Math.max(1e-12, 1 - skew * sharpe + ((kurtosis - 1) / 4) * sharpe * sharpe));
  return normalBelow(((sharpe - luck) * Math.sqrt(days - 1)) / width);
}

const PARTS = 10;
const allParts = Array.from({ length: PARTS }, (_, part) => part);
/** More sets are thinned out evenly. */
const MOST_COMPARED = 1000;

/** Sums and sums of squares of each set over each part of the days: part by part, the sets side by side. */
function partSums(sets: readonly Returns[], length: number): { sums: Float64Array; squares: Float64Array } {
  const sums = new Float64Array(sets.length * PARTS);
  const squares = new Float64Array(sets.length * PARTS);
  for (const [set, returns] of sets.entries()) {
    for (const part of allParts) {
      let [sum, square] = [0, 0];
      for (let day = part * length; day < (part + 1) * length; day++) {
        const value = returns[day] ?? 0;
        sum += value;
        square += value * value;
      }
      sums[part * sets.length + set] = sum;
      squares[part * sets.length + set] = square;
    }
  }
  return { sums, squares };
}

/**
 * Probability of backtest overfitting by combinatorially symmetric cross-validation (Bailey et al., 2015): the days are
 * cut into ten parts; for each choice of five the best set on these is looked up among all sets on the other five. The
 * share of choices in which it ends in the lower half. Null for fewer than two sets or twenty days.
 */
export function overfitting(all: readonly Returns[]): number | null {
  const every = Math.max(1, Math.ceil(all.length / MOST_COMPARED));
  const sets = all.filter((_returns, i) => i % every === 0);
  const length = Math.floor((sets[0]?.length ?? 0) / PARTS);
  if (sets.length < 2 || length < 2) return null;
  const { sums, squares } = partSums(sets, length);
  const days = (length * PARTS) / 2;
  const count = sets.length;
  const sharpesOn = (parts: readonly number[]): Float64Array => {
    const sharpes = new Float64Array(count);
    const square = new Float64Array(count);
    for (const part of parts) {
      for (let set = 0; set < count; set++) {
        sharpes[set] = (sharpes[set] ?? 0) + (sums[part * count + set] ?? 0);
        square[set] = (square[set] ?? 0) + (squares[part * count + set] ?? 0);
      }
    }
    for (let set = 0; set < count; set++) {
      const mean = (sharpes[set] ?? 0) / days;
      const variance = (square[set] ?? 0) / days - mean ** 2;
      sharpes[set] = variance <= 1e-18 ? 0 : mean / Math.sqrt(variance);
    }
    return sharpes;
  };
  let [choices, failed] = [0, 0];
  const judge = (trained: Float64Array, tested: Float64Array): void => {
    let best = 0;
    for (let set = 1; set < count; set++) if ((trained[set] ?? 0) > (trained[best] ?? 0)) best = set;
    const own = tested[best] ?? 0;
    let below = 0;
    for (let set = 0; set < count; set++) {
      const value = tested[set] ?? 0;
      below += value < own ? 1 : value === own ? 0.5 : 0;
    }
    choices += 1;
    if (below <= tested.length / 2) failed += 1;
  };
  // What one choice leaves is the other choice of a pair: those without the last part stand for all.
  for (let mask = 0; mask < 1 << (PARTS - 1); mask++) {
    const chosen = allParts.filter((part) => mask & (1 << part));
    const left = allParts.filter((part) => !chosen.includes(part));
    if (chosen.length !== left.length) continue;
    const [one, other] = [sharpesOn(chosen), sharpesOn(left)];
    judge(one, other);
    judge(other, one);
  }
  return failed / choices;
}
