import { z } from 'zod';
import { type Decimal, floorToStep, multiply, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { type OrderState, originalIdOf, type Side } from '#core/order/order.ts';
import type { OrderList, UnreadOrder } from '#core/order/order-list.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { decimal, id, instant, requireShape } from './shape.ts';

const STATES = {
  NEW: 'open',
  PENDING_NEW: 'open',
  PENDING_CANCEL: 'open',
  PARTIALLY_FILLED: 'partially-filled',
  FILLED: 'filled',
  CANCELED: 'cancelled',
  EXPIRED: 'expired',
  EXPIRED_IN_MATCH: 'expired',
  REJECTED: 'rejected',
} as const satisfies Record<string, OrderState>;

const status = z.enum([
  'NEW',
  'PENDING_NEW',
  'PENDING_CANCEL',
  'PARTIALLY_FILLED',
  'FILLED',
  'CANCELED',
  'EXPIRED',
  'EXPIRED_IN_MATCH',
  'REJECTED',
]);
/** Maps the status of an order to its state, and to whether self-trade prevention ended it. */
export const orderEnd = status.transform(
  (text): Pick<ExchangeOrder, 'state' | 'selfTradePrevented'> => ({
    state: STATES[text],
    ...(text === 'EXPIRED_IN_MATCH' && { selfTradePrevented: true }),
  }),
);
export const side = z.enum(['BUY', 'SELL']).transform((text): Side => (text === 'BUY' ? 'buy' : 'sell'));

const executed = z.object({
  price: decimal,
  qty: decimal,
  commission: decimal,
  commissionAsset: z.string().nullable(),
  tradeId: id,
});

const order = z
  .object({
    symbol: z.string(),
    orderId: id,
    clientOrderId: z
      .string()
      .nullable()
      .transform((id) => id ?? ''),
    /** Only in the reply to a cancel, where clientOrderId is the id of the cancel. */
    origClientOrderId: z.string().optional(),
    side,
    status: orderEnd,
    origQty: decimal,
    executedQty: decimal,
    cummulativeQuoteQty: decimal,
    price: decimal,
    stopPrice: decimal.default(ZERO),
    type: z.string(),
    updateTime: instant.optional(),
    transactTime: instant.optional(),
    time: instant.optional(),
    /** -1 for an order outside an order list. */
    orderListId: id.optional(),
    trailingDelta: z.number().optional(),
    fills: z.array(executed).default([]),
  })
  .refine(({ executedQty, origQty }) => executedQty >= ZERO && (origQty === ZERO || executedQty <= origQty), {
    message: 'the executed quantity is negative, or above that of the order',
    path: ['executedQty'],
  })
  .transform((reply, context) => {
    const updatedAt = reply.updateTime ?? reply.transactTime ?? reply.time;
    if (updatedAt !== undefined) return { ...reply, updatedAt };
    context.addIssue({ code: 'custom', message: 'no time is given' });
    return z.NEVER;
  });
type Reply = z.infer<typeof order>;

function orderOf(reply: Reply): ExchangeOrder {
  return {
    symbol: reply.symbol,
    exchangeOrderId: reply.orderId,
    clientOrderId: originalIdOf(reply.origClientOrderId ?? reply.clientOrderId, reply.type),
    side: reply.side,
    ...reply.status,
    quantity: reply.origQty,
    filledQuantity: reply.executedQty,
    // Negative when the exchange no longer knows it (orders before 2017-08).
    filledQuote: reply.cummulativeQuoteQty < ZERO ? ZERO : reply.cummulativeQuoteQty,
    price: reply.price,
    stopPrice: reply.stopPrice,
    type: reply.type,
    updatedAt: reply.updatedAt,
    ...(reply.time !== undefined && { placedAt: reply.time }),
    ...(reply.orderListId !== undefined && reply.orderListId !== '-1' && { listId: reply.orderListId }),
    ...(reply.trailingDelta !== undefined && { trailingBips: reply.trailingDelta }),
  };
}

const QUOTE_PRECISION = requireDecimal('0.00000001');
/** The traded amount in the quote asset, for replies that do not contain it. */
export const quoteOf = (price: Decimal, quantity: Decimal): Decimal =>
  floorToStep(multiply(price, quantity), QUOTE_PRECISION);

function fillsOf(reply: Reply): ExchangeFill[] {
  return reply.fills.map((fill) => ({
    symbol: reply.symbol,
    tradeId: fill.tradeId,
    exchangeOrderId: reply.orderId,
    side: reply.side,
    price: fill.price,
    quantity: fill.qty,
    quoteQuantity: quoteOf(fill.price, fill.qty),
    feeAmount: fill.commission,
    feeAsset: fill.commissionAsset,
    // Fills in the reply to a placement are taker fills.
    maker: false,
    at: reply.updatedAt,
  }));
}

/**
 * Parses an order from the reply to a query, a cancel or a placement (RESULT or FULL). The client order id is always
 * the id of the order, never of its cancel. Throws ExchangeError (unreadable).
 */
export const parseOrder = (body: unknown): ExchangeOrder => orderOf(requireShape(order, body, 'an order'));

/** Parses the orders in the reply to a placement or a cancel of an order list. Throws ExchangeError (unreadable). */
export const parseListReports = (body: unknown): ExchangeOrder[] =>
  requireShape(z.object({ orderReports: z.array(order) }), body, 'the reply to an order list').orderReports.map(
    orderOf,
  );

const canceledList = z.object({ orderReports: z.array(z.unknown()) });
const namedReport = z.object({ origClientOrderId: z.string() });

/**
 * Parses the order from the reply to a cancel. In the reply for a whole order list it searches for `clientOrderId`.
 * Throws ExchangeError (unreadable).
 */
export function parseCanceled(body: unknown, clientOrderId: string): ExchangeOrder {
  const reports = canceledList.safeParse(body).data?.orderReports;
  if (reports === undefined) return parseOrder(body);
  return parseOrder(reports.find((report) => namedReport.safeParse(report).data?.origClientOrderId === clientOrderId));
}

const text = z.string().nullable().catch(null);
const marks = z.looseObject({ symbol: text, clientOrderId: text, orderId: id.nullable().catch(null) });

/**
 * Parses a list of orders, in the sequence received, one by one. Throws ExchangeError (unreadable) when it is not a
 * list.
 */
export function parseOrders(body: unknown): OrderList {
  const orders: ExchangeOrder[] = [];
  const unread: UnreadOrder[] = [];
  for (const entry of requireShape(z.array(z.unknown()), body, 'a list of orders')) {
    try {
      orders.push(parseOrder(entry));
    } catch (error) {
      const { symbol, clientOrderId, orderId } = marks.safeParse(entry).data ?? NO_MARKS;
      const cause = error instanceof Error ? error.message : String(error);
      unread.push({ symbol, clientOrderId, exchangeOrderId: orderId, cause });
    }
  }
  return { orders, unread };
}

const NO_MARKS = { symbol: null, clientOrderId: null, orderId: null };

/** Parses the FULL reply to a placement: the order and its immediate fills. */
export function parsePlacement(body: unknown): { order: ExchangeOrder; fills: ExchangeFill[] } {
  const reply = requireShape(order, body, 'the reply to an order');
  return { order: orderOf(reply), fills: fillsOf(reply) };
}

const trade = z
  .object({
    symbol: z.string(),
    id,
    orderId: id,
    price: decimal,
    qty: decimal,
    quoteQty: decimal,
    commission: decimal,
    commissionAsset: z.string().nullable(),
    time: instant,
    isBuyer: z.boolean(),
    isMaker: z.boolean(),
  })
  .transform(
    (entry): ExchangeFill => ({
      symbol: entry.symbol,
      tradeId: entry.id,
      exchangeOrderId: entry.orderId,
      side: entry.isBuyer ? 'buy' : 'sell',
      price: entry.price,
      quantity: entry.qty,
      quoteQuantity: entry.quoteQty,
      feeAmount: entry.commission,
      feeAsset: entry.commissionAsset,
      maker: entry.isMaker,
      at: entry.time,
    }),
  );

/** Parses GET /api/v3/myTrades into fills, in the sequence received (oldest first). */
export const parseTrades = (body: unknown): ExchangeFill[] => requireShape(z.array(trade), body, 'a list of trades');
