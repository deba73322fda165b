import type { ReasonText } from '#core/decision/decision.ts';

export const REASONS = {
  'plan-not-due': {
    sentence: 'The plan for the candle that closed at {closed} is made; the next one follows.',
    thresholds: [],
  },
  'plan-data-missing': { sentence: 'No plan: {what} is missing for {symbols}.', thresholds: ['symbols', 'what'] },
  'plan-empty-basket': {
    sentence: 'No plan: nothing is held, and no fresh money is allowed or free.',
    thresholds: [],
  },
  'plan-within-drift': {
    sentence: 'Nothing to trade: {furthest} is off its share by {maxDrift}, trades start at {threshold} of {total}.',
    thresholds: ['furthest', 'threshold'],
  },
  'plan-dry': {
    sentence: 'Would make {legs} trades in a basket of {total}; trading is switched off.',
    thresholds: ['legs'],
  },
  'plan-unsettled': { sentence: 'Waiting: {open} trades of the plan are not over.', thresholds: ['open'] },
  'plan-rebalance': {
    sentence: 'Trading {symbol}: worth {value}, its share is {target}, off by {drift}.',
    thresholds: ['symbol', 'target'],
  },
  'plan-rotate-exit': { sentence: 'Selling all of {symbol}, worth {value}: it has no share.', thresholds: ['symbol'] },
  'entry-config-unreadable': {
    sentence: 'No plan: the stored setting {path} cannot be read; save the form again.',
    thresholds: ['path'],
  },
} as const satisfies Record<string, ReasonText>;
