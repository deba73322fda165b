import type { ExchangeFill } from '#core/fill.ts';
import { isLiveOrder, readOwnClientOrderId } from '#core/order.ts';
import type { ExchangeOrder, TradingPort } from '#core/ports.ts';
import type { Coin, LiveOrder } from './coin.ts';
import { findOwnOrder, settleOrder } from './settle.ts';

/** The order behind an execution; undefined when the exchange does not know it. Throws while that cannot be told. */
export async function readOrder(
  trading: TradingPort,
  symbol: string,
  exchangeOrderId: string,
): Promise<ExchangeOrder | undefined> {
  const lookup = await trading.findOrder(symbol, { exchangeOrderId });
  if (lookup.kind === 'unreadable') throw new Error(`Order ${exchangeOrderId} of ${symbol}: ${lookup.cause}`);
  return lookup.kind === 'found' ? lookup.order : undefined;
}

/**
 * Orders of these executions, the one that ended first coming first: of whoever has booked some of them, the newest execution
 * that is known lies before the last one of each of the others, also when parts of two orders took turns.
 */
export const byLastExecution = (fills: readonly Pick<ExchangeFill, 'exchangeOrderId'>[]): string[] =>
  [...new Set(fills.map((fill) => fill.exchangeOrderId).toReversed())].toReversed();

/**
 * Books what the exchange has executed for this coin since the last execution that is known, order after order: all own
 * ones, also those that a restored backup does not know. An order whose executions cannot be read now stays live, to be
 * watched. Called while nothing else happens to the coin; throws when the exchange does not answer.
 */
export async function bookMissedOrders(coin: Coin): Promise<void> {
  const { symbol, context } = coin;
  const { account, ports } = context;
  const last = await ports.store.lastTradeId({ accountId: account.id, epoch: account.epoch, symbol });
  const fills = await ports.trading.tradesAfter(symbol, last);
  for (const exchangeOrderId of byLastExecution(fills)) {
    const order = await readOrder(ports.trading, symbol, exchangeOrderId);
    const live = order && (await ownOrder(coin, order));
    if (order === undefined || live === undefined) continue;
    await settleOrder(coin, live, { order, fills: fills.filter((fill) => fill.exchangeOrderId === exchangeOrderId) });
    if (isLiveOrder(live.record.state)) coin.live.set(live.record.clientOrderId, live);
  }
}

/** The order as it is followed, stored when only the exchange knows it; undefined for a foreign one. */
async function ownOrder(coin: Coin, order: ExchangeOrder): Promise<LiveOrder | undefined> {
  const { account, fencing, ports } = coin.context;
  const profileId = coin.profile.id;
  const own = readOwnClientOrderId(order.clientOrderId, profileId, coin.symbol);
  if (own === undefined) return undefined;
  const known = await findOwnOrder(coin, own.clientOrderId);
  if (known !== undefined) return known;
  await ports.store.adoptOwnOrder({ accountId: account.id, profileId, order, own, fencing });
  return findOwnOrder(coin, own.clientOrderId);
}
