import { formatDecimal } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { isLiveOrder, readOwnClientOrderId } from '#core/order/order.ts';
import { formOf } from '#core/account/orphan.ts';
import type { TradingPort } from '#core/ports/exchange.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import type { Coin } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { findOwnOrder, logRow, settleOrder } from '#engine/tick/settle.ts';

/**
 * The order of an execution. Throws while it cannot be read, and also when the exchange reports it as absent: an
 * executed order exists, and skipping it would leave an own execution unrecorded.
 */
export async function readOrder(trading: TradingPort, symbol: string, exchangeOrderId: string): Promise<ExchangeOrder> {
  const lookup = await trading.findOrder(symbol, { exchangeOrderId });
  if (lookup.kind === 'found') return lookup.order;
  const cause = lookup.kind === 'unreadable' ? lookup.cause : 'the exchange has executed it and says it does not exist';
  throw new Error(`Order ${exchangeOrderId} of ${symbol}: ${cause}`);
}

/**
 * Order ids of these executions, the order that ended first at the front. A crash may end the recording between two
 * orders. The newest recorded execution is then older than the last execution of every remaining order, also of
 * interleaved ones.
 */
export const byLastExecution = (fills: readonly Pick<ExchangeFill, 'exchangeOrderId'>[]): string[] =>
  [...new Set(fills.map((fill) => fill.exchangeOrderId).toReversed())].toReversed();

/**
 * Records all own executions of this coin since the last recorded one, order by order. It includes orders that a
 * restored backup does not know. An order whose executions cannot be read now stays live and is watched. Call it while
 * nothing else happens to the coin. Throws when the exchange does not answer.
 */
export async function bookMissedOrders(coin: Coin): Promise<void> {
  const { symbol, context } = coin;
  const { account, ports } = context;
  const last = await ports.store.lastTradeId({ accountId: account.id, epoch: account.epoch, symbol });
  const fills = await ports.trading.tradesAfter(symbol, last);
  for (const exchangeOrderId of byLastExecution(fills)) {
    const order = await readOrder(ports.trading, symbol, exchangeOrderId);
    const live = await adoptOrder(coin, order);
    if (live === undefined) continue;
    await settleOrder(coin, live, { order, fills: fills.filter((fill) => fill.exchangeOrderId === exchangeOrderId) });
    if (isLiveOrder(live.record.state)) coin.live.set(live.record.clientOrderId, live);
  }
}

/**
 * Records and watches own resting orders that a restored backup does not know: they lock the quantity that the coin has
 * to sell. Legs of order lists and unknown order types stay orphans. Throws when the exchange does not answer.
 */
export async function adoptOpenOrders(coin: Coin): Promise<void> {
  const { orders } = await coin.context.ports.trading.openOrders(coin.symbol);
  for (const order of orders) {
    const live = formOf(order) === null ? undefined : await adoptOrder(coin, order);
    if (live === undefined || coin.live.has(live.record.clientOrderId)) continue;
    await settleOrder(coin, live, { order, fills: [] });
    if (isLiveOrder(live.record.state)) coin.live.set(live.record.clientOrderId, live);
  }
}

/**
 * The own order that the exchange reports; it is recorded first when only the exchange knows it. Undefined for a
 * foreign order and for an order that this run has settled.
 */
export async function adoptOrder(coin: Coin, order: ExchangeOrder): Promise<LiveOrder | undefined> {
  const { account, fencing, ports } = coin.context;
  const profileId = coin.profile.id;
  const own = readOwnClientOrderId(order.clientOrderId, profileId, coin.symbol);
  if (own === undefined || coin.settled.has(own.clientOrderId)) return undefined;
  const known = await findOwnOrder(coin, own.clientOrderId);
  if (known !== undefined) return known;
  await ports.store.adoptOwnOrder({ accountId: account.id, profileId, order, own, fencing });
  const adopted = await findOwnOrder(coin, own.clientOrderId);
  if (adopted !== undefined) logAdoption(coin, order, adopted);
  return adopted;
}

function logAdoption(coin: Coin, { exchangeOrderId, state, ...order }: ExchangeOrder, { record }: LiveOrder): void {
  const { clientOrderId, id: orderId, purpose } = record;
  const quantity = formatDecimal(order.quantity);
  logRow(coin, {
    level: 'warn',
    msg: `An order of this profile was on the exchange but not in the database. It is recorded now: ${purpose} of ${quantity} ${coin.rules.baseAsset}.`,
    ctx: {
      ...{ event: 'order_adopted', orderId, clientOrderId, exchangeOrderId, state, quantity },
      filledQuantity: formatDecimal(order.filledQuantity),
    },
  });
}
