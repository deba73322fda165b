import type { TickResult } from '#core/decision/audit.ts';
import { cancelIdOf } from '#core/order/order.ts';
import { certainFrom } from '#core/order/order-timing.ts';
import type { WriteOutcome } from '#core/ports/exchange.ts';
import { inSpan } from '#core/ports/tracing.ts';
import { type Coin, legsOf } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { logRow, settleOrder } from './settle.ts';

interface Cancelled {
  readonly outcome: WriteOutcome;
  readonly sentUntilMs: number;
}

/**
 * Stores the outcome of a cancel that was sent until `sentUntilMs` (protocol time). A cancelled order may have filled
 * first. While the outcome is uncertain, the coin sends nothing else and the watch looks the order up. The cancel of one
 * leg ends its whole order list: the other legs are looked up.
 */
export async function applyCancel(coin: Coin, live: LiveOrder, { outcome, sentUntilMs }: Cancelled): Promise<void> {
  const others = legsOf(coin, live).slice(1);
  await applyToLeg(coin, live, { outcome, sentUntilMs });
  if (outcome.kind === 'not-sent') return;
  for (const other of others) other.cancelUntilMs = certainFrom(sentUntilMs, coin.context.timing);
}

async function applyToLeg(coin: Coin, live: LiveOrder, { outcome, sentUntilMs }: Cancelled): Promise<void> {
  const { timing, ports } = coin.context;
  if (outcome.kind === 'accepted') await settleOrder(coin, live, outcome);
  else if (outcome.kind === 'unknown') live.cancelUntilMs = certainFrom(sentUntilMs, timing);
  else if (outcome.kind === 'rejected') {
    live.cancelUntilMs = ports.market.clock.protocolMs() - 1;
    const { code, message, payload } = outcome;
    const ctx = { event: 'cancel_rejected', orderId: live.record.id, code, payload };
    logRow(coin, { level: 'warn', msg: `The exchange refused to cancel an order of ${coin.symbol}: ${message}`, ctx });
  }
}

/** The id of the cancel of an order; that of its list while another leg is live, because both legs then get it. */
export const cancelIdFor = (coin: Coin, live: LiveOrder): string => {
  const { clientOrderId, listId } = live.record;
  return cancelIdOf(listId !== null && legsOf(coin, live).length > 1 ? listId : clientOrderId);
};

/** Cancels a resting order, with its whole order list. The order is gone only when its record says so afterwards. */
export async function cancelOrder(
  coin: Coin,
  live: LiveOrder,
): Promise<{ readonly outcome: WriteOutcome; readonly result: TickResult }> {
  const { clientOrderId, id: orderId } = live.record;
  const outcome = await inSpan(coin.trace?.span(), 'cancel order', () => cancelWhole(coin, live));
  return { outcome, result: { kind: 'order', orderId, clientOrderId, outcome: `cancel-${outcome.kind}` } };
}

async function cancelWhole(coin: Coin, live: LiveOrder): Promise<WriteOutcome> {
  const { trading, market } = coin.context.ports;
  const legs = legsOf(coin, live);
  const { clientOrderId, listId } = live.record;
  if (listId === null || legs.length === 1) {
    const outcome = await trading.cancel(coin.symbol, clientOrderId, cancelIdOf(clientOrderId));
    await applyCancel(coin, live, { outcome, sentUntilMs: market.clock.protocolMs() });
    return outcome;
  }
  const ids = legs.map(({ record }) => record.clientOrderId);
  const outcomes = await trading.cancelList({ symbol: coin.symbol, listId, legs: ids });
  const sentUntilMs = market.clock.protocolMs();
  for (const [index, leg] of legs.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined) await applyToLeg(coin, leg, { outcome, sentUntilMs });
  }
  return outcomes[0] ?? { kind: 'unknown', cause: 'The exchange named no order of the list.' };
}
