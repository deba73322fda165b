import type { TickResult } from '#core/decision/audit.ts';
import type { Numbers } from '#core/decision/decision.ts';
import { add, formatDecimal, maximum, multiply, ONE, subtract, ZERO } from '#core/amount/decimal.ts';
import { isRefusedByEveryHalt, isRefusedByNoHalt } from '#core/account/halts.ts';
import { newId, type OrderId } from '#core/ids.ts';
import type { OnWire } from '#core/order/order-evidence.ts';
import { type ApprovedOrder, cancelIdOf, type OrderRecord } from '#core/order/order.ts';
import { certainFrom } from '#core/order/order-timing.ts';
import type { WriteOutcome } from '#core/ports/exchange.ts';
import { CASH_BUFFER } from '#core/sizing/sizing.ts';
import { haltsOf, marketNow } from '#engine/state/account-context.ts';
import { applyCancel } from './cancel.ts';
import { type Coin, liveOrderOf, stateToStore, takeStored } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import type { CoinAction } from '#engine/state/operator-request.ts';
import type { StopBasis } from '#engine/state/guard.ts';
import { announceOrder, logRow, settleOrder } from './settle.ts';
import { KeyRefused, LeaseLost } from '#engine/state/ends-run.ts';

export interface Execution {
  readonly reason: string;
  readonly numbers: Numbers;
  readonly order: ApprovedOrder;
  /** The resting stop that it takes the place of, in one request. */
  readonly replaces?: LiveOrder;
  /** What a stop is placed for. */
  readonly basis?: StopBasis;
  /** The operator's action that it carries out. */
  readonly action?: CoinAction;
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
  reserveFor(coin, { orderId, execution, at });
  const { sendWithinMs, exitWithinMs } = coin.context.timing;
  const sendBeforeMs = market.clock.protocolMs() + (order.side === 'buy' ? sendWithinMs : exitWithinMs);
  const intent = await store.commitIntent({
    order,
    orderId,
    reason: execution.reason,
    decision: decisionToStore(execution, coin.settings),
    strategyState: stateToStore(coin),
    expectedVersion: coin.version,
    stopRests: execution.replaces !== undefined,
    fencing: coin.context.fencing,
    sendBeforeMs,
    at,
    ...(execution.action && { actionId: execution.action.id }),
  });
  if (intent.kind === 'lost-lease') throw new LeaseLost();
  if (intent.kind !== 'committed') release(coin, orderId);
  if (intent.kind === 'halted') {
    coin.context.halts = [...coin.context.halts, intent.halt];
    return { kind: 'not-sent', reason: 'halt-kill-switch' };
  }
  if (intent.kind === 'moved') {
    await takeStored(coin, await store.loadRunner(coin.profile.id, coin.symbol));
    return { kind: 'not-sent', reason: 'state-moved' };
  }
  coin.version = intent.version;
  const live = liveOrderOf(intent.record);
  coin.live.set(intent.record.clientOrderId, live);
  if (execution.action !== undefined) execution.action.order = live;
  const outcome = await send(coin, live, execution);
  return { kind: 'order', orderId, clientOrderId: live.record.clientOrderId, outcome: outcome.kind };
}

/** What the order row says of why it was made; buy level and settings are read back from here after a restart. */
function decisionToStore({ reason, numbers, order, basis }: Execution, settings: string): unknown {
  if (order.entry === undefined) return basis === undefined ? { reason, numbers } : { reason, numbers, basis };
  const { level, plannedQuote } = order.entry;
  return { reason, numbers, entry: { level, plannedQuote: formatDecimal(plannedQuote), settings } };
}

interface ReserveInput {
  readonly orderId: OrderId;
  readonly execution: Execution;
  readonly at: Date;
}

function reserveFor({ context, price, rules }: Coin, { orderId, execution, at }: ReserveInput): void {
  const { order, replaces } = execution;
  const { side, profileId, symbol } = order;
  const unlocked = replaces === undefined ? ZERO : subtract(replaces.record.quantity, replaces.applied);
  const quantity = maximum(subtract(order.quantity, unlocked), ZERO);
  const asset = side === 'buy' ? rules.quoteAsset : rules.baseAsset;
  const { form } = order;
  const dearest = 'price' in form ? form.price : multiply(price ?? ZERO, add(ONE, CASH_BUFFER));
  const amount = side === 'buy' ? multiply(quantity, dearest) : quantity;
  context.wallet.reserve(orderId, asset, amount);
  if (side === 'buy')
    context.risk.reserve({ orderId, profileId, symbol, at, quote: multiply(order.quantity, dearest) });
}

function release({ context }: Coin, orderId: OrderId): void {
  context.wallet.release(orderId);
  context.risk.forget(orderId);
}

/** Sends a committed order, alone or in the place of a resting stop, and applies what came of it. */
async function send(coin: Coin, live: LiveOrder, { order, replaces }: Execution): Promise<WriteOutcome> {
  const { trading } = coin.context.ports;
  const { clientOrderId, sendBeforeMs } = live.record;
  const halted = (): boolean => {
    const halts = haltsOf(coin.context, coin.profile.id);
    if (isRefusedByNoHalt(order, replaces !== undefined)) return false;
    return isRefusedByEveryHalt(order) ? halts.length > 0 : halts.some((halt) => halt.freeze);
  };
  const { records } = coin.context.ports;
  const onWire: OnWire = (seen) => records.evidence({ orderId: live.record.id, ...seen });
  const request = { order, clientOrderId, sendBeforeMs, halted, onWire };
  if (replaces === undefined) {
    const outcome = await trading.place(request);
    await applyOutcome(coin, live, outcome);
    return outcome;
  }
  const cancelClientOrderId = replaces.record.clientOrderId;
  const cancelId = cancelIdOf(cancelClientOrderId);
  const { cancelled, placed } = await trading.cancelReplace({ ...request, cancelClientOrderId, cancelId });
  const outcome = placed.kind === 'not-attempted' ? notAttempted(cancelled) : placed;
  await applyCancel(coin, replaces, { outcome: cancelled, sentUntilMs: sendBeforeMs });
  await applyOutcome(coin, live, outcome);
  return outcome;
}

/** Nothing was placed: the whole request was refused, or what it was to replace is gone. */
const notAttempted = (cancelled: WriteOutcome): WriteOutcome =>
  cancelled.kind === 'rejected' ? cancelled : { kind: 'not-sent', reason: 'not-attempted' };

/** Writes down what became of a sent order. */
async function applyOutcome(coin: Coin, live: LiveOrder, outcome: WriteOutcome): Promise<void> {
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
    if (outcome.doubts === 'rules') coin.context.rules.doubted = true;
    if (outcome.doubts === 'key') coin.context.fail(new KeyRefused(outcome.message));
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
    if (refusals.opened) reportBreakerOpened(coin, live, outcome.message);
  } else {
    const { reason } = outcome;
    const passing = reason === 'halted' || reason === 'not-attempted';
    if (!passing) coin.breaker.delayed(live.record.purpose, reason, Date.now());
    logRow(coin, {
      level: 'warn',
      msg: `Did not send ${wordsOf(live.record)}: ${NOT_SENT[outcome.reason]}`,
      ctx: { event: 'order_not_sent', ...idsOf(live.record), reason: outcome.reason },
    });
  }
  announceOrder(coin, live);
}

/** Once per opening: what keeps being refused needs the operator. */
const reportBreakerOpened = (coin: Coin, { record }: LiveOrder, message: string): void =>
  logRow(coin, {
    level: 'error',
    msg: `The exchange has refused ${wordsOf(record)} three times in the same way (${message}). From now on it is tried once a minute: look at the coin's settings, the balance and the exchange's rules for it.`,
    ctx: { event: 'breaker_opened', ...idsOf(record), purpose: record.purpose, message },
  });

const NOT_SENT = {
  'not-sent-in-time': 'it was not signed in time after its decision.',
  halted: 'a kill switch was engaged in the meantime.',
  'rate-limited': 'the request limit of the exchange is used up.',
  'not-attempted': 'the stop that it was to replace is gone.',
} as const;

const NAMES = { entry: 'a buy', exit: 'a sale', stop: 'a stop', manual: 'an order by hand' } as const;

const wordsOf = ({ purpose, symbol }: OrderRecord): string => `${NAMES[purpose]} of ${symbol}`;

export const idsOf = (record: OrderRecord): Readonly<Record<string, unknown>> => ({
  orderId: record.id,
  clientOrderId: record.clientOrderId,
  exchangeOrderId: record.exchangeOrderId,
});
