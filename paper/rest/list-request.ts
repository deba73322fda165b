import { type Decimal, ZERO } from '#core/amount/decimal.ts';
import type { ResponseType } from './order-json.ts';
import type { ListKind, NewList } from '#paper/exchange/order-list.ts';
import type { NewOrder, OrderType } from '#paper/exchange/order.ts';
import type { OrderSide } from '#paper/market/order-types.ts';
import {
  randomClientId,
  readPrevention,
  readResponseType,
  readTerms,
  requireWord,
  SIDES,
  TYPES,
} from './order-request.ts';
import { finishParams, type Params, readAmount, readClientId, requireSymbol } from './params.ts';
import { deny, missing, RefusedError } from '#paper/exchange/refusal.ts';

export interface ListRequest {
  readonly list: NewList;
  readonly symbol: string;
  readonly responseType: ResponseType;
}

interface ListFields {
  readonly account: string;
  readonly symbol: string;
  readonly prevention: NewOrder['prevention'];
}

type NameOf = (field: string) => string;

/** Parameter names of one order of a list: `price` of the order "above" is `abovePrice`. */
const prefixed =
  (prefix: string): NameOf =>
  (field) =>
    `${prefix}${field.charAt(0).toUpperCase()}${field.slice(1)}`;

/** Parses an OCO pair. */
export function parseOco(params: Params, account: string): ListRequest {
  const base = readBase(params, account);
  const side = requireWord(params, 'side', SIDES);
  const orders = readPair(params, { ...base, side, quantity: requireAmount(params, 'quantity'), nameOf: prefixed('') });
  return finishList(params, base, { kind: 'OCO', orders });
}

/** Parses the older form of a pair: a limit order and a stop. The stop is a limit order too if it has a limit price. */
export function parseOldOco(params: Params, account: string): ListRequest {
  const base = readBase(params, account);
  const side = requireWord(params, 'side', SIDES);
  const quantity = requireAmount(params, 'quantity');
  const common = { ...base, side, quantity };
  const limit = readOrder(params, { ...common, type: 'LIMIT_MAKER', nameOf: oldLimitName });
  const hasLimit = params.values.has('stopLimitPrice');
  const stop = readOrder(params, { ...common, type: hasLimit ? 'STOP_LOSS_LIMIT' : 'STOP_LOSS', nameOf: oldStopName });
  return finishList(params, base, { kind: 'OCO', orders: side === 'SELL' ? [limit, stop] : [stop, limit] });
}

const oldLimitName: NameOf = (field) => (field === 'price' ? field : prefixed('limit')(field));
function oldStopName(field: string): string {
  if (field === 'stopPrice' || field === 'trailingDelta') return field;
  return prefixed(field === 'price' || field === 'timeInForce' ? 'stopLimit' : 'stop')(field);
}

/** Parses an order that triggers another order or a pair. */
export const parseTriggered =
  (kind: Exclude<ListKind, 'OCO'>) =>
  (params: Params, account: string): ListRequest => {
    const base = readBase(params, account);
    const working = readWorking(params, base);
    const nameOf = prefixed('pending');
    const type = kind === 'OTO' ? requireWord(params, 'pendingType', TYPES) : undefined;
    const side = requireWord(params, 'pendingSide', SIDES);
    const leg = { ...base, side, quantity: requireAmount(params, 'pendingQuantity'), nameOf };
    const pending = type === undefined ? readPair(params, leg) : [readOrder(params, { ...leg, type })];
    return finishList(params, base, { kind, orders: [working, ...pending] });
  };

const readBase = (params: Params, account: string): ListFields => ({
  account,
  symbol: requireSymbol(params),
  prevention: readPrevention(params),
});

function finishList(params: Params, { symbol }: ListFields, list: Pick<NewList, 'kind' | 'orders'>): ListRequest {
  const clientListId = readClientId(params, 'listClientOrderId') ?? randomClientId();
  const responseType = readResponseType(params) ?? 'RESULT';
  finishParams(params);
  return { list: { ...list, clientListId }, symbol, responseType };
}

function readWorking(params: Params, base: ListFields): NewOrder {
  const type = requireWord(params, 'workingType', { ...TYPES, words: ['LIMIT', 'LIMIT_MAKER'] });
  const side = requireWord(params, 'workingSide', SIDES);
  const quantity = requireAmount(params, 'workingQuantity');
  return readOrder(params, { ...base, side, type, quantity, nameOf: prefixed('working') });
}

interface Leg extends ListFields {
  readonly side: OrderSide;
  readonly quantity: Decimal;
  readonly nameOf: NameOf;
}

function readOrder(params: Params, { nameOf, ...order }: Leg & { readonly type: OrderType }): NewOrder {
  const terms = readTerms(params, { type: order.type, quantity: order.quantity, nameOf });
  return { ...order, ...terms, quoteQuantity: ZERO };
}

function readPair(params: Params, leg: Leg): NewOrder[] {
  const legs = (['above', 'below'] as const).map((place) => {
    const name = lowerFirst(leg.nameOf(place));
    return { ...leg, place, name, type: requireWord(params, `${name}Type`, TYPES) };
  });
  if (legs.every((leg) => leg.type === 'LIMIT_MAKER')) deny(-1168, 'At least one OCO order must be contingent.');
  for (const { type, side, place } of legs) checkPlace(type, side, place);
  return legs.map(({ name, place: _, ...leg }) => readOrder(params, { ...leg, nameOf: prefixed(name) }));
}

const lowerFirst = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/**
 * Allowed positions. In a sell, take profits and plain limits are above and losses below; in a buy it is the reverse.
 */
function checkPlace(type: OrderType, side: OrderSide, place: 'above' | 'below'): void {
  if (type === 'LIMIT' || type === 'MARKET') deny(-1158, 'Order type not supported in OCO.');
  const isLoss = type.startsWith('STOP_LOSS');
  const belongs = isLoss === (side === 'BUY') ? 'above' : 'below';
  if (place === belongs) return;
  const kind = isLoss ? 'stop loss' : type === 'LIMIT_MAKER' ? 'limit' : 'take profit';
  deny(PLACE_CODES[`${side} ${kind}`], `A ${kind} order in a ${side.toLowerCase()} OCO must be ${belongs}.`);
}

const PLACE_CODES = {
  'BUY limit': -1165,
  'SELL limit': -1166,
  'BUY stop loss': -1196,
  'SELL stop loss': -1197,
  'BUY take profit': -1198,
  'SELL take profit': -1199,
} as const;

function requireAmount(params: Params, name: string): Decimal {
  const amount = readAmount(params, name);
  if (amount === undefined) throw new RefusedError(missing(name));
  return amount;
}
