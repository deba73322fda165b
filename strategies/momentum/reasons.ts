import type { ReasonText } from '#core/decision/decision.ts';
import { answersOf } from '#strategies/answers.ts';
import { CONDITION_GONE, TIMEOUT, WAITING_REASONS } from '#strategies/execution.ts';

const SOLD_AT = ['threshold'] as const;

export const REASONS = {
  'hold-above-stop': {
    sentence: 'Holding: sells at {stop}, {away} below the price; highest close {high}.',
    thresholds: ['stop', 'high'],
  },
  'hold-sell-disabled': { sentence: 'Holding: selling is switched off.', thresholds: [] },
  'hold-exit-order-open': { sentence: 'An exit order is in flight.', thresholds: [] },
  'exit-trailing-stop': {
    sentence: 'Selling: {price} reached the trailing stop at {threshold}.',
    thresholds: SOLD_AT,
  },
  'exit-profit-trail': {
    sentence: 'Selling: {price} reached the tighter stop in profit at {threshold}.',
    thresholds: SOLD_AT,
  },
  'exit-cross-down': {
    sentence: 'Selling: the fast average crossed below the slow one; now fast {fast}, slow {slow}.',
    thresholds: [],
  },
  'exit-regime': { sentence: 'Selling at {price}: the daily trend has turned down.', thresholds: [] },
  'entry-disabled': { sentence: 'Buying is switched off.', thresholds: [] },
  'entry-config-unreadable': {
    sentence: 'Not buying: the stored setting {path} is unreadable. Save the form again.',
    thresholds: ['path'],
  },
  ...WAITING_REASONS,
  'entry-history-short': { sentence: 'Waiting for candles: {have} of {need}.', thresholds: ['need'] },
  'entry-no-cross': {
    sentence: 'Waiting for the fast average to cross above the slow one: fast {fast} is {gap} slow {slow}.',
    thresholds: [],
  },
  'entry-already-this-candle': {
    sentence: 'Waiting for the next candle: there was a fill since the last one closed.',
    thresholds: [],
  },
  'entry-below-trend': {
    sentence: 'Not buying: the last close {close} is not above the trend average {ma}.',
    thresholds: [],
  },
  'entry-trend-not-rising': {
    sentence: 'Not buying: the trend average {ma} is not above the {maBefore} of {slopeBars} candles ago.',
    thresholds: ['slopeBars'],
  },
  'entry-overextended': {
    sentence: 'Not buying: {price} is above {limit}, too far above the reference average {sma}.',
    thresholds: [],
  },
  'entry-cross-up': {
    sentence: 'Buying at {price}: the fast average {fast} crossed above the slow one, {slow}.',
    thresholds: [],
  },
} as const satisfies Record<string, ReasonText>;

export type ReasonCode = keyof typeof REASONS;

/** The shared decisions of the rules. */
export const ANSWERS = answersOf<ReasonCode>(REASONS, {
  'order-entry-timeout': TIMEOUT,
  'order-entry-condition-gone': CONDITION_GONE,
  'entry-cross-up': Object.freeze({ kind: 'buy', reason: 'entry-cross-up', level: 0 }),
});
