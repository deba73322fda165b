import { z } from 'zod';
import { INTERVAL_MS, isInterval } from '#core/market/candle.ts';
import { readDecimal } from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';
import type { MarketEvent } from '#core/ports/exchange.ts';
import { decimal } from './shape.ts';

const tradeId = z.union([z.number(), z.string().transform(Number)]);
const trade = z.object({ e: z.literal('trade'), s: z.string(), t: tradeId, p: decimal, T: z.number() });
/** Neighbouring trades of one taker at one price. */
const aggregate = z.object({ e: z.literal('aggTrade'), s: z.string(), a: tradeId, p: decimal, T: z.number() });
const shutdown = z.object({ e: z.literal('serverShutdown') });
const data = z.discriminatedUnion('e', [trade, aggregate, shutdown]);

const control = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  code: z.number().optional(),
  msg: z.string().optional(),
  error: z.object({ code: z.number(), msg: z.string() }).optional(),
});

/**
 * A market event with its position in the stream. `order` never decreases within a stream. The exchange never sends a
 * `final` event again with other content.
 */
export interface MarketFrame {
  readonly kind: 'event';
  readonly event: MarketEvent;
  readonly stream: string;
  readonly order: number;
  readonly final: boolean;
}

/** One frame of a market stream socket. */
export type Frame =
  | MarketFrame
  | { readonly kind: 'reply'; readonly id: number; readonly error: string | null }
  | { readonly kind: 'shutdown' }
  | { readonly kind: 'other' };

const OTHER: Frame = { kind: 'other' };

/** Parses a JSON frame, combined (`{stream, data}`) or raw; frames that this client did not request are `other`. */
export function readFrame(body: unknown): Frame {
  if (typeof body !== 'object' || body === null) return OTHER;
  if ('id' in body) return readReply(body);
  const inner: unknown = 'data' in body ? body.data : body;
  const usual = readTrade(inner) ?? readKline(inner);
  if (usual !== undefined) return usual;
  const parsed = data.safeParse(inner);
  if (!parsed.success) return OTHER;
  const frame = parsed.data;
  switch (frame.e) {
    case 'trade':
    case 'aggTrade':
      return {
        kind: 'event',
        event: { kind: 'price', symbol: frame.s, price: frame.p, atMs: frame.T },
        stream: `${frame.s}@${frame.e}`,
        order: frame.e === 'trade' ? frame.t : frame.a,
        final: true,
      };
    case 'serverShutdown':
      return { kind: 'shutdown' };
  }
}

/**
 * Fast path for a trade in its usual form, because most frames are trades; other forms go to the general parser.
 */
function readTrade(body: unknown): MarketFrame | undefined {
  if (typeof body !== 'object' || body === null || !('e' in body) || body.e !== 'trade') return undefined;
  if (!('s' in body && 't' in body && 'p' in body && 'T' in body)) return undefined;
  const { s, t, p, T } = body;
  if (typeof s !== 'string' || typeof p !== 'string' || !Number.isSafeInteger(t) || typeof T !== 'number')
    return undefined;
  const price = readDecimal(p);
  if (price === undefined) return undefined;
  const event = { kind: 'price', symbol: s, price, atMs: T } as const;
  return { kind: 'event', event, stream: `${s}@trade`, order: Number(t), final: true };
}

/** Fast path for a candle: with many coins, hundreds close at once. */
function readKline(body: unknown): MarketFrame | undefined {
  if (!isObject(body) || body['e'] !== 'kline' || !isObject(body['k'])) return undefined;
  const { s: symbol, k } = body;
  const { t: openMs, i: interval, x: closed } = k;
  if (typeof symbol !== 'string' || typeof openMs !== 'number' || typeof closed !== 'boolean') return undefined;
  if (typeof interval !== 'string' || !isInterval(interval)) return undefined;
  const [open, high, low] = [readFloat(k['o']), readFloat(k['h']), readFloat(k['l'])];
  const [close, volume] = [readFloat(k['c']), readFloat(k['v'])];
  if (open === undefined || high === undefined || low === undefined) return undefined;
  if (close === undefined || volume === undefined) return undefined;
  const candle = { openMs, closeMs: openMs + INTERVAL_MS[interval], open, high, low, close, volume, closed };
  return {
    kind: 'event',
    event: { kind: 'candle', symbol, interval, candle },
    stream: `${symbol}@kline_${interval}`,
    // The close follows every update of the open candle and precedes every update of the next.
    order: openMs + (closed ? 1 : 0),
    final: closed,
  };
}

function readFloat(text: unknown): number | undefined {
  const value = typeof text === 'string' && text !== '' ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

function readReply(body: object): Frame {
  const reply = control.safeParse(body);
  if (!reply.success) return OTHER;
  const { id, code, msg, error } = reply.data;
  if (error !== undefined) return { kind: 'reply', id, error: `${error.msg} (${error.code})` };
  return { kind: 'reply', id, error: code === undefined ? null : `${msg ?? ''} (${code})` };
}
