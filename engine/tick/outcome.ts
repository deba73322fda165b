import type { OrderRecord } from '#core/order/order.ts';
import { certainFrom } from '#core/order/order-timing.ts';
import type { WriteOutcome } from '#core/ports/exchange.ts';
import { marketNow } from '#engine/state/account-context.ts';
import type { Coin } from '#engine/state/coin.ts';
import { KeyRefused } from '#engine/state/ends-run.ts';
import { refuseLists } from '#engine/state/guard.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { announceOrder, logRow, settleOrder } from './settle.ts';

/** Stores the outcome of an order: step 6 in execute.ts. */
export async function applyOutcome(coin: Coin, live: LiveOrder, outcome: WriteOutcome): Promise<void> {
  const { store } = coin.context.ports;
  if (outcome.kind === 'accepted') {
    await settleOrder(coin, live, outcome);
    return;
  }
  if (outcome.kind === 'unknown') {
    live.record = await store.updateOrder(live.record.id, { state: 'unknown', payload: { cause: outcome.cause } });
    live.certainAtMs = certainFrom(live.record.sendBeforeMs, coin.context.timing);
    announceOrder(coin, live);
    if (isStopOfList(live.record)) return;
    logRow(coin, {
      level: 'warn',
      msg: `Sent ${nameOf(live.record)}; the exchange has not answered (${outcome.cause}). The coin sends no other order until the outcome is known.`,
      ctx: { event: 'order_unknown', ...idsOf(live.record), cause: outcome.cause },
    });
    return;
  }
  await close(coin, live, outcome);
}

async function close(
  coin: Coin,
  live: LiveOrder,
  outcome: Extract<WriteOutcome, { kind: 'rejected' | 'not-sent' }>,
): Promise<void> {
  const { store } = coin.context.ports;
  const rejected = outcome.kind === 'rejected';
  live.record = await store.updateOrder(live.record.id, {
    state: rejected ? 'rejected' : 'cancelled',
    payload: rejected ? outcome.payload : { reason: outcome.reason },
    at: marketNow(coin.context),
  });
  coin.live.delete(live.record.clientOrderId);
  coin.context.wallet.settle(live.record.id, performance.now());
  coin.context.risk.finish(live.record.id);
  announceOrder(coin, live);
  // Both legs of a list share one outcome: the target reports it.
  if (isStopOfList(live.record)) return;
  if (rejected) {
    if (outcome.doubts === 'rules') coin.context.rules.doubted = true;
    if (outcome.doubts === 'key') coin.context.fail(new KeyRefused(outcome.message));
    // The stop is then placed alone, without a wait.
    if (live.record.purpose === 'target') refuseLists(coin.guard, outcome.message);
    const refusals = coin.breaker.refused(live.record.purpose, outcome.message, Date.now());
    logRow(coin, {
      level: 'warn',
      msg: `The exchange refused ${nameOf(live.record)}: ${outcome.message}`,
      ctx: {
        event: 'order_rejected',
        ...idsOf(live.record),
        code: outcome.code,
        payload: outcome.payload,
        times: refusals.times,
      },
    });
    if (refusals.opened) reportBreakerOpened(coin, live, outcome.message);
  } else {
    const { reason } = outcome;
    const passing = reason === 'halted' || reason === 'not-attempted';
    if (!passing) coin.breaker.delayed(live.record.purpose, reason, Date.now());
    logRow(coin, {
      level: 'warn',
      msg: `Did not send ${nameOf(live.record)}: ${NOT_SENT[outcome.reason]}`,
      ctx: { event: 'order_not_sent', ...idsOf(live.record), reason: outcome.reason },
    });
  }
}

const isStopOfList = ({ purpose, listId }: OrderRecord): boolean => purpose === 'stop' && listId !== null;

/** Logged once per opening: an order that the exchange keeps refusing needs the operator. */
const reportBreakerOpened = (coin: Coin, { record }: LiveOrder, message: string): void =>
  logRow(coin, {
    level: 'error',
    msg: `The exchange has refused ${nameOf(record)} three times for the same reason (${message}). From now on the worker tries once a minute. Check the coin's settings, the balance and the exchange's rules for the coin.`,
    ctx: { event: 'breaker_opened', ...idsOf(record), purpose: record.purpose, message },
  });

const NOT_SENT = {
  'not-sent-in-time': 'it could not be signed in time after its decision.',
  halted: 'a kill switch was engaged in the meantime.',
  'rate-limited': 'the request limit of the exchange is used up.',
  'not-attempted': 'the order that it was to replace is gone.',
} as const;

const NAMES = {
  ...{ entry: 'a buy', exit: 'a sale', stop: 'a stop', target: 'a stop and a target' },
  manual: 'a manual order',
} as const;

const nameOf = ({ purpose, symbol }: OrderRecord): string => `${NAMES[purpose]} of ${symbol}`;

export const idsOf = (record: OrderRecord): Readonly<Record<string, unknown>> => ({
  orderId: record.id,
  clientOrderId: record.clientOrderId,
  exchangeOrderId: record.exchangeOrderId,
});
