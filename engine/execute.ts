import type { TickResult } from '#core/audit.ts';
import type { Numbers } from '#core/decision.ts';
import { add, formatDecimal, multiply, ONE, ZERO } from '#core/decimal.ts';
import { isRefusedByEveryHalt } from '#core/halts.ts';
import { newId, type OrderId } from '#core/ids.ts';
import type { ApprovedOrder, OrderRecord } from '#core/order.ts';
import { certainFrom } from '#core/order-timing.ts';
import type { WriteOutcome } from '#core/ports.ts';
import { CASH_BUFFER } from '#core/sizing.ts';
import { haltsOf, marketNow } from './account-context.ts';
import { type Coin, type LiveOrder, stateToStore } from './coin.ts';
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
  // Taken before the commit: between the decision and the commit other coins decide.
  const at = marketNow(coin.context);
  reserveFor(coin, { orderId, order, at });
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
    at,
  });
  if (intent.kind === 'lost-lease') throw new LeaseLost();
  if (intent.kind !== 'committed') release(coin, orderId);
  if (intent.kind === 'halted') {
    coin.context.halts = [...coin.context.halts, intent.halt];
    return { kind: 'not-sent', reason: 'halt-kill-switch' };
  }
  if (intent.kind === 'moved') {
    const stored = await store.loadRunner(coin.profile.id, coin.symbol);
    coin.version = stored.version;
    coin.position = stored.position;
    coin.levels = await store.levelFills(coin.profile.id, coin.symbol);
    return { kind: 'not-sent', reason: 'state-moved' };
  }
  coin.version = intent.version;
  const live: LiveOrder = { record: intent.record, applied: ZERO, certainAtMs: null };
  coin.live.set(intent.record.clientOrderId, live);
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

interface Reserving {
  readonly orderId: OrderId;
  readonly order: ApprovedOrder;
  readonly at: Date;
}

function reserveFor({ context, price, rules }: Coin, { orderId, order, at }: Reserving): void {
  const { side, quantity, profileId, symbol } = order;
  const asset = side === 'buy' ? rules.quoteAsset : rules.baseAsset;
  const amount = side === 'buy' ? multiply(multiply(quantity, price ?? ZERO), add(ONE, CASH_BUFFER)) : quantity;
  context.wallet.reserve(orderId, asset, amount);
  if (side === 'buy') context.risk.reserve({ orderId, profileId, symbol, at, quote: amount });
}

function release({ context }: Coin, orderId: OrderId): void {
  context.wallet.release(orderId);
  context.risk.forget(orderId);
}

const send = (coin: Coin, live: LiveOrder, order: ApprovedOrder): Promise<WriteOutcome> =>
  coin.context.ports.trading.place({
    order,
    clientOrderId: live.record.clientOrderId,
    sendBeforeMs: live.record.sendBeforeMs,
    halted: () => {
      const halts = haltsOf(coin.context, coin.profile.id);
      return isRefusedByEveryHalt(order) ? halts.length > 0 : halts.some((halt) => halt.freeze);
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
  coin.context.risk.finish(live.record.id);
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
    if (refusals.opened) tellOpened(coin, live, outcome.message);
  } else {
    if (outcome.reason !== 'halted') coin.breaker.delayed(live.record.purpose, outcome.reason, Date.now());
    logRow(coin, {
      level: 'warn',
      msg: `Did not send ${wordsOf(live.record)}: ${NOT_SENT[outcome.reason]}`,
      ctx: { event: 'order_not_sent', ...idsOf(live.record), reason: outcome.reason },
    });
  }
  announceOrder(coin, live);
}

/** Once per opening: what keeps being refused needs the operator. */
const tellOpened = (coin: Coin, { record }: LiveOrder, message: string): void =>
  logRow(coin, {
    level: 'error',
    msg: `The exchange has refused ${wordsOf(record)} three times in the same way (${message}). From now on it is tried once a minute: look at the coin's settings, the balance and the exchange's rules for it.`,
    ctx: { event: 'breaker_opened', ...idsOf(record), purpose: record.purpose, message },
  });

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
