import { add, divide, formatDecimal, formatRounded, maximum, ZERO } from '#core/amount/decimal.ts';
import { exitCause } from '#core/decision/exit-cause.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { newId } from '#core/ids.ts';
import { isLiveOrder, isOwnClientOrderId } from '#core/order/order.ts';
import type { LogLevel } from '#core/ports/records.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { marketNow } from '#engine/state/account-context.ts';
import { noteFeeAsset } from '#engine/state/base-fee.ts';
import { type Coin, liveOrderOf, refreshView, toKeep } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';

/** An order as the exchange reports it, with the executions of the same message. */
interface SeenOrder {
  readonly order: ExchangeOrder;
  readonly fills: readonly ExchangeFill[];
}

/**
 * Updates a stored order to the state that the exchange reports. Fills are applied before the order becomes final:
 * after a crash in between, the next start looks the order up again. Returns false while executions are missing.
 */
export async function settleOrder(coin: Coin, live: LiveOrder, seenNow: SeenOrder): Promise<boolean> {
  const { order: seen, fills } = seenNow;
  const { store } = coin.context.ports;
  const { id } = live.record;
  if (live.record.exchangeOrderId === null || live.record.state === 'intent' || live.record.state === 'unknown') {
    live.record = await store.updateOrder(id, {
      state: 'open',
      exchangeOrderId: seen.exchangeOrderId,
      at: seen.updatedAt,
    });
    coin.breaker.accepted(live.record.purpose);
  }
  live.reported = maximum(live.reported, seen.filledQuantity);
  for (const fill of fills) await applyFill(coin, live, fill);
  if (live.applied < seen.filledQuantity) {
    for (const fill of await readFills(coin, seen.exchangeOrderId)) await applyFill(coin, live, fill);
  }
  const complete = live.applied >= seen.filledQuantity;
  const partly = live.applied > ZERO ? 'partially-filled' : 'open';
  live.record = await store.updateOrder(id, {
    state: complete ? seen.state : partly,
    // The stored row may come from a backup that was just restored.
    exchangeOrderId: seen.exchangeOrderId,
    filledQuantity: live.applied,
    at: seen.updatedAt,
    ...(complete ? { filledQuote: seen.filledQuote } : {}),
    ...(seen.selfTradePrevented && { payload: { reason: 'self-trade-prevented' } }),
  });
  live.certainAtMs = null;
  if (complete && !isLiveOrder(live.record.state)) {
    finishOrder(coin, live);
    if (seen.selfTradePrevented) reportPrevented(coin, live);
  } else coin.context.wallet.settle(id, performance.now());
  announceOrder(coin, live);
  return complete;
}

/** Empty when the query fails: the order stays open, the watch queries it again, and other coins do not wait. */
async function readFills({ context, symbol }: Coin, exchangeOrderId: string): Promise<ExchangeFill[]> {
  try {
    return await context.ports.trading.fillsOf(symbol, exchangeOrderId);
  } catch (err) {
    const fields = { event: 'fills_not_read', symbol, exchangeOrderId, err };
    context.ports.log.warn(fields, 'The fills of an order could not be read; trying again');
    return [];
  }
}

/** Applies one fill to the position; a repeated fill changes nothing. */
async function applyFill(coin: Coin, live: LiveOrder, fill: ExchangeFill): Promise<void> {
  const { context, rules, bound } = coin;
  const feeQuote = context.feePrices.valueOf(fill, rules);
  const result = await context.ports.store.applyFill({
    accountId: context.account.id,
    epoch: context.account.epoch,
    orderId: live.record.id,
    fill,
    rules,
    cooldownMs: bound.shared.lossCooldownMs,
    feeQuote,
  });
  coin.version = result.version;
  if (!result.applied) return;
  noteFeeAsset(context, fill, rules);
  live.applied = add(live.applied, fill.quantity);
  coin.position = result.position;
  live.unvaluedFee ||= feeQuote === null;
  // Before the next decision: first count the result of this fill, then lower what the order still reserves.
  await context.risk.booked();
  if (fill.side === 'buy') context.risk.spent(live.record.id, fill.quoteQuantity);
  coin.levels = await context.ports.store.levelFills(coin.profile.id, coin.symbol);
  refreshView(coin);
  coin.instance.onFill(fill.side, coin.view);
  await context.ports.store.saveStrategyStates([toKeep(coin)]);
  context.ports.announce({ topic: 'position', id: coin.profile.id, data: { symbol: coin.symbol } });
}

/**
 * The own order that an event of the exchange belongs to: an order in flight, or one that this run has not settled,
 * such as one that was declared never arrived. Undefined for foreign orders and for repeated events of settled orders.
 */
export async function findOwnOrder(coin: Coin, clientOrderId: string): Promise<LiveOrder | undefined> {
  const live = coin.live.get(clientOrderId);
  if (live !== undefined) return live;
  if (coin.settled.has(clientOrderId) || !isOwnClientOrderId(clientOrderId, coin.profile.id, coin.symbol))
    return undefined;
  const record = await coin.context.ports.store.findOrderByClientId(coin.context.account.id, clientOrderId);
  return record === undefined ? undefined : liveOrderOf(record);
}

const MOST_SETTLED = 500;

function finishOrder(coin: Coin, live: LiveOrder): void {
  coin.live.delete(live.record.clientOrderId);
  coin.settled.add(live.record.clientOrderId);
  const [oldest] = coin.settled;
  if (coin.settled.size > MOST_SETTLED && oldest !== undefined) coin.settled.delete(oldest);
  coin.context.wallet.settle(live.record.id, performance.now());
  coin.context.risk.finish(live.record.id);
  if (live.applied === ZERO) return;
  if (live.unvaluedFee) warnUnvalued(coin, live);
  const { side, filledQuote, reason } = live.record;
  const price = divide(filledQuote, live.applied);
  const { baseAsset, quoteAsset } = coin.rules;
  const places = moneyPlaces(quoteAsset);
  const net = side === 'sell' ? coin.position.lastCycleNet : null;
  const closed = net !== null && coin.position.firstBuyAt === null;
  const verb = side === 'buy' ? 'Bought' : 'Sold';
  const cause = side === 'buy' ? '' : ` (${exitCause(reason)})`;
  const result = closed ? ` The trade closed with ${formatRounded(net, places)} ${quoteAsset} after fees.` : '';
  logRow(coin, {
    level: 'info',
    msg: `${verb} ${formatDecimal(live.applied)} ${baseAsset} at ${shortPrice(coin, price)} for ${formatRounded(filledQuote, places)} ${quoteAsset}${cause}.${result}`,
    ctx: {
      event: 'order_filled',
      orderId: live.record.id,
      clientOrderId: live.record.clientOrderId,
      exchangeOrderId: live.record.exchangeOrderId,
      reason,
      side,
      quantity: formatDecimal(live.applied),
      quote: formatDecimal(filledQuote),
      ...(closed ? { cycleNet: formatDecimal(net) } : {}),
    },
  });
}

/** Only a report: the coin's next tick decides again and places a missing stop. */
function reportPrevented(coin: Coin, { record }: LiveOrder): void {
  const { id, clientOrderId, side, purpose } = record;
  const msg = `The exchange ended this ${side} order: it would have traded with another order of the same account (self-trade prevention).`;
  logRow(coin, { level: 'warn', msg, ctx: { event: 'self_trade_prevented', orderId: id, clientOrderId, purpose } });
}

const warnUnvalued = (coin: Coin, { record: { id, clientOrderId } }: LiveOrder): void =>
  logRow(coin, {
    level: 'warn',
    msg: `A fee was paid in an asset whose price in ${coin.rules.quoteAsset} was not known: the result of this trade does not include it.`,
    ctx: { event: 'fee_not_valued', orderId: id, clientOrderId },
  });

const shortPrice = (coin: Coin, price: ReturnType<typeof divide>): string => {
  const [whole, fraction = ''] = formatDecimal(price).split('.');
  const decimals = formatDecimal(coin.rules.price.tick).split('.')[1]?.length ?? 0;
  return decimals === 0 || whole === undefined
    ? (whole ?? '')
    : `${whole}.${fraction.padEnd(decimals, '0').slice(0, decimals)}`;
};

/** Writes one row of the profile's log for this coin, at market time. */
export function logRow(coin: Coin, row: { level: LogLevel; msg: string; ctx: unknown }): void {
  const at = marketNow(coin.context);
  const full = {
    ...row,
    id: newId<string>(),
    profileId: coin.profile.id,
    symbol: coin.symbol,
    count: 1,
    firstAt: at,
    lastAt: at,
  };
  coin.context.ports.records.log(full);
  coin.context.ports.announce({ topic: 'log', id: coin.profile.id, data: { row: full } });
}

export function announceOrder(coin: Coin, live: LiveOrder): void {
  const { id, state, side, purpose, clientOrderId } = live.record;
  coin.context.ports.announce({
    topic: 'order',
    id: coin.profile.id,
    data: { order: { id, state, side, purpose, clientOrderId, symbol: coin.symbol } },
  });
}
