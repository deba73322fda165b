/** A rate in basis points as decimal text, e.g. 10 -> "0.00100000". */
export const rateText = (bps: number): string => (bps / 10_000).toFixed(8);
