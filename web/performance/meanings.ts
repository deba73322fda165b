/* Hover texts: docs/operator/performance.md in one sentence each. */

export const MEANINGS = {
  pnl: 'Realised P&L of the period plus the change of the unrealised P&L, net of all fees.',
  sharpe:
    'Mean return of a day / standard deviation of the returns of the days × √365. Not shown below 30 closed trades.',
  profitFactor: 'Sum of the profits of closed trades / sum of their losses. Not shown below 30 closed trades.',
  winRate: 'Closed trades with a profit / closed trades. Not shown below 30 closed trades.',
  drawdown: 'The largest fall from the highest point of the curve; deposits and withdrawals are taken out.',
  fees: 'Fees paid in the period, valued when they were paid. They are part of the net P&L.',
  exposure: 'Share of the equity that was invested at cost, averaged over time.',
  timeInMarket: 'Share of the time with at least one open trade.',
  capitalUsed: 'The most that all positions cost together at one moment.',
  returnOnCapital: 'Net P&L / capital used.',
  holding: 'The capital used, spent in equal parts on the coins at the start of the period.',
  medianHeld: 'Half of the closed trades were held longer, half shorter.',
} as const;
