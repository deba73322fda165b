import { z } from 'zod';
import type { ReasonText } from '#core/decision/decision.ts';
import { readJson } from '#core/json.ts';
import { instantText } from '#core/text-fields.ts';

/** `sell` sells the share of the settings, `close` everything. */
export const SIGNAL_ACTIONS = ['buy', 'sell', 'close'] as const;
export type SignalAction = (typeof SIGNAL_ACTIONS)[number];

/** `pending`: waits for its order. `used`: has one. `ended`: stays without one. `refused`: was never valid. */
export const SIGNAL_STATES = ['pending', 'used', 'ended', 'refused'] as const;

/** Senders and their clocks differ: a signal may come from this far in the future. */
export const SIGNAL_AHEAD_MS = 5_000;

/** `EXCHANGE:BTCUSDT`, `BTC/USDT` and `btc-usdt` are the coin BTCUSDT. */
const coinText = z
  .string()
  .max(60, 'is longer than 60 characters')
  .refine((text) => !/\.P$/i.test(text.trim()), 'is a perpetual future, and only spot is traded')
  .transform((text) => text.trim().replace(/^.*:/, '').replaceAll(/[-/_]/g, '').toUpperCase())
  .refine((text) => /^[A-Z0-9]{2,30}$/.test(text), 'is not a coin pair such as BTCUSDT');

const plainText = z
  .string()
  .trim()
  .min(1, 'is empty')
  .max(100, 'is longer than 100 characters')
  .refine((text) => !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(text), 'holds a control character');

/** The fields that a sender sends. Any other field is ignored: quantities and prices of a sender never count. */
export const sentSignal = z.object({
  secret: z.string().max(200, 'is longer than 200 characters'),
  action: z
    .string()
    .transform((text) => text.trim().toLowerCase())
    .pipe(z.enum(SIGNAL_ACTIONS)),
  symbol: coinText,
  /** When it was sent; not the time of a candle. */
  time: instantText.refine((text) => text >= '1970', 'is before the year 1970'),
  id: plainText.optional(),
});

/** The key that a repeated signal has again. */
export const signalKey = ({ id, symbol, action, time }: Omit<z.output<typeof sentSignal>, 'secret'>): string =>
  id ?? `${symbol}:${action}:${new Date(time).toISOString()}`;

/**
 * The fields of a body: of JSON, which begins with a brace, else of `name=value` parts with semicolons or line breaks
 * between them. Undefined when it is neither.
 */
export function readSignalFields(body: string): unknown {
  const text = body.trim();
  if (text.startsWith('{')) return readJson(text);
  const parts = text.split(/[;\n]/).filter((part) => part.trim() !== '');
  if (parts.length === 0 || parts.some((part) => !part.includes('='))) return undefined;
  return Object.fromEntries(
    parts.map((part) => [part.split('=', 1)[0]?.trim(), part.slice(part.indexOf('=') + 1).trim()]),
  );
}

/** A signal that the worker has read for a coin. Ages and times in ms. */
export interface PendingSignal {
  readonly id: string;
  readonly action: SignalAction;
  readonly key: string;
  readonly inlet: string;
  readonly ageMs: number;
  /** Remaining validity. */
  readonly validMs: number;
}

/** Why a signal has no order, apart from the reasons of its strategy and of the engine. */
export const SIGNAL_REASONS = {
  'signal-late': {
    sentence: 'The signal is {age} s old, and this inlet takes signals of at most {most} s.',
    thresholds: [],
  },
  'signal-ahead': {
    sentence: 'The time of the signal is {ahead} s in the future: send the time at which it is sent.',
    thresholds: [],
  },
  'signal-unknown-coin': { sentence: '{symbol} is not a coin of the profile.', thresholds: [] },
  'signal-overtaken': { sentence: 'A newer signal for the coin has arrived.', thresholds: [] },
  'signal-waiting': { sentence: 'The worker has not answered it yet.', thresholds: [] },
  'signal-unanswered': {
    sentence: 'It was not answered in time: the profile is disabled, or no worker ran.',
    thresholds: [],
  },
} as const satisfies Record<string, ReasonText>;
