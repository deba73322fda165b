import { formatDecimal } from '#core/amount/decimal.ts';
import { cancelIdOf } from '#core/order/order.ts';
import type { ListIds, ListLeg, ListRequest, WriteOutcome } from '#core/ports/exchange.ts';
import { adopt, findOrder, withFills } from './find-order.ts';
import { gateOf, priorityOf, waitMsOf } from './order-request.ts';
import { failureOf, isReason, requireOwn } from './outcome.ts';
import { parseListReports } from '#exchange/parse/orders.ts';
import { sendSigned, type SignedLink } from './signed-call.ts';
import type { Params } from './signing.ts';

const PLACE_PATH = '/api/v3/orderList/oco';
const LIST_PATH = '/api/v3/orderList';
const CANCEL_WAIT_MS = 5_000;

/** The request parameters of a list: the target is the order above, the stop with its limit the order below. */
function listParams({ stop, target, listId }: ListRequest): Params {
  const { symbol, quantity } = stop.order;
  const [below, above] = [stop.order.form, target.order.form];
  if (below.type !== 'stop-loss-limit' || above.type !== 'limit')
    throw new RangeError(
      `An order list holds a stop with a limit and a limit order, not ${below.type} and ${above.type}.`,
    );
  return {
    symbol,
    side: 'SELL',
    quantity: formatDecimal(quantity),
    listClientOrderId: listId,
    aboveType: 'LIMIT_MAKER',
    aboveClientOrderId: target.clientOrderId,
    abovePrice: formatDecimal(above.price),
    belowType: 'STOP_LOSS_LIMIT',
    belowClientOrderId: stop.clientOrderId,
    belowStopPrice: formatDecimal(below.stopPrice),
    belowPrice: formatDecimal(below.price),
    belowTimeInForce: 'GTC',
    newOrderRespType: 'RESULT',
  };
}

/**
 * Places both legs in one request. Never throws: an outcome that is not certain is `unknown` for both legs. The exchange
 * accepts both or none.
 */
export async function placeList(
  link: SignedLink,
  request: ListRequest,
): Promise<readonly [WriteOutcome, WriteOutcome]> {
  const { stop, target } = request;
  const call = {
    method: 'POST',
    path: PLACE_PATH,
    params: listParams(request),
    priority: priorityOf(stop.order),
    weight: 1,
    order: true,
    waitMs: waitMsOf(link, request),
    ...(request.onWire && { onWire: request.onWire }),
  } as const;
  const { symbol } = stop.order;
  try {
    const sent = await sendSigned(link, call, gateOf(request));
    if (sent.kind === 'refused') return both({ kind: 'not-sent', reason: sent.reason });
    const legOf = legsOf(sent.body, symbol);
    return [legOf(stop.clientOrderId), legOf(target.clientOrderId)];
  } catch (error) {
    if (!isReason(error, 'duplicate-order')) return both(failureOf(error));
    // An earlier copy of the same intent has arrived: its orders are the outcome.
    return [await arrived(link, stop), await arrived(link, target)];
  }
}

const both = (outcome: WriteOutcome): readonly [WriteOutcome, WriteOutcome] => [outcome, outcome];

/** Reads the legs of a reply; throws when one is missing, so that neither counts as certain. */
function legsOf(body: unknown, symbol: string): (clientOrderId: string) => WriteOutcome {
  const reports = parseListReports(body);
  return (clientOrderId) => {
    const order = reports.find((each) => each.clientOrderId === clientOrderId) ?? reports[0];
    if (order === undefined) return { kind: 'unknown', cause: 'The reply does not list the orders of the list.' };
    requireOwn(order, symbol, clientOrderId);
    return { kind: 'accepted', order, fills: [] };
  };
}

async function arrived(link: SignedLink, { order, clientOrderId }: ListLeg): Promise<WriteOutcome> {
  const lookup = await findOrder(link, order.symbol, { clientOrderId });
  if (lookup.kind === 'found') return adopt(link, lookup.order);
  return { kind: 'unknown', cause: 'The exchange already has the order list, but it cannot be read yet.' };
}

/**
 * Cancels a list. A reply that does not name a leg, and a refusal because the list has ended, are followed by a query of
 * each leg: one of them may have filled. Never throws.
 */
export async function cancelList(
  link: SignedLink,
  { symbol, listId, legs }: ListIds,
): Promise<readonly WriteOutcome[]> {
  const params = { symbol, listClientOrderId: listId, newClientOrderId: cancelIdOf(listId) };
  const call = {
    ...({ method: 'DELETE', path: LIST_PATH, params, priority: 'exit', weight: 1 } as const),
    waitMs: CANCEL_WAIT_MS,
  };
  try {
    const sent = await sendSigned(link, call);
    if (sent.kind === 'refused') return legs.map(() => ({ kind: 'not-sent', reason: sent.reason }));
    const reports = parseListReports(sent.body);
    return await Promise.all(
      legs.map((clientOrderId) => {
        const order = reports.find((each) => each.clientOrderId === clientOrderId && each.symbol === symbol);
        return order === undefined
          ? queried(link, { symbol, clientOrderId, absent: NOT_NAMED })
          : withFills(link, order);
      }),
    );
  } catch (error) {
    if (!isReason(error, 'cancel-refused')) return legs.map(() => failureOf(error));
    return Promise.all(legs.map((clientOrderId) => queried(link, { symbol, clientOrderId, absent: failureOf(error) })));
  }
}

const NOT_NAMED: WriteOutcome = { kind: 'unknown', cause: 'The cancel of the order list does not name this order.' };

interface Unreported {
  readonly symbol: string;
  readonly clientOrderId: string;
  /** The outcome when the exchange does not know the order. */
  readonly absent: WriteOutcome;
}

/** The state of a leg that the cancel did not report. */
async function queried(link: SignedLink, { symbol, clientOrderId, absent }: Unreported): Promise<WriteOutcome> {
  const lookup = await findOrder(link, symbol, { clientOrderId });
  if (lookup.kind === 'found') return adopt(link, lookup.order);
  return lookup.kind === 'absent' ? absent : { kind: 'unknown', cause: lookup.cause };
}
