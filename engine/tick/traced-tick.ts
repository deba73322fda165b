import type { Trigger } from '#core/decision/audit.ts';
import type { Coin } from '#engine/state/coin.ts';
import { OrderTrace } from '#engine/state/order-trace.ts';
import type { DecisionLog } from './decision-log.ts';
import { tick } from './tick.ts';

/** One tick, with a trace of what it sends while traces are on. */
export function tracedTick(coin: Coin, trigger: Trigger, log: DecisionLog): Promise<void> | undefined {
  const { account, ports } = coin.context;
  const { tracer } = ports;
  if (tracer === undefined) return tick(coin, trigger, log);
  const attributes = {
    'tradewind.account.id': account.id,
    'tradewind.profile.id': coin.profile.id,
    'tradewind.symbol': coin.symbol,
    ...(coin.pendingAction && { 'tradewind.action.id': coin.pendingAction.id }),
  };
  const trace = new OrderTrace({ tracer, trigger, priceSeenMs: coin.priceSeenMs, attributes });
  coin.trace = trace;
  const end = (): void => {
    coin.trace = null;
    trace.end();
  };
  const sent = tick(coin, trigger, log);
  if (sent === undefined) end();
  return sent?.finally(end);
}
