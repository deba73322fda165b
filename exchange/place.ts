import type { ExchangeFill } from '#core/order/fill.ts';
import { ORDER_TIMING, type OrderTiming } from '#core/order/order-timing.ts';
import type { ExchangeClock, OrderLookup, PlaceRequest, TradingPort, WriteOutcome } from '#core/ports/exchange.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { adopt, fillsOf, findOrder, tradesAfter, tradesFrom, withFills } from './find-order.ts';
import { createOrderBudget, type RateLimiter, rateLimiterFor } from './limits.ts';
import { parseAccount } from '#exchange/parse/account.ts';
import { gateOf, priorityOf, orderParams, waitMsOf } from './order-request.ts';
import { cancelList, placeList } from './order-list.ts';
import { failureOf, isReason, requireOwn } from './outcome.ts';
import { parseCanceled, parseOrders, parsePlacement } from '#exchange/parse/orders.ts';
import { cancelReplace } from './replace.ts';
import { readSigned, sendSigned, type Sent, type SignedLink } from './signed-call.ts';
import { createSigner } from './signing.ts';
import { createTransport } from './transport.ts';

interface TradingOptions {
  readonly restUrl: string;
  readonly apiKey: string;
  /** The secret of an HMAC key, or the PEM text of an RSA or Ed25519 private key. */
  readonly secret: string;
  /** The clock of the same venue's market reader. */
  readonly clock: ExchangeClock;
  readonly limiter?: RateLimiter;
  /** Timing for proofs of absence: the exchange's, unless a drill shortens it. */
  readonly timing?: OrderTiming;
}

const ORDER_PATH = '/api/v3/order';
const CANCEL_WAIT_MS = 5_000;
/** Covers every order of the minutes in which an outcome can be open. */
const RECENT_ORDERS = 500;

/**
 * The signed calls of one API key. A write never throws. It is sent a second time only when the exchange has proved
 * that the first copy was not accepted. Reads throw ExchangeError. No error contains a key, secret or signature. Throws
 * KeyFormatError when the key or secret cannot sign.
 */
export function createTrading(options: TradingOptions): TradingPort {
  const link: SignedLink = {
    transport: createTransport(options.restUrl, options.limiter ?? rateLimiterFor(options.restUrl)),
    signer: createSigner(options),
    clock: options.clock,
    timing: options.timing ?? ORDER_TIMING,
    orders: createOrderBudget(),
  };
  return {
    place: (request) => place(link, request),
    cancelReplace: (request) => cancelReplace(link, request),
    cancel: (symbol, clientOrderId, cancelId) => cancel(link, { symbol, clientOrderId, cancelId }),
    placeList: (request) => placeList(link, request),
    cancelList: (ids) => cancelList(link, ids),
    cancelStray: (symbol, exchangeOrderId) => cancelStray(link, symbol, exchangeOrderId),
    findOrder: (symbol, by) => findOrder(link, symbol, by),
    async openOrders(symbol) {
      const weight = symbol === undefined ? 80 : 6;
      return parseOrders(
        await readSigned(link, { path: '/api/v3/openOrders', params: { symbol }, priority: 'query', weight }),
      );
    },
    async recentOrders(symbol) {
      const params = { symbol, limit: RECENT_ORDERS };
      return parseOrders(await readSigned(link, { path: '/api/v3/allOrders', params, priority: 'query', weight: 20 }));
    },
    fillsOf: (symbol, exchangeOrderId) => fillsOf(link, symbol, exchangeOrderId),
    tradesAfter: (symbol, tradeId) => tradesAfter(link, symbol, tradeId),
    tradesFrom: (symbol, tradeId) => tradesFrom(link, symbol, tradeId),
    async wallet() {
      const at = new Date(link.clock.protocolMs());
      const params = { omitZeroBalances: 'true' };
      const body = await readSigned(link, { path: '/api/v3/account', params, priority: 'query', weight: 20 });
      const { balances, makerFee, takerFee, permissions } = parseAccount(body);
      return { wallet: { at, balances }, makerFee, takerFee, permissions };
    },
  };
}

async function place(link: SignedLink, request: PlaceRequest): Promise<WriteOutcome> {
  const { order, clientOrderId } = request;
  const call = {
    method: 'POST',
    path: ORDER_PATH,
    params: orderParams(order, clientOrderId),
    priority: priorityOf(order),
    weight: 1,
    order: true,
    waitMs: waitMsOf(link, request),
    ...(request.onWire && { onWire: request.onWire }),
  } as const;
  try {
    return outcomeOf(await sendSigned(link, call, gateOf(request)), (body) => {
      const placed = parsePlacement(body);
      requireOwn(placed.order, order.symbol, clientOrderId);
      return placed;
    });
  } catch (error) {
    if (!isReason(error, 'duplicate-order')) return failureOf(error);
    // An earlier copy of the same intent has arrived: its order is the outcome.
    const lookup = await findOrder(link, order.symbol, { clientOrderId });
    if (lookup.kind === 'found') return adopt(link, lookup.order);
    return { kind: 'unknown', cause: 'The exchange already has the order, but it cannot be read yet.' };
  }
}

interface CancelTarget {
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly cancelId: string;
}

async function cancel(link: SignedLink, target: CancelTarget): Promise<WriteOutcome> {
  const { symbol, clientOrderId } = target;
  const params = { symbol, origClientOrderId: clientOrderId, newClientOrderId: target.cancelId };
  const call = {
    method: 'DELETE',
    path: ORDER_PATH,
    params,
    priority: 'exit',
    weight: 1,
    waitMs: CANCEL_WAIT_MS,
  } as const;
  try {
    const outcome = outcomeOf(await sendSigned(link, call), (body) => {
      const order = parseCanceled(body, clientOrderId);
      requireOwn(order, symbol, clientOrderId);
      return { order, fills: [] };
    });
    return outcome.kind === 'accepted' ? withFills(link, outcome.order) : outcome;
  } catch (error) {
    if (!isReason(error, 'cancel-refused')) return failureOf(error);
    const lookup = await findOrder(link, symbol, { clientOrderId });
    if (lookup.kind === 'found') return adopt(link, lookup.order);
    if (lookup.kind === 'absent') return failureOf(error);
    return { kind: 'unknown', cause: lookup.cause };
  }
}

/** Cancels by the exchange's id: the client id of such an order is arbitrary. A leg cancels its whole order list. */
async function cancelStray(link: SignedLink, symbol: string, orderId: string): Promise<OrderLookup> {
  const params = { symbol, orderId };
  const call = {
    method: 'DELETE',
    path: ORDER_PATH,
    params,
    priority: 'exit',
    weight: 1,
    waitMs: CANCEL_WAIT_MS,
  } as const;
  try {
    const sent = await sendSigned(link, call);
    if (sent.kind === 'refused') return { kind: 'unreadable', cause: 'the request limit of the exchange is used up' };
  } catch (error) {
    if (!isReason(error, 'cancel-refused'))
      return { kind: 'unreadable', cause: error instanceof Error ? error.message : 'the exchange gave no answer' };
  }
  return findOrder(link, symbol, { exchangeOrderId: orderId });
}

function outcomeOf(
  sent: Sent,
  parse: (body: unknown) => { order: ExchangeOrder; fills: readonly ExchangeFill[] },
): WriteOutcome {
  return sent.kind === 'refused'
    ? { kind: 'not-sent', reason: sent.reason }
    : { kind: 'accepted', ...parse(sent.body) };
}
