import { type Decimal, formatFixed, multiply, ZERO } from '#core/amount/decimal.ts';
import type { Report } from '#paper/exchange/matching-engine.ts';
import type { Accepted } from '#paper/exchange/matching.ts';
import { type Fill, isOpen, isStop, type Order, type PreventedMatch } from '#paper/exchange/order.ts';
import type { BalanceRow } from '#paper/exchange/balances.ts';

export const fixed8 = (value: Decimal): string => formatFixed(value, 8);
const NONE = 'NONE';
/** No account is in a trade group. */
const NO_GROUP = -1;

/** An order as in the answers of queries. */
export const queriedOrder = (order: Readonly<Order>): Record<string, unknown> => ({
  symbol: order.symbol,
  orderId: order.id,
  orderListId: order.listId,
  clientOrderId: order.clientOrderId,
  price: fixed8(order.price),
  origQty: fixed8(order.quantity),
  executedQty: fixed8(order.executed),
  cummulativeQuoteQty: fixed8(order.executedQuote),
  status: order.status,
  timeInForce: order.timeInForce,
  type: order.type,
  side: order.side,
  stopPrice: fixed8(order.stopPrice),
  icebergQty: fixed8(order.icebergQuantity),
  time: order.createdMs,
  updateTime: order.updatedMs,
  isWorking: order.working,
  workingTime: order.workingMs,
  origQuoteOrderQty: fixed8(order.quoteQuantity),
  selfTradePreventionMode: order.prevention,
  ...optional(order),
});

/** Fields that only some kinds of orders have. */
const optional = (order: Readonly<Order>): Record<string, unknown> => ({
  ...(order.preventedMatchId < 0 ? {} : { preventedMatchId: order.preventedMatchId }),
  ...(order.prevented === ZERO ? {} : { preventedQuantity: fixed8(order.prevented) }),
  ...(order.strategyId === null ? {} : { strategyId: order.strategyId }),
  ...(order.strategyType === null ? {} : { strategyType: order.strategyType }),
  ...trailing(order),
  ...(order.expiryReason === NONE ? {} : { expiryReason: order.expiryReason }),
});

const trailing = (order: Readonly<Order>): Record<string, unknown> =>
  order.trailingDelta === 0 ? {} : { trailingDelta: order.trailingDelta, trailingTime: order.trailingMs };

export type ResponseType = 'ACK' | 'RESULT' | 'FULL';

/** The answer to a placement. */
export function placedOrder(
  { order, fills, prevented }: Pick<Accepted, 'order' | 'fills' | 'prevented'>,
  type: ResponseType,
): Record<string, unknown> {
  const ack = {
    symbol: order.symbol,
    orderId: order.id,
    orderListId: order.listId,
    clientOrderId: order.clientOrderId,
    transactTime: order.updatedMs,
  };
  if (type === 'ACK') return ack;
  return {
    ...ack,
    ...amounts(order),
    workingTime: order.workingMs,
    ...stop(order),
    ...(type === 'FULL' ? { fills: fills.map(placedFill) } : {}),
    ...(prevented.length === 0 ? {} : { preventedMatches: prevented.map(placedPrevention) }),
    selfTradePreventionMode: order.prevention,
    ...optional(order),
  };
}

const placedPrevention = (match: PreventedMatch): Record<string, unknown> => ({
  preventedMatchId: match.id,
  makerOrderId: match.makerOrderId,
  price: fixed8(match.price),
  ...preventedQuantities(match),
});

const preventedQuantities = ({ takerQuantity, makerQuantity }: PreventedMatch): Record<string, unknown> => ({
  ...(takerQuantity > 0n ? { takerPreventedQuantity: fixed8(takerQuantity) } : {}),
  ...(makerQuantity > 0n ? { makerPreventedQuantity: fixed8(makerQuantity) } : {}),
});

/** A row of myPreventedMatches. */
export const preventedMatch = (match: PreventedMatch): Record<string, unknown> => ({
  symbol: match.symbol,
  preventedMatchId: match.id,
  takerOrderId: match.takerOrderId,
  makerSymbol: match.symbol,
  makerOrderId: match.makerOrderId,
  tradeGroupId: NO_GROUP,
  selfTradePreventionMode: match.mode,
  price: fixed8(match.price),
  ...preventedQuantities(match),
  transactTime: match.atMs,
});

/** The answer to a cancel. `clientOrderId` is the cancel's own id. */
export const canceledOrder = (order: Readonly<Order>, origClientOrderId: string): Record<string, unknown> => ({
  symbol: order.symbol,
  origClientOrderId,
  orderId: order.id,
  orderListId: order.listId,
  clientOrderId: order.clientOrderId,
  transactTime: order.updatedMs,
  ...amounts(order),
  ...stop(order),
  selfTradePreventionMode: order.prevention,
  ...optional(order),
});

const amounts = (order: Readonly<Order>): Record<string, unknown> => ({
  price: fixed8(order.price),
  origQty: fixed8(order.quantity),
  executedQty: fixed8(order.executed),
  origQuoteOrderQty: fixed8(order.quoteQuantity),
  cummulativeQuoteQty: fixed8(order.executedQuote),
  status: order.status,
  timeInForce: order.timeInForce,
  type: order.type,
  side: order.side,
});

const stop = (order: Readonly<Order>): Record<string, unknown> => ({
  ...(isStop(order.type) && order.stopPrice > 0n ? { stopPrice: fixed8(order.stopPrice) } : {}),
  ...(order.icebergQuantity > 0n ? { icebergQty: fixed8(order.icebergQuantity) } : {}),
});

const placedFill = (fill: Fill): Record<string, unknown> => ({
  price: fixed8(fill.price),
  qty: fixed8(fill.quantity),
  commission: fixed8(fill.commission),
  commissionAsset: fill.commissionAsset,
  tradeId: fill.id,
});

/** A row of myTrades. */
export const accountTrade = (fill: Fill): Record<string, unknown> => ({
  symbol: fill.symbol,
  id: fill.id,
  orderId: fill.orderId,
  orderListId: fill.listId,
  price: fixed8(fill.price),
  qty: fixed8(fill.quantity),
  quoteQty: fixed8(fill.quote),
  commission: fixed8(fill.commission),
  commissionAsset: fill.commissionAsset,
  time: fill.atMs,
  isBuyer: fill.side === 'BUY',
  isMaker: fill.maker,
  isBestMatch: true,
});

/** The executionReport event of the user stream. */
export function executionReport(report: Report): Record<string, unknown> {
  const { order, fill, prevented } = report;
  return {
    e: 'executionReport',
    E: report.atMs,
    s: order.symbol,
    c: order.clientOrderId,
    S: order.side,
    o: order.type,
    f: order.timeInForce,
    q: fixed8(order.quantity),
    p: fixed8(order.price),
    P: fixed8(order.stopPrice),
    F: fixed8(order.icebergQuantity),
    g: order.listId,
    C: report.originalClientId,
    x: report.execution,
    X: order.status,
    r: NONE,
    i: order.id,
    l: fixed8(fill?.quantity ?? ZERO),
    z: fixed8(order.executed),
    L: fixed8(fill?.price ?? ZERO),
    n: fill === null ? '0' : fixed8(fill.commission),
    N: fill?.commissionAsset ?? null,
    T: report.atMs,
    t: fill?.id ?? -1,
    I: report.executionId,
    w: order.working && isOpen(order),
    m: fill?.maker ?? false,
    M: fill !== null,
    O: order.createdMs,
    Z: fixed8(order.executedQuote),
    Y: fixed8(fill?.quote ?? ZERO),
    Q: fixed8(order.quoteQuantity),
    V: order.prevention,
    ...(order.trailingDelta === 0 ? {} : { d: order.trailingDelta, D: order.trailingMs }),
    ...(order.strategyId === null ? {} : { j: order.strategyId }),
    ...(order.strategyType === null ? {} : { J: order.strategyType }),
    ...(order.prevented === ZERO ? {} : { A: fixed8(order.prevented) }),
    ...(prevented === null ? {} : preventionOf(order, prevented)),
    ...(order.working ? { W: order.workingMs } : {}),
    ...(order.expiryReason === NONE ? {} : { eR: order.expiryReason }),
  };
}

function preventionOf(order: Readonly<Order>, match: PreventedMatch): Record<string, unknown> {
  const isTaker = order.id === match.takerOrderId;
  const quantity = isTaker ? match.takerQuantity : match.makerQuantity;
  return {
    v: match.id,
    B: fixed8(quantity),
    u: NO_GROUP,
    U: isTaker ? match.makerOrderId : match.takerOrderId,
    Cs: match.symbol,
    pl: fixed8(quantity),
    pL: fixed8(match.price),
    pY: fixed8(multiply(match.price, quantity)),
  };
}

/** The outboundAccountPosition event of the user stream: the balances that may have changed. */
export const accountPosition = (rows: readonly BalanceRow[], atMs: number): Record<string, unknown> => ({
  e: 'outboundAccountPosition',
  E: atMs,
  u: atMs,
  B: rows.map(({ asset, balance }) => ({ a: asset, f: fixed8(balance.free), l: fixed8(balance.locked) })),
});

/** The change of the free balance by a deposit or a withdrawal; negative for a withdrawal. */
export const balanceUpdate = (
  { asset, amount }: { readonly asset: string; readonly amount: Decimal },
  atMs: number,
): Record<string, unknown> => ({ e: 'balanceUpdate', E: atMs, a: asset, d: fixed8(amount), T: atMs });
