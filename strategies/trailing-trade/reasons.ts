import type { Decision, ReasonText } from '#core/decision/decision.ts';
import { answersOf } from '#strategies/answers.ts';
import { CONDITION_GONE, TIMEOUT, WAITING_REASONS } from '#strategies/execution.ts';

export const REASONS = {
  'hold-below-arm': {
    sentence: 'Holding: {price} is {away} below {arm}, where the trailing stop starts; stop at {stop}.',
    thresholds: ['arm', 'stop'],
  },
  'hold-trail-armed': {
    sentence: 'Trailing: high {high}, sells at {trailStop}, {away} below the price.',
    thresholds: ['high', 'trailStop'],
  },
  'hold-trail-pending': {
    sentence: 'Holding: the trailing stop starts when the next candle closes; stop at {stop}.',
    thresholds: ['stop'],
  },
  'hold-break-even-armed': {
    sentence: 'Holding with a floor at {floor}; trailing starts at {arm}, {away} above.',
    thresholds: ['floor', 'arm'],
  },
  'hold-above-floor': { sentence: 'Holding: floor at {floor}, {away} below.', thresholds: ['floor'] },
  'hold-below-floor-arm': {
    sentence: 'Holding: a floor starts at {floorArm}, {away} above.',
    thresholds: ['floorArm'],
  },
  'hold-until-time-stop': {
    sentence: 'Holding: sells after {timeStopBars} candles; {bars} have closed since the buy.',
    thresholds: ['timeStopBars'],
  },
  'hold-above-stop': { sentence: 'Holding: stop at {stop}, {away} below.', thresholds: ['stop'] },
  'hold-no-exit': { sentence: 'Holding: no exit is configured.', thresholds: [] },
  'hold-sell-disabled': { sentence: 'Holding: selling is switched off.', thresholds: [] },
  'hold-exit-order-open': { sentence: 'An exit order is in flight.', thresholds: [] },
  'exit-stop-loss': { sentence: 'Selling: {price} reached the {rule} at {threshold}.', thresholds: ['threshold'] },
  'exit-trail': { sentence: 'Selling: {price} reached the {rule} at {threshold}.', thresholds: ['threshold'] },
  'exit-break-even': { sentence: 'Selling: {price} reached the {rule} at {threshold}.', thresholds: ['threshold'] },
  'exit-take-profit': {
    sentence: 'Selling {part} of {lots}: {price} reached the {rule} at {threshold}.',
    thresholds: ['threshold'],
  },
  'exit-rating': {
    sentence: 'Selling at {price}: it is in profit and the rating has turned.',
    thresholds: [],
  },
  'exit-regime': { sentence: 'Selling at {price}: the daily trend has turned down.', thresholds: [] },
  'exit-time-stop': {
    sentence: 'Selling at {price}: {bars} candles have closed since the buy and the trailing stop has not started.',
    thresholds: [],
  },
  'entry-disabled': { sentence: 'Buying is switched off.', thresholds: [] },
  'entry-config-unreadable': {
    sentence: 'Not buying: the stored setting {path} is unreadable. Save the form again.',
    thresholds: ['path'],
  },
  ...WAITING_REASONS,
  'entry-grid-complete': { sentence: 'All {levels} buy levels are used.', thresholds: ['levels'] },
  'entry-history-short': { sentence: 'Waiting for candles: {have} of {need}.', thresholds: ['need'] },
  'entry-above-window-low': {
    sentence: 'Waiting: {price} is {away} above the buy price {limit} ({window}-candle low {windowLow}).',
    thresholds: ['limit', 'windowLow', 'window'],
  },
  'entry-above-level': {
    sentence: 'Waiting: level {level} buys at {limit}, {away} from {price}.',
    thresholds: ['level', 'limit'],
  },
  'entry-add': {
    sentence: 'Adding at level {level}: price {price} is at or below the buy price {limit}.',
    thresholds: ['limit'],
  },
  'entry-rsi-high': { sentence: 'Waiting: RSI {rsi} is above {max}.', thresholds: ['max'] },
  'entry-immediate': { sentence: 'Buying at {price}: the first buy is immediate.', thresholds: [] },
  'entry-first': { sentence: 'Buying: price {price} is at or below the buy price {limit}.', thresholds: ['limit'] },
} as const satisfies Record<string, ReasonText>;

export type ReasonCode = keyof typeof REASONS;

const addAt = (level: number): Decision => Object.freeze({ kind: 'buy', reason: 'entry-add', level });

/** The buy of each further level, by its number. The first level opens the position. */
export const ADDS: readonly Decision[] = Array.from({ length: 64 }, (_, level) => addAt(level));

/** The shared decisions of the rules. */
export const ANSWERS = answersOf<ReasonCode>(REASONS, {
  'order-entry-timeout': TIMEOUT,
  'order-entry-condition-gone': CONDITION_GONE,
  'entry-immediate': Object.freeze({ kind: 'buy', reason: 'entry-immediate', level: 0 }),
  'entry-first': Object.freeze({ kind: 'buy', reason: 'entry-first', level: 0 }),
  'entry-add': addAt(1),
});
