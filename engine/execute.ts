import type { TickResult } from '#core/audit.ts';
import type { Numbers } from '#core/decision.ts';
import { add, formatDecimal, multiply, ONE, ZERO } from '#core/decimal.ts';
import { newId, type OrderId } from '#core/ids.ts';
import type { ApprovedOrder, OrderRecord } from '#core/order.ts';
import { certainFrom } from '#core/order-timing.ts';
import type { WriteOutcome } from '#core/ports.ts';
import { CASH_BUFFER } from '#core/sizing.ts';
import { haltsOf, marketNow } from './account-context.ts';
import { type Coin, type LiveOrder, stateToStore, takeStored } from './coin.ts';
import { announceOrder, logRow, settleOrder } from './settle.ts';

/** The lease of the account has passed to another worker: this run of the account must end. */
export class LeaseLost extends Error {
  constructor() {
    super('Another worker has taken over this account; this one stops trading it.');
    this.name = 'LeaseLost';
  }
}

export interface Execution {
  readonly reason: string;
  readonly numbers: Numbers;
  readonly order: ApprovedOrder;
}

/**
 * Commits the intent, then sends it, then applies the answer. Nothing is sent without a commit, and nothing is sent
 * again: an unknown outcome stays `unknown` until the exchange has proved it one way or the other.
 */
export async function execute(coin: Coin, execution: Execution): Promise<TickResult> {
  const { store, market } = coin.context.ports;
  const { order } = execution;
  const orderId = newId<OrderId>();
  const sendBeforeMs = market.clock.protocolMs() + coin.context.timing.sendWithinMs;
  const intent = await store.commitIntent({
    order,
    orderId,
    reason: execution.reason,
    decision: decisionToStore(execution),
    strategyState: stateToStore(coin),
    expectedVersion: coin.version,
    fencing: coin.context.fencing,
    sendBeforeMs,
    at: marketNow(coin.context),
  });
  if (intent.kind === 'lost-lease') throw new LeaseLost();
  if (intent.kind === 'halted') {
    coin.context.halts = [...coin.context.halts, intent.halt];
    return { kind: 'not-sent', reason: 'halt-kill-switch' };
  }
  if (intent.kind === 'moved') {
    await takeStored(coin, await store.loadRunner(coin.profile.id, coin.symbol));
    return { kind: 'not-sent', reason: 'state-moved' };
  }
  coin.version = intent.version;
  const live: LiveOrder = { record: intent.record, applied: ZERO, certainAtMs: null };
  coin.live.set(intent.record.clientOrderId, live);
  reserveFor(coin, live);
  const outcome = await send(coin, live, order);
  await applyOutcome(coin, live, outcome);
  return { kind: 'order', orderId, clientOrderId: live.record.clientOrderId, outcome: outcome.kind };
}

/** What the order row says of why it was made; the buy level is read back from here after a restart. */
function decisionToStore({ reason, numbers, order }: Execution): unknown {
  if (order.entry === undefined) return { reason, numbers };
  const { level, plannedQuote } = order.entry;
  return { reason, numbers, entry: { level, plannedQuote: formatDecimal(plannedQuote) } };
}

function reserveFor(coin: Coin, live: LiveOrder): void {
  const { id, side, quantity } = live.record;
  const price = coin.price ?? ZERO;
  const asset = side === 'buy' ? coin.rules.quoteAsset : coin.rules.baseAsset;
  const amount = side === 'buy' ? multiply(multiply(quantity, price), add(ONE, CASH_BUFFER)) : quantity;
  coin.context.wallet.reserve(id, asset, amount);
}

const send = (coin: Coin, live: LiveOrder, order: ApprovedOrder): Promise<WriteOutcome> =>
  coin.context.ports.trading.place({
    order,
    clientOrderId: live.record.clientOrderId,
    sendBeforeMs: live.record.sendBeforeMs,
    halted: () => {
      const halts = haltsOf(coin.context, coin.profile.id);
      return order.purpose === 'entry' ? halts.length > 0 : halts.some((halt) => halt.freeze);
    },
  });

/** Writes down what became of a sent order. */
export async function applyOutcome(coin: Coin, live: LiveOrder, outcome: WriteOutcome): Promise<void> {
  const { store } = coin.context.ports;
  if (outcome.kind === 'accepted') {
    await settleOrder(coin, live, outcome);
    return;
  }
  if (outcome.kind === 'unknown') {
    live.record = await store.updateOrder(live.record.id, { state: 'unknown', payload: { cause: outcome.cause } });
    live.certainAtMs = certainFrom(live.record.sendBeforeMs, coin.context.timing);
    logRow(coin, {
      level: 'warn',
      msg: `Sent ${wordsOf(live.record)}; the exchange has not answered (${outcome.cause}). Nothing is sent again until it is certain.`,
      ctx: { event: 'order_unknown', ...idsOf(live.record), cause: outcome.cause },
    });
    announceOrder(coin, live);
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
  if (rejected) {
    if (outcome.marketClosed === true) coin.context.marketClosed = true;
    const refusals = coin.breaker.refused(live.record.purpose, outcome.message, Date.now());
    logRow(coin, {
      level: 'warn',
      msg: `The exchange refused ${wordsOf(live.record)}: ${outcome.message}`,
      ctx: {
        event: 'order_rejected',
        ...idsOf(live.record),
        code: outcome.code,
        payload: outcome.payload,
        times: refusals.times,
      },
    });
  } else {
    coin.breaker.refused(live.record.purpose, outcome.reason, Date.now());
    logRow(coin, {
      level: 'warn',
      msg: `Did not send ${wordsOf(live.record)}: ${NOT_SENT[outcome.reason]}`,
      ctx: { event: 'order_not_sent', ...idsOf(live.record), reason: outcome.reason },
    });
  }
  announceOrder(coin, live);
}

const NOT_SENT = {
  'not-sent-in-time': 'it was not signed in time after its decision.',
  halted: 'a kill switch was engaged in the meantime.',
  'rate-limited': 'the request limit of the exchange is used up.',
} as const;

const wordsOf = (record: OrderRecord): string => `${record.side === 'buy' ? 'a buy' : 'a sale'} of ${record.symbol}`;
export const idsOf = (record: OrderRecord): Readonly<Record<string, unknown>> => ({
  orderId: record.id,
  clientOrderId: record.clientOrderId,
  exchangeOrderId: record.exchangeOrderId,
});
