import type { Decision, EntryForm } from '#core/decision/decision.ts';
import { choice, count, group } from './fields.ts';
import type { StoredReader } from './stored.ts';
import type { Finding, TickView } from './strategy.ts';
import { snapDown, snapUp } from './ticks.ts';

const MODES = ['market', 'maker'] as const;

/** How a buy is sent: the same words in every strategy that buys. */
export const execution = group(
  {
    title: 'How to buy',
    help: 'Take the price, or queue for a better one and a lower fee',
    advanced: true,
    hint: { switch: 'entryMode' },
  },
  {
    entryMode: choice(
      {
        title: 'Buy as',
        help: 'market: takes the price at once; maker: waits in the book below the price, which may never fill',
        advanced: true,
      },
      MODES,
      'market',
    ),
    makerOffsetBps: count(
      {
        title: 'Limit offset',
        help: 'How far below the price the buy waits, in hundredths of a percent; 0 is the next price below',
        from: 0,
        to: 500,
        unit: '0.01 %',
        advanced: true,
      },
      0,
    ),
    entryTimeoutBars: count(
      {
        title: 'Cancel after',
        help: 'Takes a waiting buy back when so many candles have closed since it was placed; 0 means never',
        from: 0,
        to: 1_000,
        unit: 'candles',
        advanced: true,
      },
      3,
    ),
  },
).prefault({});

interface StoredExecution {
  readonly entryMode: (typeof MODES)[number];
  readonly makerOffsetBps: number;
  readonly entryTimeoutBars: number;
}

/** Reads the settings of this file from a stored config. */
export const readExecution = (read: StoredReader, defaults: StoredExecution): StoredExecution => ({
  entryMode: read.choice('execution.entryMode', MODES, defaults.entryMode),
  makerOffsetBps: read.count('execution.makerOffsetBps', defaults.makerOffsetBps),
  entryTimeoutBars: read.count('execution.entryTimeoutBars', defaults.entryTimeoutBars),
});

/** Queueing that can get stuck, or is not used. */
export function executionFindings({ entryMode, makerOffsetBps, entryTimeoutBars }: StoredExecution): Finding[] {
  const path = 'execution.entryTimeoutBars';
  if (entryMode === 'maker' && entryTimeoutBars === 0) {
    const message = 'A waiting buy is never taken back while its price is wanted: it may keep its money for long.';
    return [{ level: 'warn', code: 'maker-stuck', path, message }];
  }
  if (entryMode === 'maker' || makerOffsetBps === 0) return [];
  const message = 'Buys take the price at once, so there is nothing to queue for.';
  return [{ level: 'info', code: 'maker-inert', path: 'execution.makerOffsetBps', message }];
}

/** The settings as numbers. */
export interface Queueing {
  readonly maker: boolean;
  /** Share of the price at which a buy waits. */
  readonly offset: number;
  readonly timeoutBars: number;
}

export const queueingOf = (config: StoredExecution): Queueing => ({
  maker: config.entryMode === 'maker',
  offset: 1 - config.makerOffsetBps / 10_000,
  timeoutBars: config.entryTimeoutBars,
});

/** A buy that waits below the price: at the price itself it could meet the book at once. */
export const makerForm = ({ offset }: Queueing, price: number): EntryForm => ({
  type: 'maker',
  limit: Math.max(1, Math.min(snapDown(price * offset), price - 1)),
});

/** A buy that follows the price down and is set off when it turns up. */
export function chaseForm(
  price: number,
  { stop, limit }: { readonly stop: number; readonly limit: number },
): EntryForm {
  const at = Math.max(snapUp(price * stop), price + 1);
  return { type: 'chase', stop: at, limit: Math.max(snapUp(price * limit), at) };
}

/** A waiting stop is moved down once it would lie this share lower. */
const CHASE_DRIFT = 0.001;

/** True when the waiting buy should follow the price down; one that was set off stays. */
export const fellAway = (waiting: NonNullable<TickView['waiting']>, form: EntryForm): boolean =>
  form.type === 'chase' && !waiting.touched && form.stop <= snapDown(waiting.stop * (1 - CHASE_DRIFT));

/** Candles that have closed since an order was placed, of which the newest opened at `lastOpenMs`. */
export const barsSince = (placedMs: number, lastOpenMs: number, intervalMs: number): number =>
  Math.floor((lastOpenMs + intervalMs) / intervalMs) - Math.floor(placedMs / intervalMs);

export const TIMEOUT: Decision = Object.freeze({ kind: 'cancel', reason: 'order-entry-timeout' });
export const CONDITION_GONE: Decision = Object.freeze({ kind: 'cancel', reason: 'order-entry-condition-gone' });

/** The sentences of a buy that waits. */
export const WAITING_REASONS = {
  'order-entry-open': { sentence: 'A buy order is on its way or waits at {limit}.', thresholds: ['limit'] },
  'order-entry-timeout': {
    sentence: 'Taking back the buy at {limit}: {bars} candles have closed and it has not filled.',
    thresholds: [],
  },
  'order-entry-condition-gone': {
    sentence: 'Taking back the buy at {limit}: at {price} it is not wanted any more.',
    thresholds: [],
  },
} as const;
