import type { Decision, EntryForm } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';
import { choice, count, group } from './fields.ts';
import type { Finding } from './strategy.ts';
import { snapDown, snapUp } from './ticks.ts';

const MODES = ['market', 'maker'] as const;

/** Settings for the order type of a buy, common to every strategy that buys. */
export const execution = group(
  {
    title: 'How to buy',
    help: 'Buy at the market, or rest in the book for a better price and a lower fee',
    advanced: true,
    hint: { switch: 'entryMode' },
  },
  {
    entryMode: choice(
      {
        title: 'Buy as',
        help: 'market: buys at the current price; maker: rests in the book below the price and may never fill',
        advanced: true,
      },
      MODES,
      'market',
    ),
    makerOffsetBps: count(
      {
        title: 'Limit offset',
        help: 'Distance of the resting buy below the price; 0 is one tick below',
        from: 0,
        to: 500,
        percent: 'bps',
        advanced: true,
      },
      0,
    ),
    entryTimeoutBars: count(
      {
        title: 'Cancel after',
        help: 'Cancels a resting buy when this many candles have closed since it was placed; 0 means never',
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

/** Warnings about resting buys without a timeout, and about unused settings. */
export function executionFindings({ entryMode, makerOffsetBps, entryTimeoutBars }: StoredExecution): Finding[] {
  const path = 'execution.entryTimeoutBars';
  if (entryMode === 'maker' && entryTimeoutBars === 0) {
    const message = 'A resting buy has no timeout while its condition holds: it may lock its quote for a long time.';
    return [{ level: 'warn', code: 'maker-stuck', path, message }];
  }
  if (entryMode === 'maker' || makerOffsetBps === 0) return [];
  const message = 'Buys are market orders, so this setting is not used.';
  return [{ level: 'info', code: 'maker-inert', path: 'execution.makerOffsetBps', message }];
}

/** The settings as numbers. */
export interface Queueing {
  readonly maker: boolean;
  /** Limit of the resting buy as a share of the price. */
  readonly offset: number;
  readonly timeoutBars: number;
}

export const queueingOf = (config: StoredExecution): Queueing => ({
  maker: config.entryMode === 'maker',
  offset: 1 - config.makerOffsetBps / 10_000,
  timeoutBars: config.entryTimeoutBars,
});

/** A buy that rests below the price. At the price itself it could fill at once. */
export const makerForm = ({ offset }: Queueing, price: number): EntryForm => ({
  type: 'maker',
  limit: Math.max(1, Math.min(snapDown(price * offset), price - 1)),
});

/** A buy that follows the price down and triggers when the price turns up. */
export function chaseForm(
  price: number,
  { stop, limit }: { readonly stop: number; readonly limit: number },
): EntryForm {
  const at = Math.max(snapUp(price * stop), price + 1);
  return { type: 'chase', stop: at, limit: Math.max(snapUp(price * limit), at) };
}

/** A resting trigger is moved down once the new one is lower by this share. */
const CHASE_DRIFT = 0.001;

/** True when the resting buy should follow the price down. A triggered buy stays. */
export const fellAway = (waiting: NonNullable<TickView['waiting']>, form: EntryForm): boolean =>
  form.type === 'chase' && !waiting.touched && form.stop <= snapDown(waiting.stop * (1 - CHASE_DRIFT));

/** Number of candles that closed since an order was placed. The newest one opened at `lastOpenMs`. */
export const barsSince = (placedMs: number, lastOpenMs: number, intervalMs: number): number =>
  Math.floor((lastOpenMs + intervalMs) / intervalMs) - Math.floor(placedMs / intervalMs);

export const TIMEOUT: Decision = Object.freeze({ kind: 'cancel', reason: 'order-entry-timeout' });
export const CONDITION_GONE: Decision = Object.freeze({ kind: 'cancel', reason: 'order-entry-condition-gone' });

/** Reasons about a resting buy. */
export const WAITING_REASONS = {
  'order-entry-open': { sentence: 'A buy order is in flight or rests at {limit}.', thresholds: ['limit'] },
  'order-entry-timeout': {
    sentence: 'Cancelling the buy at {limit}: it has not filled after {bars} candles.',
    thresholds: [],
  },
  'order-entry-condition-gone': {
    sentence: 'Cancelling the buy at {limit}: at {price} its condition no longer holds.',
    thresholds: [],
  },
} as const;
