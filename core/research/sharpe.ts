/** Days of a year for yearly figures: coins trade on every day. */
export const DAYS_A_YEAR = 365;

function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Root of the sum of squared differences from the mean / (n - 1); null when it is 0 or not defined. */
export function sampleDeviation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const mean = sum(values) / values.length;
  const variance = sum(values.map((value) => (value - mean) * (value - mean))) / (values.length - 1);
  return variance === 0 ? null : Math.sqrt(variance);
}

/**
 * Sharpe = mean(r) / s(r) * sqrt(365), s with n - 1 (sample), the riskless rate taken as 0. Null for fewer than two days
 * or when the equity never moved.
 */
export function sharpe(returns: readonly number[]): number | null {
  const deviation = sampleDeviation(returns);
  return deviation === null ? null : (sum(returns) / returns.length / deviation) * Math.sqrt(DAYS_A_YEAR);
}
