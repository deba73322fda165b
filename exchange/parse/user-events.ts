import { z } from 'zod';
import { formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { originalIdOf } from '#core/order/order.ts';
import type { AccountEvent } from '#core/ports/exchange.ts';
import { orderEnd, quoteOf, side } from './orders.ts';
import { decimal, id, instant } from './shape.ts';

const report = z.object({
  e: z.literal('executionReport'),
  s: z.string(),
  c: z.string(),
  /** For a cancel: the id of the order, while `c` is the id of the cancel; else empty. */
  C: z
    .string()
    .nullish()
    .transform((id) => id ?? ''),
  S: side,
  o: z.string(),
  q: decimal,
  p: decimal,
  P: decimal,
  x: z.string(),
  X: orderEnd,
  r: z.string().default('NONE'),
  eR: z.string().default('NONE'),
  i: id,
  /** -1 for an order outside an order list. */
  g: id.default('-1'),
  l: decimal,
  z: decimal,
  L: decimal,
  n: decimal,
  N: z.string().nullable(),
  T: instant,
  t: id,
  m: z.boolean(),
  Z: decimal,
  Y: decimal.optional(),
});
const amount = decimal.transform(formatDecimal);
const position = z.object({
  e: z.literal('outboundAccountPosition'),
  u: z.number().default(0),
  B: z.array(z.object({ a: z.string(), f: amount, l: amount })),
});
const terminated = z.object({ e: z.literal('eventStreamTerminated') });
const shutdown = z.object({ e: z.literal('serverShutdown') });
const event = z.discriminatedUnion('e', [report, position, terminated, shutdown]);

type UserFrame =
  | { readonly kind: 'event'; readonly event: Exclude<AccountEvent, { kind: 'balances' }> }
  /** `updatedMs`, in the exchange's time, orders the balances of one asset. */
  | {
      readonly kind: 'balances';
      readonly event: Extract<AccountEvent, { kind: 'balances' }>;
      readonly updatedMs: number;
    }
  | { readonly kind: 'terminated' }
  | { readonly kind: 'shutdown' }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'other' };

const named = z.object({ e: z.enum(['executionReport', 'outboundAccountPosition']) });

/**
 * Parses one user event. Balances get the time `at`, because their own times are market times. Unknown events are
 * `other`. An order or balance event in an unexpected form is `unreadable`: the caller must read its content over REST.
 */
export function readUserEvent(body: unknown, at: Date): UserFrame {
  const parsed = event.safeParse(body);
  if (!parsed.success) return { kind: named.safeParse(body).success ? 'unreadable' : 'other' };
  const found = parsed.data;
  switch (found.e) {
    case 'executionReport':
      return { kind: 'event', event: orderEvent(found) };
    case 'outboundAccountPosition': {
      const balances = Object.fromEntries(found.B.map(({ a, f, l }) => [a, { free: f, locked: l }]));
      return { kind: 'balances', event: { kind: 'balances', balances, at }, updatedMs: found.u };
    }
    case 'eventStreamTerminated':
      return { kind: 'terminated' };
    case 'serverShutdown':
      return { kind: 'shutdown' };
  }
}

function orderEvent(frame: z.infer<typeof report>): Extract<AccountEvent, { kind: 'order' }> {
  const order = {
    symbol: frame.s,
    exchangeOrderId: frame.i,
    clientOrderId: originalIdOf(frame.C === '' ? frame.c : frame.C, frame.o),
    side: frame.S,
    ...frame.X,
    quantity: frame.q,
    filledQuantity: frame.z,
    filledQuote: frame.Z,
    price: frame.p,
    stopPrice: frame.P,
    type: frame.o,
    updatedAt: frame.T,
    ...(frame.g !== '-1' && { listId: frame.g }),
  };
  const fill =
    frame.x !== 'TRADE' || frame.l === ZERO
      ? null
      : {
          symbol: frame.s,
          tradeId: frame.t,
          exchangeOrderId: frame.i,
          side: frame.S,
          price: frame.L,
          quantity: frame.l,
          quoteQuantity: frame.Y ?? quoteOf(frame.L, frame.l),
          feeAmount: frame.n,
          feeAsset: frame.N,
          maker: frame.m,
          at: frame.T,
        };
  return { kind: 'order', order, fill, reason: [frame.eR, frame.r].find((reason) => reason !== 'NONE') ?? '' };
}
