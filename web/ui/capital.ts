interface Words {
  readonly words: string;
  /** Shown on hover. */
  readonly note: string;
}

/** Metrics about the money that a run used. */
export const CAPITAL = {
  used: {
    words: 'Capital used',
    note: 'Maximum money in use at any moment: cost of positions plus money locked by open buys.',
  },
  returnOnUsed: { words: 'Return on capital used', note: 'Profit or loss, divided by the capital used.' },
  exposure: { words: 'Time in the market', note: 'Share of the candles at whose close a position was held.' },
  meanExposure: {
    words: 'Mean exposure',
    note: 'Share of the equity that was in the coin, on average over all candles.',
  },
  equalExposure: {
    words: 'Equal exposure',
    note: 'Return of holding the mean exposure all the time, rebalanced every day. Fee and slippage are paid once, at the start.',
  },
  alpha: { words: 'Alpha (vs. equal exposure)', note: 'Return of the run less that of equal exposure.' },
} as const satisfies Readonly<Record<string, Words>>;
