import type { ReplaceOutcome, ReplaceRequest, WriteOutcome } from '#core/ports/exchange.ts';
import { ExchangeError, reasonOf } from './errors.ts';
import { adopt, findOrder, withFills } from './find-order.ts';
import { failureOf, isReason, requireOwn } from './outcome.ts';
import { parseCanceled, parsePlacement } from '#exchange/parse/orders.ts';
import { type Halves, parseHalves, readFailure, readHalves } from '#exchange/parse/replacement.ts';
import { gateOf, priorityOf, orderParams, waitMsOf } from './order-request.ts';
import { sendSigned, type SignedLink } from './signed-call.ts';

const REPLACE_PATH = '/api/v3/order/cancelReplace';
const NOT_ATTEMPTED = { kind: 'not-attempted' } as const;

/**
 * Cancels one order and places another in a single request. STOP_ON_FAILURE: the exchange places nothing unless the
 * cancel took effect, and ONLY_NEW lets it take effect only on an order without executions. Never throws. A lost reply
 * leaves both halves unknown; the caller looks each of them up.
 */
export async function cancelReplace(link: SignedLink, request: ReplaceRequest): Promise<ReplaceOutcome> {
  const { order, clientOrderId } = request;
  const params = {
    ...orderParams(order, clientOrderId),
    cancelReplaceMode: 'STOP_ON_FAILURE',
    // After a partial fill the quantity of the new order would be wrong: then nothing may be placed.
    cancelRestrictions: 'ONLY_NEW',
    cancelOrigClientOrderId: request.cancelClientOrderId,
    cancelNewClientOrderId: request.cancelId,
  };
  const waitMs = waitMsOf(link, request);
  const call = {
    method: 'POST',
    path: REPLACE_PATH,
    params,
    priority: priorityOf(order),
    weight: 1,
    order: true,
  } as const;
  try {
    const onWire = request.onWire && { onWire: request.onWire };
    const sent = await sendSigned(link, { ...call, waitMs, ...onWire }, gateOf(request));
    if (sent.kind === 'answered') return await resolveHalves(link, request, parseHalves(sent.body));
    return { cancelled: { kind: 'not-sent', reason: sent.reason }, placed: { kind: 'not-sent', reason: sent.reason } };
  } catch (error) {
    const halves = error instanceof ExchangeError ? readHalves(error.payload) : undefined;
    if (halves !== undefined) return resolveHalves(link, request, halves);
    const outcome = isHalfDone(error) ? unknownHalf : failureOf(error);
    return { cancelled: outcome, placed: outcome.kind === 'rejected' ? NOT_ATTEMPTED : outcome };
  }
}

/** One half took effect, and the reply does not say which. */
const HALF_DONE = -2021;
const isHalfDone = (error: unknown): boolean => error instanceof ExchangeError && error.code === HALF_DONE;
const unknownHalf: WriteOutcome = {
  kind: 'unknown',
  cause: 'One half of the replacement took effect, and the exchange does not say which.',
};

async function resolveHalves(link: SignedLink, request: ReplaceRequest, halves: Halves): Promise<ReplaceOutcome> {
  return {
    cancelled: await cancelOutcome(link, request, halves),
    placed: await placementOutcome(link, request, halves),
  };
}

async function cancelOutcome(link: SignedLink, request: ReplaceRequest, halves: Halves): Promise<WriteOutcome> {
  const { cancelClientOrderId: clientOrderId } = request;
  const { symbol } = request.order;
  if (halves.cancelResult === 'SUCCESS') {
    try {
      const order = parseCanceled(halves.cancelResponse, clientOrderId);
      requireOwn(order, symbol, clientOrderId);
      return await withFills(link, order);
    } catch (error) {
      return failureOf(error);
    }
  }
  const error = halfError(halves.cancelResponse);
  if (!isReason(error, 'cancel-refused')) return failureOf(error);
  // The order is already off the book: filled, cancelled or expired.
  const lookup = await findOrder(link, symbol, { clientOrderId });
  if (lookup.kind === 'found') return adopt(link, lookup.order);
  return lookup.kind === 'absent' ? failureOf(error) : { kind: 'unknown', cause: lookup.cause };
}

async function placementOutcome(
  link: SignedLink,
  { order: draft, clientOrderId }: ReplaceRequest,
  halves: Halves,
): Promise<ReplaceOutcome['placed']> {
  if (halves.newOrderResult === 'NOT_ATTEMPTED') return NOT_ATTEMPTED;
  if (halves.newOrderResult === 'SUCCESS') {
    try {
      const placed = parsePlacement(halves.newOrderResponse);
      requireOwn(placed.order, draft.symbol, clientOrderId);
      return { kind: 'accepted', ...placed };
    } catch (error) {
      return failureOf(error);
    }
  }
  const error = halfError(halves.newOrderResponse);
  if (!isReason(error, 'duplicate-order')) return failureOf(error);
  const lookup = await findOrder(link, draft.symbol, { clientOrderId });
  if (lookup.kind === 'found') return adopt(link, lookup.order);
  return { kind: 'unknown', cause: 'The exchange already has the order, but it cannot be read yet.' };
}

/**
 * Each half has its own code but shares the status of the reply: the code alone decides whether its outcome is open.
 */
function halfError(response: unknown): ExchangeError {
  const half = readFailure(response);
  const message = half?.msg ?? 'The exchange does not say why this half of the replacement failed.';
  const code = half?.code ?? null;
  return new ExchangeError(message, { reason: reasonOf(400, code, message), status: 400, code, payload: response });
}
