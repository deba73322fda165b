import { randomBytes } from 'node:crypto';
import { type Decimal, ZERO } from '#core/amount/decimal.ts';
import type { ResponseType } from './order-json.ts';
import { DEFAULT_PREVENTION, isStop, type NewOrder, type OrderType, type TimeInForce } from '#paper/exchange/order.ts';
import { ORDER_TYPES, PREVENTION_MODES } from '#paper/market/order-types.ts';
import {
  finishParams,
  type Params,
  readAmount,
  readClientId,
  readInteger,
  readText,
  readWord,
  requireSymbol,
  requireText,
} from './params.ts';
import {
  bothMissing,
  deny,
  ICEBERG_TOO_LARGE,
  missing,
  notRequired,
  notValid,
  RefusedError,
  rejected,
} from '#paper/exchange/refusal.ts';

export const SIDES = { words: ['BUY', 'SELL'], code: -1117, message: 'Invalid side.' } as const;
export const TYPES = { words: ORDER_TYPES, code: -1116, message: 'Invalid orderType.' } as const;
const TIMES = { words: ['GTC', 'IOC', 'FOK'], code: -1115, message: 'Invalid timeInForce.' } as const;
const RESPONSES = ['ACK', 'RESULT', 'FULL'] as const satisfies ResponseType[];
const SMALLEST_STRATEGY_TYPE = 1_000_000;

export interface OrderRequest {
  readonly order: NewOrder;
  readonly responseType: ResponseType;
}

/** A client order id in the format of the exchange's generated ids. */
export const randomClientId = (): string => randomBytes(16).toString('base64url').slice(0, 22);

/** Parses the parameters of a placement. Throws RefusedError in the exchange's order of checks. */
export function parseOrderRequest(params: Params, account: string): OrderRequest {
  const parsed = readOrderRequest(params, account);
  finishParams(params);
  return parsed;
}

/** Like `parseOrderRequest`, for requests that carry more than an order. */
export function readOrderRequest(params: Params, account: string): OrderRequest {
  const symbol = requireSymbol(params);
  const side = requireWord(params, 'side', SIDES);
  const type = requireWord(params, 'type', TYPES);
  const { quantity, quoteQuantity } = readQuantities(params, type);
  const terms = readTerms(params, { type, quantity, nameOf: plainName });
  const responseType = readResponseType(params) ?? (type === 'LIMIT' || type === 'MARKET' ? 'FULL' : 'ACK');
  const prevention = readPrevention(params);
  const order = { account, symbol, side, type, quantity, quoteQuantity, prevention, ...terms };
  return { order, responseType };
}

/** A required word of a closed list. */
export function requireWord<Word extends string>(
  params: Params,
  name: string,
  list: { readonly words: readonly Word[]; readonly code: number; readonly message: string },
): Word {
  requireText(params, name);
  return readWord(params, name, list) ?? deny(list.code, list.message);
}

export const readResponseType = (params: Params): ResponseType | undefined =>
  readWord(params, 'newOrderRespType', { words: RESPONSES, ...notValid('newOrderRespType') });

export function readPrevention(params: Params): NewOrder['prevention'] {
  const name = 'selfTradePreventionMode';
  if (params.values.get(name) === 'TRANSFER')
    deny(-1013, 'The self-trade prevention mode TRANSFER is not supported by the paper exchange.');
  return readWord(params, name, { words: PREVENTION_MODES, ...notValid(name) }) ?? DEFAULT_PREVENTION;
}

/** Parameter names of an order that is alone in its request. */
const plainName = (name: string): string => (name === 'clientOrderId' ? 'newClientOrderId' : name);

function readQuantities(params: Params, type: OrderType): Pick<NewOrder, 'quantity' | 'quoteQuantity'> {
  const quantity = readAmount(params, 'quantity');
  const quoteQuantity = readAmount(params, 'quoteOrderQty');
  if (type === 'MARKET' && quantity === undefined && quoteQuantity === undefined)
    throw new RefusedError(bothMissing('quantity', 'quoteOrderQty'));
  if (type !== 'MARKET' || quantity !== undefined) refuseSent({ quoteOrderQty: quoteQuantity });
  if (type !== 'MARKET' && quantity === undefined) throw new RefusedError(missing('quantity'));
  return { quantity: quantity ?? ZERO, quoteQuantity: quoteQuantity ?? ZERO };
}

type Terms = Pick<
  NewOrder,
  | 'clientOrderId'
  | 'timeInForce'
  | 'price'
  | 'stopPrice'
  | 'trailingDelta'
  | 'icebergQuantity'
  | 'strategyId'
  | 'strategyType'
>;

/**
 * The fields that an order type requires, in addition to side and quantity. `nameOf` gives the parameter of a field.
 */
export function readTerms(
  params: Params,
  order: {
    readonly type: OrderType;
    readonly quantity: Decimal;
    readonly nameOf: (field: string) => string;
  },
): Terms {
  const { type, nameOf } = order;
  const hasLimit = type === 'LIMIT' || type.endsWith('_LIMIT');
  refusePeg(params, nameOf);
  const prices = readPrices(params, type, nameOf);
  const timeInForce = hasLimit ? readTime(params, nameOf('timeInForce')) : noTime(params, nameOf('timeInForce'));
  const icebergQuantity = readAmount(params, nameOf('icebergQty')) ?? ZERO;
  if (icebergQuantity > 0n && !hasLimit && type !== 'LIMIT_MAKER') refuseSent({ [nameOf('icebergQty')]: ZERO });
  if (icebergQuantity > 0n && timeInForce !== 'GTC') {
    const name = nameOf('icebergQty');
    if (name === 'icebergQty') deny(-1014, 'Unsupported order combination.');
    deny(-1160, `Parameter '${name}' is not supported if \`aboveTimeInForce\`/\`belowTimeInForce\` is not GTC.`);
  }
  if (icebergQuantity > order.quantity) throw new RefusedError(rejected(ICEBERG_TOO_LARGE));
  const strategyId = readInteger(params, nameOf('strategyId')) ?? null;
  const strategyType = readInteger(params, nameOf('strategyType')) ?? null;
  if (strategyType !== null && strategyType < SMALLEST_STRATEGY_TYPE)
    deny(-1134, 'strategyType was less than 1000000.');
  const clientOrderId = readClientId(params, nameOf('clientOrderId')) ?? randomClientId();
  return { ...prices, timeInForce, icebergQuantity, strategyId, strategyType, clientOrderId };
}

/** An order without its peg would be a different order. */
function refusePeg(params: Params, nameOf: (field: string) => string): void {
  if (['pegPriceType', 'pegOffsetType', 'pegOffsetValue'].some((field) => params.values.has(nameOf(field))))
    throw new RefusedError(rejected('Pegged orders are not supported by the paper exchange.'));
}

function readPrices(
  params: Params,
  type: OrderType,
  nameOf: (field: string) => string,
): Pick<NewOrder, 'price' | 'stopPrice' | 'trailingDelta'> {
  const price = readAmount(params, nameOf('price'));
  const stopPrice = readAmount(params, nameOf('stopPrice'));
  const trailingDelta = readInteger(params, nameOf('trailingDelta'));
  const needsPrice = type === 'LIMIT_MAKER' || type === 'LIMIT' || type.endsWith('_LIMIT');
  if (!needsPrice) refuseSent({ [nameOf('price')]: price });
  else if (price === undefined) throw new RefusedError(missing(nameOf('price')));
  if (!isStop(type)) refuseSent({ [nameOf('stopPrice')]: stopPrice, [nameOf('trailingDelta')]: trailingDelta });
  else if (stopPrice === undefined && trailingDelta === undefined)
    throw new RefusedError(bothMissing(nameOf('stopPrice'), nameOf('trailingDelta')));
  return { price: price ?? ZERO, stopPrice: stopPrice ?? ZERO, trailingDelta: trailingDelta ?? 0 };
}

function refuseSent(values: Readonly<Record<string, unknown>>): void {
  const sent = Object.entries(values).find(([, value]) => value !== undefined);
  if (sent !== undefined) throw new RefusedError(notRequired(sent[0]));
}

const readTime = (params: Params, name: string): TimeInForce => requireWord(params, name, TIMES);

function noTime(params: Params, name: string): TimeInForce {
  refuseSent({ [name]: readText(params, name) });
  return 'GTC';
}
