import type { Decision, ReasonText } from '#core/decision/decision.ts';
import { answersOf } from '#strategies/answers.ts';

const KEY = ['key'] as const;

export const REASONS = {
  'exit-stop-loss': { sentence: 'Selling: {price} reached the stop loss at {stop}.', thresholds: ['stop'] },
  'exit-regime': { sentence: 'Selling at {price}: the daily trend has turned down.', thresholds: [] },
  'exit-signal': {
    sentence: 'Selling at {price}: signal {key} of {inlet} requests it, {age} s old.',
    thresholds: KEY,
  },
  'exit-signal-close': {
    sentence: 'Selling everything at {price}: signal {key} of {inlet} requests it, {age} s old.',
    thresholds: KEY,
  },
  'hold-exit-order-open': { sentence: 'An exit order is in flight.', thresholds: [] },
  'hold-held-already': {
    sentence: 'Not buying: signal {key} of {inlet} requests it, and {lots} is held already.',
    thresholds: KEY,
  },
  'hold-no-signal': {
    sentence: 'Holding: there is no signal. Sells at {stop}, {away} below the price.',
    thresholds: [],
  },
  'hold-no-stop': { sentence: 'Holding: there is no signal, and no stop loss is set.', thresholds: [] },
  'entry-order-open': { sentence: 'A buy is in flight.', thresholds: [] },
  'entry-nothing-held': {
    sentence: 'Not selling: signal {key} of {inlet} requests it, and nothing is held.',
    thresholds: KEY,
  },
  'entry-disabled': {
    sentence: 'Not buying: signal {key} of {inlet} requests it, but buying is switched off.',
    thresholds: KEY,
  },
  'entry-config-unreadable': {
    sentence: 'Not buying: the stored setting {path} is unreadable. Save the form again.',
    thresholds: ['path'],
  },
  'entry-no-signal': { sentence: 'Waiting for a signal.', thresholds: [] },
  'entry-signal': {
    sentence: 'Buying at {price}: signal {key} of {inlet} requests it, {age} s old.',
    thresholds: KEY,
  },
} as const satisfies Record<string, ReasonText>;

type ReasonCode = keyof typeof REASONS;

const answered = { answersSignal: true } as const;
const ended = (reason: ReasonCode): Decision => Object.freeze({ kind: 'nothing', reason, ...answered });

/** The shared decisions of the rules. */
export const ANSWERS = answersOf<ReasonCode>(REASONS, {
  'exit-signal': Object.freeze({ kind: 'sell', reason: 'exit-signal', lots: 'all', ...answered }),
  'exit-signal-close': Object.freeze({ kind: 'sell', reason: 'exit-signal-close', lots: 'all', ...answered }),
  'entry-signal': Object.freeze({ kind: 'buy', reason: 'entry-signal', level: 0, ...answered }),
  'hold-held-already': ended('hold-held-already'),
  'entry-nothing-held': ended('entry-nothing-held'),
  'entry-disabled': ended('entry-disabled'),
});
