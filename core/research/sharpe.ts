/** Days of a year for yearly figures: coins trade on every day. */
export const DAYS_A_YEAR = 365;

export type Numbers = readonly number[] | Float64Array;

export function sum(values: Numbers): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i] ?? 0;
  return total;
}

/** Root of the sum of squared differences from the mean / (n - 1); null when it is 0 or not defined. */
export function sampleDeviation(values: Numbers): number | null {
  if (values.length < 2) return null;
  const mean = sum(values) / values.length;
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += ((values[i] ?? 0) - mean) * ((values[i] ?? 0) - mean);
  return squares === 0 ? null : Math.sqrt(squares / (values.length - 1));
}

/**
 * Sharpe = mean(r) / s(r) * sqrt(365), s with n - 1 (sample), the riskless rate taken as 0. Null for fewer than two days
 * or when the equity never moved.
 */
export function sharpe(returns: readonly number[]): number | null {
  const deviation = sampleDeviation(returns);
  return deviation === null ? null : (sum(returns) / returns.length / deviation) * Math.sqrt(DAYS_A_YEAR);
}
