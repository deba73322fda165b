import type { TickResult } from '#core/decision/audit.ts';
import type { Numbers } from '#core/decision/decision.ts';
import { formatDecimal, maximum, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import { isRefusedByEveryHalt, isRefusedByNoHalt } from '#core/account/halts.ts';
import { newId, type OrderId } from '#core/ids.ts';
import type { OnWire } from '#core/order/order-evidence.ts';
import { type ApprovedOrder, isLiveOrder } from '#core/order/order.ts';
import { dearestPrice } from '#core/judge/entry.ts';
import type { StopBasis } from '#core/judge/stop.ts';
import type { WriteOutcome } from '#core/ports/exchange.ts';
import type { IntentRequest } from '#core/ports/store.ts';
import { inSpan, type Span, type SpanAttributes } from '#core/ports/tracing.ts';
import { haltsOf, marketNow } from '#engine/state/account-context.ts';
import { applyCancel, cancelIdFor, cancelOrder } from './cancel.ts';
import { type Coin, legsOf, liveOrderOf, stateToStore, takeStored } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import type { CoinAction } from '#engine/state/operator-request.ts';
import { basisToStore, startUnprotected } from '#engine/state/guard.ts';
import { applyOutcome } from './outcome.ts';
import { closeSignal } from './signal.ts';
import { LeaseLost } from '#engine/state/ends-run.ts';
import { traceWire } from './wire-span.ts';

/*
 * The life of an order, in order. This is the one full account of it; other files point here.
 *
 * 1. Decide. A price, a candle, an order event, the timer or the operator starts a tick (tick.ts). The strategy reads
 *    the refreshed view of its coin and returns a decision: buy, sell, cancel or nothing.
 * 2. Approve. The rules of core/judge check the decision against halts, limits, fees and trading rules. approve.ts returns
 *    an order with an exact quantity, or a refusal with a reason code. Only approve.ts creates an `ApprovedOrder`.
 * 3. Reserve. `execute` reserves the money in the wallet book and the buy in the risk book, before the first await.
 *    Other coins decide during the commit: they already see less available balance and less room below each limit.
 * 4. Commit the intent. One transaction (storage/trading/intents.ts) checks the lease, the kill switches and the runner
 *    version. It raises the version and writes the order row in state `intent`. The row holds the client order id and
 *    `sendBeforeMs`, the protocol time after which nothing may sign the request. There are four results: `committed`:
 *    the engine sends the order. `halted` or `moved`: the engine releases the reservation and sends nothing.
 *    `lost-lease`: this run of the account ends. A lost answer to COMMIT throws: the run restarts and step 8 applies.
 * 5. Send. The exchange client waits for the rate limiter, then reads the clock, then calls the gate
 *    (exchange/order-request.ts). The gate refuses under a halt that binds the order, or after `sendBeforeMs`; else the
 *    client signs and sends once. It sends a second time only after error -1021, which proves that nothing was done. An
 *    order that replaces a resting stop or a waiting buy goes out as one cancel-replace request. A stop with a target is
 *    one order list: both legs are committed in step 4 and sent in one request. The exchange replaces nothing by a list:
 *    what rests is cancelled first, after the commit, and the time without a stop is counted.
 * 6. Apply the outcome (outcome.ts), of a list to both legs:
 *    - `accepted`: settle.ts stores the exchange order id and applies the fills.
 *    - `rejected`: the row becomes `rejected`, and the breaker counts the refusal.
 *    - `not-sent`: the row becomes `cancelled`, with the reason in its payload.
 *    - `unknown`: the row becomes `unknown`. The coin sends nothing else until the outcome is proved.
 * 7. Fill. Each execution arrives in the reply, by the account stream, or from a query. `store.applyFill` records it
 *    once by its trade id: position, ledger and runner version change in one transaction. A repeated fill changes
 *    nothing. The order row becomes final only after every execution that the exchange reports is applied. A crash
 *    between the two leaves an order that is not final, and the next start looks it up again.
 * 8. Resolve. The coin runner watches each order whose outcome is not certain (resolve.ts). It queries the exchange
 *    until it finds the order, or until it can prove that the order never arrived. The proof needs two answers of every
 *    source that say "absent", at least `separateMs` apart. Both queries must be sent after the last moment at which
 *    the request could still have arrived (`certainFrom`, core/order/order-timing.ts). The row then becomes `never-arrived`. A
 *    start or a takeover treats a stored order without an exchange id as possibly sent (runner/recover.ts).
 * 9. Cancel. cancel.ts sends a cancel with an id that follows from the client order id. The order is gone only when its
 *    row says so: a cancelled order may have filled first, and those fills are applied like all others.
 *
 * Two rules follow. The engine sends nothing without a committed intent, and it sends a second copy only when the first
 * provably did nothing. At most one order of a coin is pending: the coin sends another one only while its other orders
 * certainly rest on the book.
 *
 * Every step leaves evidence with the order (core/order/order-evidence.ts): decision, request, answer, event, lookup,
 * cancel. Kill switches: storage/trading/halts.ts. Lease and fencing: worker/leases.ts.
 */

/** An approved order with the reason for it. */
export interface Execution {
  readonly reason: string;
  readonly numbers: Numbers;
  readonly order: ApprovedOrder;
  /** The resting order that this order replaces in one request. */
  readonly replaces?: LiveOrder;
  /** Level, average price and settings that a stop is placed for. */
  readonly basis?: StopBasis;
  /** The target that rests next to a stop, as one order list. */
  readonly target?: { readonly order: ApprovedOrder; readonly reason: string };
  /** The signal that this order carries out. */
  readonly signalId?: string;
  /** The operator's action that this order executes. */
  readonly action?: CoinAction;
}

/**
 * Commits the intent, sends the order, then applies the outcome: steps 3 to 6 above. Throws LeaseLost when another
 * worker holds the account.
 */
export async function execute(coin: Coin, execution: Execution): Promise<TickResult> {
  const { store, market } = coin.context.ports;
  const { order, target } = execution;
  const trace = coin.trace?.span();
  const orderId = newId<OrderId>();
  // The reservation comes before the commit: other coins decide during the commit.
  const at = marketNow(coin.context);
  reserveFor(coin, { orderId, execution, at });
  const { sendWithinMs, exitWithinMs } = coin.context.timing;
  const sendBeforeMs = market.clock.protocolMs() + (order.side === 'buy' ? sendWithinMs : exitWithinMs);
  const request: IntentRequest = {
    order,
    orderId,
    ...(target && { target: { ...target, orderId: newId<OrderId>() } }),
    reason: execution.reason,
    decision: { ...decisionToStore(execution, coin.settings), ...versionOf(coin) },
    strategyState: stateToStore(coin),
    expectedVersion: coin.version,
    stopRests: isFreezable(execution),
    fencing: coin.context.fencing,
    sendBeforeMs,
    at,
    ...(execution.action && { actionId: execution.action.id }),
    ...(execution.signalId !== undefined && { signalId: execution.signalId }),
  };
  const intent = await inSpan(trace, 'commit intent', async (span) => {
    span?.set(attributesOf(orderId, execution));
    const result = await store.commitIntent(request);
    span?.set({ 'tradewind.intent': result.kind });
    return result;
  });
  if (execution.signalId !== undefined && (intent.kind === 'committed' || intent.kind === 'refused')) closeSignal(coin);
  if (intent.kind === 'lost-lease') throw new LeaseLost();
  if (intent.kind !== 'committed') release(coin, orderId);
  if (intent.kind === 'halted') {
    coin.context.halts = [...coin.context.halts, intent.halt];
    return { kind: 'not-sent', reason: 'halt-kill-switch' };
  }
  if (intent.kind === 'refused') return { kind: 'not-sent', reason: intent.reason, numbers: intent.numbers };
  if (intent.kind === 'moved') {
    await takeStored(coin, await store.loadRunner(coin.profile.id, coin.symbol));
    return { kind: 'not-sent', reason: 'state-moved' };
  }
  coin.version = intent.version;
  const live = liveOrderOf(intent.record);
  coin.live.set(intent.record.clientOrderId, live);
  if (execution.action !== undefined) execution.action.order = live;
  if (intent.target !== undefined) {
    const above = liveOrderOf(intent.target);
    coin.live.set(above.record.clientOrderId, above);
    const { kind } = await inSpan(trace, 'send order', (span) => sendList(coin, [live, above], { execution, span }));
    return { kind: 'order', orderId, clientOrderId: live.record.clientOrderId, outcome: kind };
  }
  const outcome = await inSpan(trace, 'send order', (span) => send(coin, live, { execution, span }));
  return { kind: 'order', orderId, clientOrderId: live.record.clientOrderId, outcome: outcome.kind };
}

/** The version of a strategy file that decided. */
const versionOf = ({ bound: { name } }: Coin): { strategy?: string } => (name.includes('@') ? { strategy: name } : {});

/** The `decision` column of the order row. After a restart the engine reads buy level and settings back from it. */
function decisionToStore({ reason, numbers, order, basis }: Execution, settings: string): object {
  if (order.entry === undefined)
    return basis === undefined ? { reason, numbers } : { reason, numbers, basis: basisToStore(basis) };
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
  const dearest = dearestPrice(form, price ?? ZERO);
  const amount = side === 'buy' ? multiply(quantity, dearest) : quantity;
  context.wallet.reserve(orderId, asset, amount);
  if (side === 'buy')
    context.risk.reserve({ orderId, profileId, symbol, at, quote: multiply(order.quantity, dearest) });
}

function release({ context }: Coin, orderId: OrderId): void {
  context.wallet.release(orderId);
  context.risk.forget(orderId);
}

/** A freeze refuses it: a first stop alone is never refused. */
const isFreezable = ({ replaces, target }: Execution): boolean => replaces !== undefined || target !== undefined;

const attributesOf = (orderId: OrderId, { order, reason }: Execution): SpanAttributes => ({
  'tradewind.order.id': orderId,
  'tradewind.order.side': order.side,
  'tradewind.order.purpose': order.purpose,
  'tradewind.order.reason': reason,
});

interface SendInput {
  readonly execution: Execution;
  readonly span: Span | undefined;
}

function requestFor(coin: Coin, { record }: LiveOrder, { execution, span }: SendInput) {
  const { order } = execution;
  const halted = (): boolean => {
    const halts = haltsOf(coin.context, coin.profile.id);
    if (isRefusedByNoHalt(order, isFreezable(execution))) return false;
    return isRefusedByEveryHalt(order) ? halts.length > 0 : halts.some((halt) => halt.freeze);
  };
  const { records } = coin.context.ports;
  const onWire: OnWire = traceWire((seen) => records.evidence({ orderId: record.id, ...seen }), span);
  return { order, clientOrderId: record.clientOrderId, sendBeforeMs: record.sendBeforeMs, halted, onWire };
}

/** Sends a committed order, alone or as the replacement of a resting order, and applies the outcome. */
async function send(coin: Coin, live: LiveOrder, input: SendInput): Promise<WriteOutcome> {
  const { trading } = coin.context.ports;
  const { replaces } = input.execution;
  const request = requestFor(coin, live, input);
  const { sendBeforeMs } = request;
  if (replaces === undefined) {
    const outcome = await trading.place(request);
    await inSpan(input.span, 'record outcome', () => applyOutcome(coin, live, outcome));
    input.span?.set({ 'tradewind.order.outcome': outcome.kind });
    return outcome;
  }
  const cancelClientOrderId = replaces.record.clientOrderId;
  const cancelId = cancelIdFor(coin, replaces);
  const { cancelled, placed } = await trading.cancelReplace({ ...request, cancelClientOrderId, cancelId });
  const outcome = placed.kind === 'not-attempted' ? notAttempted(cancelled) : placed;
  await inSpan(input.span, 'record outcome', async () => {
    await applyCancel(coin, replaces, { outcome: cancelled, sentUntilMs: sendBeforeMs });
    await applyOutcome(coin, live, outcome);
  });
  input.span?.set({ 'tradewind.order.outcome': outcome.kind });
  return outcome;
}

/** The outcome when the exchange placed nothing: it refused the whole request, or the order to replace is gone. */
const notAttempted = (cancelled: WriteOutcome): WriteOutcome =>
  cancelled.kind === 'rejected' ? cancelled : { kind: 'not-sent', reason: 'not-attempted' };

/**
 * Sends a committed stop and target as one list, and applies the outcome to both. The resting order is cancelled first: the
 * exchange knows no replacement by a list. Nothing is placed unless that certainly ended without an execution.
 */
async function sendList(
  coin: Coin,
  [stop, target]: readonly [LiveOrder, LiveOrder],
  input: SendInput,
): Promise<WriteOutcome> {
  const { replaces, target: above } = input.execution;
  const { order, clientOrderId, ...request } = requestFor(coin, stop, input);
  const cleared = await clearFor(coin, replaces, request.halted);
  const { listId } = stop.record;
  const [below, over] =
    cleared !== undefined || above === undefined || listId === null
      ? [cleared ?? NOT_ATTEMPTED, cleared ?? NOT_ATTEMPTED]
      : await coin.context.ports.trading.placeList({
          ...request,
          stop: { order, clientOrderId },
          target: { order: above.order, clientOrderId: target.record.clientOrderId },
          listId,
        });
  await inSpan(input.span, 'record outcome', async () => {
    await applyOutcome(coin, stop, below);
    await applyOutcome(coin, target, over);
  });
  input.span?.set({ 'tradewind.order.outcome': below.kind });
  return below;
}

const NOT_ATTEMPTED: WriteOutcome = { kind: 'not-sent', reason: 'not-attempted' };

/** Cancels what a list replaces, as late as possible; returns why the list must not be sent. */
async function clearFor(
  coin: Coin,
  replaces: LiveOrder | undefined,
  halted: () => boolean,
): Promise<WriteOutcome | undefined> {
  if (replaces === undefined) return undefined;
  if (halted()) return { kind: 'not-sent', reason: 'halted' };
  const legs = legsOf(coin, replaces);
  await cancelOrder(coin, replaces);
  const isGone = legs.every(({ record, applied }) => !isLiveOrder(record.state) && applied === ZERO);
  if (!isGone) return NOT_ATTEMPTED;
  startUnprotected(coin.guard);
  return undefined;
}
