import type { TickResult } from '#core/decision/audit.ts';
import { cancelIdOf } from '#core/order/order.ts';
import { certainFrom } from '#core/order/order-timing.ts';
import type { WriteOutcome } from '#core/ports/exchange.ts';
import type { Coin } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { logRow, settleOrder } from './settle.ts';

/**
 * Stores the outcome of a cancel that was sent until `sentUntilMs` (protocol time). A cancelled order may have filled
 * first. While the outcome is uncertain, the coin sends nothing else and the watch looks the order up.
 */
export async function applyCancel(
  coin: Coin,
  live: LiveOrder,
  { outcome, sentUntilMs }: { readonly outcome: WriteOutcome; readonly sentUntilMs: number },
): Promise<void> {
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

/** Cancels a resting order. The order is gone only when its record says so afterwards. */
export async function cancelOrder(
  coin: Coin,
  live: LiveOrder,
): Promise<{ readonly outcome: WriteOutcome; readonly result: TickResult }> {
  const { trading, market } = coin.context.ports;
  const { clientOrderId, id: orderId } = live.record;
  const outcome = await trading.cancel(coin.symbol, clientOrderId, cancelIdOf(clientOrderId));
  await applyCancel(coin, live, { outcome, sentUntilMs: market.clock.protocolMs() });
  return { outcome, result: { kind: 'order', orderId, clientOrderId, outcome: `cancel-${outcome.kind}` } };
}
