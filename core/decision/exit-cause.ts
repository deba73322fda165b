/** Short names of sale reasons for lists and messages. The cause of a closed trade is one of them. */
export const EXIT_CAUSES: Readonly<Record<string, string>> = {
  'exit-stop-loss': 'stop loss',
  'exit-trail': 'trailing stop',
  'exit-trailing-stop': 'trailing stop',
  'exit-profit-trail': 'trailing stop in profit',
  'exit-break-even': 'break-even',
  'exit-take-profit': 'take profit',
  'exit-failed-stop': 'failed stop',
  'exit-rating': 'technical rating',
  'exit-regime': 'falling trend',
  'exit-time-stop': 'time stop',
  'exit-cross-down': 'averages crossed down',
  // Orders of earlier versions do not name the level of their stop.
  'exit-protective-stop': 'stop on the exchange',
  'plan-rebalance': 'rebalance',
  'plan-rotate-exit': 'left the basket',
  'manual-sell': 'by hand',
  'force-sell': 'by hand',
  'found-on-exchange': 'found on the exchange',
};

/** Name of a sale reason: `trailing stop` for `exit-trail`. A reason without a name is spelled out. */
export const exitCause = (reason: string): string =>
  EXIT_CAUSES[reason] ?? reason.replace(/^exit-/, '').replaceAll('-', ' ');
