import { z } from 'zod';
import { INTERVAL_MS, isInterval } from '#core/candle.ts';
import { readDecimal } from '#core/decimal.ts';
import type { MarketEvent } from '#core/ports.ts';
import { decimal, float } from './shape.ts';

const tradeId = z.union([z.number(), z.string().transform(Number)]);
const trade = z.object({ e: z.literal('trade'), s: z.string(), t: tradeId, p: decimal, T: z.number() });
/** Neighbouring trades of one taker at one price. */
const aggregate = z.object({ e: z.literal('aggTrade'), s: z.string(), a: tradeId, p: decimal, T: z.number() });
const kline = z.object({
  e: z.literal('kline'),
  s: z.string(),
  k: z.object({
    t: z.number(),
    i: z.string().refine(isInterval),
    o: float,
    h: float,
    l: float,
    c: float,
    v: float,
    x: z.boolean(),
  }),
});
const shutdown = z.object({ e: z.literal('serverShutdown') });
const data = z.discriminatedUnion('e', [trade, aggregate, kline, shutdown]);

const control = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  code: z.number().optional(),
  msg: z.string().optional(),
  error: z.object({ code: z.number(), msg: z.string() }).optional(),
});

/**
 * A market event with its place in its stream: `order` never falls within one, and a `final` event is never sent again
 * with other content.
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

/** A parsed JSON frame, combined (`{stream, data}`) or raw; what this client never asked for is `other`. */
export function readFrame(body: unknown): Frame {
  if (typeof body !== 'object' || body === null) return OTHER;
  if ('id' in body) return readReply(body);
  const inner: unknown = 'data' in body ? body.data : body;
  const price = readTrade(inner);
  if (price !== undefined) return price;
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
    case 'kline':
      return {
        kind: 'event',
        event: candleEvent(frame),
        stream: `${frame.s}@kline_${frame.k.i}`,
        // Its close comes after every view of the open candle, before every view of the next.
        order: frame.k.t + (frame.k.x ? 1 : 0),
        final: frame.k.x,
      };
    case 'serverShutdown':
      return { kind: 'shutdown' };
  }
}

/** A trade as it always comes, without the general reader: most frames are one. Anything else about it is left to that. */
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

function candleEvent({ s, k }: z.infer<typeof kline>): MarketEvent {
  const interval = k.i;
  const candle = {
    openMs: k.t,
    closeMs: k.t + INTERVAL_MS[interval],
    open: k.o,
    high: k.h,
    low: k.l,
    close: k.c,
    volume: k.v,
    closed: k.x,
  };
  return { kind: 'candle', symbol: s, interval, candle };
}

function readReply(body: object): Frame {
  const reply = control.safeParse(body);
  if (!reply.success) return OTHER;
  const { id, code, msg, error } = reply.data;
  if (error !== undefined) return { kind: 'reply', id, error: `${error.msg} (${error.code})` };
  return { kind: 'reply', id, error: code === undefined ? null : `${msg ?? ''} (${code})` };
}
