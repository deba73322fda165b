import type { ReasonText } from '#core/decision/decision.ts';

export const REASONS = {
  'plan-not-due': {
    sentence: 'The plan for the candle that closed at {closed} is complete. The next plan follows at the next close.',
    thresholds: [],
  },
  'plan-data-missing': { sentence: 'No plan: {what} is missing for {symbols}.', thresholds: ['symbols', 'what'] },
  'plan-empty-basket': {
    sentence: 'No plan: there are no positions, and no cash is allowed or available.',
    thresholds: [],
  },
  'plan-within-drift': {
    sentence:
      'Nothing to trade: {furthest} differs from its share by {maxDrift}, trades start at {threshold} of {total}.',
    thresholds: ['furthest', 'threshold'],
  },
  'plan-dry': {
    sentence: 'Would make {legs} trades in a basket of {total}, but trading is switched off.',
    thresholds: ['legs'],
  },
  'plan-unsettled': { sentence: 'Waiting: {open} trades of the plan are not complete.', thresholds: ['open'] },
  'plan-rebalance': {
    sentence: 'Trading {symbol}: its value is {value}, its target {target}, the difference {drift}.',
    thresholds: ['symbol', 'target'],
  },
  'plan-rotate-exit': { sentence: 'Selling all of {symbol} (value {value}): it has no share.', thresholds: ['symbol'] },
  'entry-config-unreadable': {
    sentence: 'No plan: the stored setting {path} is unreadable. Save the form again.',
    thresholds: ['path'],
  },
} as const satisfies Record<string, ReasonText>;
