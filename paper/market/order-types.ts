export type OrderSide = 'BUY' | 'SELL';

export const ORDER_TYPES = [
  'LIMIT',
  'MARKET',
  'LIMIT_MAKER',
  'STOP_LOSS',
  'STOP_LOSS_LIMIT',
  'TAKE_PROFIT',
  'TAKE_PROFIT_LIMIT',
] as const;

/** The result of a self-trade; the taker's mode decides. */
export const PREVENTION_MODES = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'] as const;

export type PreventionMode = (typeof PREVENTION_MODES)[number];
