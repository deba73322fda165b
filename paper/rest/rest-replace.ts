import type { Account } from '#paper/exchange/accounts.ts';
import { cancelOrder, placeOrder } from '#paper/exchange/matching.ts';
import { canceledOrder, placedOrder, type ResponseType } from './order-json.ts';
import {
  type CancelRestriction,
  findCancelable,
  readRestriction,
  readSelector,
  type OrderSelector,
} from './order-lookup.ts';
import type { NewOrder } from '#paper/exchange/order.ts';
import { randomClientId, readOrderRequest, requireWord } from './order-request.ts';
import { finishParams, type Params, readClientId, readWord } from './params.ts';
import { notValid, type Refusal, RefusedError, refuse } from '#paper/exchange/refusal.ts';
import { requireFilters, requireListed } from './rest-trading.ts';
import type { SignedRoute } from './routes.ts';
import { catchUp, commit, activate, type Venue } from '#paper/exchange/venue.ts';

/** Cancel and place in one request. This is no transaction: one half may succeed alone. */
export const replaceRoutes = (venue: Venue): SignedRoute[] => [
  {
    ...{ method: 'POST', path: '/api/v3/order/cancelReplace', wsMethod: 'order.cancelReplace', weight: 1 },
    ...{ security: 'trade', freeWhenDone: true, placesOrder: true },
    handle: (params, account) => replace(venue, account, parseReplacement(params, account)),
    whenLimited: (params, account, refusal) =>
      replaceLimited(venue, account, { ...parseReplacement(params, account), refusal }),
  },
];

const MODES = ['STOP_ON_FAILURE', 'ALLOW_FAILURE'] as const;
const LIMITED_MODES = ['DO_NOTHING', 'CANCEL_ONLY'] as const;

interface Replacement {
  readonly mode: (typeof MODES)[number];
  readonly limitedMode: (typeof LIMITED_MODES)[number];
  readonly wanted: OrderSelector;
  readonly restriction: CancelRestriction;
  readonly cancelId: string;
  readonly order: NewOrder;
  readonly responseType: ResponseType;
}

function parseReplacement(params: Params, account: Account): Replacement {
  const { order, responseType } = readOrderRequest(params, account.name);
  const mode = requireWord(params, 'cancelReplaceMode', { words: MODES, ...notValid('cancelReplaceMode') });
  const limited = { words: LIMITED_MODES, ...notValid('orderRateLimitExceededMode') };
  const limitedMode = readWord(params, 'orderRateLimitExceededMode', limited) ?? 'DO_NOTHING';
  const names = { orderId: 'cancelOrderId', clientOrderId: 'cancelOrigClientOrderId' };
  const wanted = readSelector(params, order.symbol, names);
  const restriction = readRestriction(params);
  const cancelId = readClientId(params, 'cancelNewClientOrderId') ?? randomClientId();
  finishParams(params);
  return { mode, limitedMode, wanted, restriction, cancelId, order, responseType };
}

/** The result of one half: its answer, or the code and message of its refusal. */
interface PartResult {
  readonly result: 'SUCCESS' | 'FAILURE' | 'NOT_ATTEMPTED';
  readonly response: unknown;
}
const NOT_ATTEMPTED: PartResult = { result: 'NOT_ATTEMPTED', response: null };

const failed = ({ code, message }: Refusal): PartResult => ({ result: 'FAILURE', response: { code, msg: message } });

/** Filters and counts of open orders are checked before the cancel, balances and the book after it. */
function replace(venue: Venue, account: Account, request: Replacement): unknown {
  requireListed(venue, request.order.symbol, ['cancelReplaceAllowed']);
  requireFilters(venue, [request.order]);
  activate(venue, request.order.symbol);
  const atMs = catchUp(venue);
  const canceled = cancelFirst(venue, account, { ...request, atMs });
  const continues = canceled.result === 'SUCCESS' || request.mode === 'ALLOW_FAILURE';
  const placed = continues ? placeThen(venue, request, atMs) : NOT_ATTEMPTED;
  commit(venue, atMs);
  return answer(canceled, placed);
}

/** The order limit is reached: executes only the cancel, if the request allows it. */
function replaceLimited(venue: Venue, account: Account, request: Replacement & { readonly refusal: Refusal }): never {
  if (request.limitedMode === 'DO_NOTHING') throw new RefusedError(request.refusal);
  const atMs = catchUp(venue);
  const canceled = cancelFirst(venue, account, { ...request, atMs });
  commit(venue, atMs);
  const status = request.mode === 'STOP_ON_FAILURE' ? 429 : 409;
  const skipsPlacement = canceled.result === 'FAILURE' && request.mode === 'STOP_ON_FAILURE';
  throw refusalOf(canceled, skipsPlacement ? NOT_ATTEMPTED : failed(request.refusal), status);
}

function cancelFirst(venue: Venue, account: Account, request: Replacement & { readonly atMs: number }): PartResult {
  const found = findCancelable(venue, account, request);
  if (found.kind === 'refused') return failed(found);
  const originalId = found.order.clientOrderId;
  cancelOrder(venue.engine, found.order, { id: request.cancelId, atMs: request.atMs });
  return { result: 'SUCCESS', response: canceledOrder(found.order, originalId) };
}

function placeThen(venue: Venue, request: Replacement, atMs: number): PartResult {
  const placed = placeOrder(venue.engine, request.order, atMs);
  if (placed.kind === 'refused') return failed(placed);
  return { result: 'SUCCESS', response: placedOrder(placed, request.responseType) };
}

const bodyOf = (canceled: PartResult, placed: PartResult): Record<string, unknown> => ({
  cancelResult: canceled.result,
  newOrderResult: placed.result,
  cancelResponse: canceled.response,
  newOrderResponse: placed.response,
});

function answer(canceled: PartResult, placed: PartResult): unknown {
  if (canceled.result === 'SUCCESS' && placed.result === 'SUCCESS') return bodyOf(canceled, placed);
  throw refusalOf(canceled, placed, 409);
}

function refusalOf(canceled: PartResult, placed: PartResult, partlyStatus: number): RefusedError {
  const partly = canceled.result === 'SUCCESS' || placed.result === 'SUCCESS';
  const refusal = partly
    ? refuse(-2021, 'Order cancel-replace partially failed.', partlyStatus)
    : refuse(-2022, 'Order cancel-replace failed.');
  return new RefusedError({ ...refusal, data: bodyOf(canceled, placed) });
}
