import type { Approval, TickAudit, TickResult, Trigger } from '#core/decision/audit.ts';
import { APPROVAL_REASONS, type Decision, describe, type Numbers, type ReasonText } from '#core/decision/decision.ts';
import { add, type Decimal, formatDecimal, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import { newId } from '#core/ids.ts';
import { MANUAL_REASONS, type ManualReason } from '#core/order/manual-order.ts';
import type { ActionOutcome } from '#core/order/operator-action.ts';
import { orphansOn } from '#core/account/orphan.ts';
import { SELL_FAILED_STOP, STOP_REASONS, TRIGGERED_GRACE_MS } from '#core/sizing/protective-stop.ts';
import { haltsOf } from '#engine/state/account-context.ts';
import { settingsNow } from '#strategies/strategy.ts';
import { type ApprovalContext, type ApprovalResult, approve, isExitRefused } from './approve.ts';
import { baseFeeRate } from '#engine/state/base-fee.ts';
import { basketTurn } from './basket.ts';
import {
  type Coin,
  quantityInOpenSells,
  isCertain,
  isFromPreviousConfig,
  missingCandles,
  pendingOrder,
  planPrices,
  refreshView,
  restingOrders,
  restingStops,
  waitingEntry,
} from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { type ActionStep, isUntried, lacksCoins, nextStep, numbersOf, refusalOf, unsentOf } from './coin-action.ts';
import type { CoinAction } from '#engine/state/operator-request.ts';
import { type DecisionLog, sentenceOf } from './decision-log.ts';
import { execute, type Execution } from './execute.ts';
import { answerSignal, signalBehind } from './signal.ts';
import { unprotectedSeconds } from '#engine/state/guard.ts';
import { logRow } from './settle.ts';
import { lonelyTarget, reportBare, sellsAtTarget } from './resting-target.ts';
import { isSelling, failedStop, protect, cancelResting, watchStop } from './protect.ts';

const NO_PRICE: Decision = { kind: 'nothing', reason: 'data-price-missing' };
const TARGET_SELLS = {
  ...({ kind: 'refused', reason: 'order-target-selling' } as const),
  numbers: { seconds: TRIGGERED_GRACE_MS / 1000 },
};
const ACTION_FIRST = { kind: 'refused', reason: 'action-first', numbers: {} } as const;
/** Sentences of decisions that the engine makes, not the strategy. */
const OWN_TEXTS: Readonly<Record<string, ReasonText>> = {
  [NO_PRICE.reason]: APPROVAL_REASONS['data-price-missing'],
  [SELL_FAILED_STOP.reason]: STOP_REASONS[SELL_FAILED_STOP.reason],
  ...MANUAL_REASONS,
};

/**
 * One tick: snapshot, decide, approve, execute, record. The life of an order is described in execute.ts.
 * A tick that sends nothing returns undefined without a promise, so that a quiet tick costs no await. Exits come first,
 * then the operator's pending action, then entries. A disabled profile decides nothing, but executes operator actions.
 */
export function tick(coin: Coin, trigger: Trigger, log: DecisionLog): Promise<void> | undefined {
  const { enabled } = coin.profile;
  if (!enabled && coin.pendingAction === null) return reportBare(coin);
  const startedMs = performance.now();
  refreshView(coin);
  watchStop(coin);
  if (enabled) coin.view.basket = basketTurn(coin);
  const decided = enabled ? decide(coin) : { decision: NO_PRICE, numbers: {} };
  const { decision } = decided;
  const seen = { trigger, ...decided, startedMs, atMs: coin.view.nowMs, input: inputOf(coin) };
  let approval: Approval = { kind: 'not-needed' };
  if (decision.kind === 'sell' && sellsAtTarget(coin, decision.reason)) approval = TARGET_SELLS;
  else if (decision.kind === 'sell') {
    const context = approvalContext(coin);
    const [inTheWay] = isExitRefused(context) ? [] : restingOrders(coin).filter(isSale);
    if (inTheWay !== undefined) return clear(coin, log, { seen, inTheWay });
    const result = approve(decision, context);
    if (result.kind === 'approved') return send(coin, log, { ...seen, result });
    if (lacksCoins(coin, result)) coin.context.balances.doubted = true;
    approval = result;
  }
  const waiting = staleEntry(coin, decision);
  const acted = coin.pendingAction === null ? undefined : act(coin, log, { seen, action: coin.pendingAction });
  if (acted !== undefined || !enabled) return acted;
  if (waiting !== undefined) return clear(coin, log, { seen, inTheWay: waiting });
  if (decision.kind === 'buy') {
    const result = coin.pendingAction === null ? approve(decision, approvalContext(coin)) : ACTION_FIRST;
    if (result.kind === 'approved') return send(coin, log, { ...seen, result });
    approval = result;
  }
  return end(coin, log, { ...seen, approval });
}

/**
 * Cancels a resting sale that locks the quantity to sell, or a stale buy. A cancel lowers risk, so it needs no
 * approval.
 */
async function clear(
  coin: Coin,
  log: DecisionLog,
  { seen, inTheWay }: { readonly seen: Observed; readonly inTheWay: LiveOrder },
): Promise<void> {
  const outcome = await cancelResting(coin, inTheWay);
  record(coin, log, { ...seen, approval: { kind: 'not-needed' }, results: [outcome] });
}

/** The waiting buy that the strategy cancels, or that an earlier config placed. */
function staleEntry(coin: Coin, { kind }: Decision): LiveOrder | undefined {
  const waiting = kind === 'sell' ? undefined : waitingEntry(coin);
  const isCancelled = kind === 'cancel' && missingCandles(coin) === undefined;
  return waiting !== undefined && (isCancelled || isFromPreviousConfig(coin, waiting)) ? waiting : undefined;
}

const isSale = ({ record: { side } }: LiveOrder): boolean => side === 'sell';

interface ActInput {
  readonly seen: Observed;
  readonly action: CoinAction;
}

/** Executes the operator's pending action; undefined while the action waits for an uncertain outcome. */
function act(coin: Coin, log: DecisionLog, { seen, action }: ActInput): Promise<void> | undefined {
  const step = nextStep(coin, action, () => approvalContext(coin));
  return step.kind === 'wait' ? undefined : carryOut(coin, log, { seen, action, step });
}

async function carryOut(
  coin: Coin,
  log: DecisionLog,
  { seen, action, step }: ActInput & { readonly step: Exclude<ActionStep, { kind: 'wait' }> },
): Promise<void> {
  if (step.kind === 'end') {
    finish(coin, action, step.outcome);
    return;
  }
  if (step.kind === 'go-on') return freeAction(coin, action, step.settled);
  const numbers = numbersOf(action, step);
  const shown = { ...seen, decision: { kind: kindOf(step.reason), reason: step.reason }, numbers };
  if (step.kind === 'refuse') {
    record(coin, log, { ...shown, approval: step.approval, results: [] });
    finish(coin, action, refusalOf(step.approval, coin));
    return;
  }
  const result = await (step.kind === 'cancel'
    ? cancelFor(coin, action, step.live)
    : sendOrder(coin, { reason: step.reason, numbers, order: step.approval.order, action }));
  const approval = step.kind === 'cancel' ? ({ kind: 'not-needed' } as const) : approvalOf(step.approval);
  record(coin, log, { ...shown, approval, results: [result] });
  if (action.order !== null && isUntried(action.order)) await freeAction(coin, action, action.order);
  const outcome = unsentOf(result);
  if (outcome !== undefined) finish(coin, action, outcome);
}

/** Lets the action place another order: this one was never sent, or is settled. */
async function freeAction(coin: Coin, action: CoinAction, { record }: LiveOrder): Promise<void> {
  await coin.context.ports.store.updateOrder(record.id, { state: record.state, freesAction: true });
  action.order = null;
}

async function cancelFor(coin: Coin, action: CoinAction, live: LiveOrder): Promise<TickResult> {
  const result = await cancelResting(coin, live);
  if (action.request.kind === 'cancel') action.order = live;
  return result;
}

function finish(coin: Coin, action: CoinAction, outcome: ActionOutcome): void {
  coin.pendingAction = null;
  action.finish(outcome);
  logRow(coin, {
    level: outcome.state === 'done' ? 'info' : 'warn',
    msg: outcome.reason ?? 'The action is done.',
    ctx: { event: 'operator_action', action: action.id, ...outcome },
  });
}

const kindOf = (reason: ManualReason): Decision['kind'] =>
  reason === 'manual-buy' ? 'buy' : reason === 'manual-cancel' ? 'cancel' : 'sell';

/** Ends a tick whose decision sent nothing: updates the protective stop, then records the tick. */
function end(coin: Coin, log: DecisionLog, input: Omit<RecordInput, 'results'>): Promise<void> | undefined {
  answerSignal(coin, input);
  const kept = protect(coin, () => approvalContext(coin));
  if (kept !== undefined) return kept.then((results) => record(coin, log, { ...input, results }));
  record(coin, log, { ...input, results: [] });
  return undefined;
}

/** Inputs and decision of a tick, frozen before the engine sends anything. */
interface Observed {
  readonly trigger: Trigger;
  readonly decision: Pick<Decision, 'kind' | 'reason' | 'answersSignal'>;
  readonly numbers: Numbers;
  readonly startedMs: number;
  readonly atMs: number;
  readonly input: Input;
}

interface SendInput extends Observed {
  readonly result: Extract<ApprovalResult, { kind: 'approved' }>;
}

async function send(coin: Coin, log: DecisionLog, input: SendInput): Promise<void> {
  const { result, decision, numbers } = input;
  // A resting buy must not buy back the quantity that this order sells.
  const results: TickResult[] = [];
  if (result.order.purpose === 'exit')
    for (const live of restingOrders(coin)) results.push(await cancelResting(coin, live));
  const { reason } = decision;
  results.push(await sendOrder(coin, { reason, numbers, order: result.order, ...signalBehind(coin, decision) }));
  record(coin, log, { ...input, approval: approvalOf(result), results });
}

const approvalOf = ({ order, numbers }: SendInput['result']): Approval => ({
  kind: 'approved',
  quantity: formatDecimal(order.quantity),
  numbers,
});

/** A sale replaces the resting stop; a buy of the strategy replaces its waiting buy. */
function sendOrder(coin: Coin, execution: Execution): Promise<TickResult> {
  const { side, purpose } = execution.order;
  const inPlaceOf =
    side === 'sell'
      ? (restingStops(coin)[0] ?? lonelyTarget(coin))
      : purpose === 'entry'
        ? waitingEntry(coin)
        : undefined;
  return inPlaceOf === undefined ? execute(coin, execution) : executeInPlace(coin, execution, inPlaceOf);
}

/** Cancels a partially filled order first: only then is the remaining quantity certain. */
const executeInPlace = (coin: Coin, execution: Execution, stop: LiveOrder): Promise<TickResult> =>
  stop.applied > 0n ? cancelResting(coin, stop) : execute(coin, { ...execution, replaces: stop });

/** The decision with its numbers. A failed stop sells at the market and overrides the strategy. */
function decide(coin: Coin): { readonly decision: Decision; readonly numbers: Numbers } {
  if (coin.price === null) return { decision: NO_PRICE, numbers: {} };
  const decision = coin.instance.decide(coin.view);
  const overdue = failedStop(coin);
  if (overdue !== undefined) return { decision: SELL_FAILED_STOP, numbers: overdue };
  return { decision, numbers: coin.instance.explain(decision, coin.view) };
}

function approvalContext(coin: Coin): ApprovalContext {
  const { context, profile, rules, position, bound } = coin;
  const nowMs = performance.now();
  const pending = pendingOrder(coin);
  const stop = restingStops(coin)[0] ?? lonelyTarget(coin);
  const waiting = waitingEntry(coin);
  return {
    accountId: context.account.id,
    profileId: profile.id,
    rules,
    price: coin.price ?? rules.price.min,
    nowMs: coin.view.nowMs,
    position,
    levels: coin.levels,
    terms: settingsNow(bound.shared, coin.instance, coin.view),
    freeQuote: () => context.wallet.free(rules.quoteAsset, nowMs),
    equity: () => add(context.wallet.total(rules.quoteAsset), context.positionValue(rules.quoteAsset)),
    freeBase: context.wallet.free(rules.baseAsset, nowMs),
    takerFee: context.fees.taker,
    baseFeeRate: baseFeeRate(context, rules),
    pending:
      pending === undefined
        ? null
        : {
            clientOrderId: pending.record.clientOrderId,
            unknown: !isCertain(pending),
            certainAtMs: pending.certainAtMs ?? pending.cancelUntilMs ?? pending.record.sendBeforeMs,
          },
    stop: stop === undefined ? null : { left: subtract(stop.record.quantity, stop.applied), selling: isSelling(coin) },
    waiting: waiting === undefined ? null : { locked: lockedBy(waiting) },
    quantityInOpenSells: quantityInOpenSells(coin),
    gates: coin.gates,
    limits: {
      refusal: () => context.risk.refusal({ profileId: profile.id, symbol: coin.symbol }, new Date(coin.view.nowMs)),
      rooms: () => context.risk.rooms({ profileId: profile.id, symbol: coin.symbol }),
    },
    live: {
      enabled: profile.enabled,
      keyStatus: context.keyStatus,
      halts: haltsOf(context, profile.id),
      priceAgeMs: coin.view.priceAgeMs,
      orphans: orphansOn(rules.baseAsset, context.orphans),
      unreadOrder: context.unreadOrders.get(coin.symbol) ?? null,
      candles: missingCandles(coin) ?? null,
      refusals: (purpose) => coin.breaker.open(purpose, Date.now()),
    },
  };
}

/** The quote amount that a waiting buy locks. */
const lockedBy = ({ record: { form, quantity }, applied }: LiveOrder): Decimal =>
  'price' in form ? multiply(subtract(quantity, applied), form.price) : ZERO;

interface RecordInput extends Observed {
  readonly approval: Approval;
  readonly results: readonly TickResult[];
}

function record(coin: Coin, log: DecisionLog, input: RecordInput): void {
  const [wallMs, tookMs] = [Date.now(), performance.now() - input.startedMs];
  const captured = (coin.profile.captureUntil?.getTime() ?? 0) > wallMs;
  const write = (): void => log.record(input, (ticks) => auditOf(coin, input, { ticks, wallMs, tookMs }), captured);
  const { deferred } = coin.context;
  if (mayWait(input, deferred.size)) {
    deferred.add(write);
    return;
  }
  deferred.drain();
  write();
}

/**
 * Candles of many coins close together. All coins decide before the engine records any of it, unless one sent an order.
 */
const mayWait = ({ trigger, results }: RecordInput, waiting: number): boolean =>
  results.length === 0 && (trigger === 'candle' || (waiting > 0 && (trigger === 'price' || trigger === 'timer')));

interface AuditInput {
  readonly ticks: number;
  readonly wallMs: number;
  readonly tookMs: number;
}

function auditOf(coin: Coin, recorded: RecordInput, { ticks, wallMs, tookMs }: AuditInput): TickAudit {
  const { trigger, decision, numbers, approval, results, atMs, input } = recorded;
  const text = coin.bound.reasons[decision.reason] ?? OWN_TEXTS[decision.reason];
  return {
    id: newId<string>(wallMs),
    at: new Date(atMs).toISOString(),
    profileId: coin.profile.id,
    symbol: coin.symbol,
    trigger,
    input: inputText(input),
    decision: {
      kind: decision.kind,
      reason: decision.reason,
      numbers,
      sentence: text === undefined ? decision.reason : describe(text, numbers),
    },
    approval,
    results,
    latencyMicros: Math.round(tookMs * 1000),
    ticks,
  };
}

/** Stores an audit and publishes it to the browsers. */
export function publishTick(coin: Coin, audit: TickAudit): void {
  const { records, announce } = coin.context.ports;
  records.audit(audit);
  for (const result of audit.results) {
    if (result.kind !== 'order') continue;
    const kind = result.outcome.startsWith('cancel-') ? 'cancel' : 'decision';
    records.evidence({ orderId: result.orderId, kind, at: new Date(), detail: audit });
  }
  announce({ topic: 'tick', id: coin.profile.id, data: { symbol: coin.symbol, state: stateOf(coin, audit) } });
}

/** Inputs of a tick; converted to text only when an audit is published. */
const inputOf = ({ price, view, position, context, rules, live, guard, version }: Coin, nowMs = performance.now()) => ({
  ...{ price, priceAgeMs: view.priceAgeMs, position, version, liveOrders: live.size },
  freeQuote: context.wallet.free(rules.quoteAsset, nowMs),
  freeBase: context.wallet.free(rules.baseAsset, nowMs),
  unprotectedSeconds: unprotectedSeconds(guard),
});
type Input = ReturnType<typeof inputOf>;

const inputText = ({ price, priceAgeMs, position, freeQuote, freeBase, version, ...input }: Input): Numbers => ({
  price: price === null ? null : formatDecimal(price),
  priceAgeMs: Number.isFinite(priceAgeMs) ? Math.round(priceAgeMs) : null,
  ...positionText(position),
  freeQuote: formatDecimal(freeQuote),
  freeBase: formatDecimal(freeBase),
  ...input,
  stateVersion: version,
});

/** The position as the strategy sees it. A recorded quantity that backs no position gets separate names. */
function positionText({ firstBuyAt, quantity, averagePrice }: Coin['position']): Numbers {
  const recorded = { quantity: formatDecimal(quantity), averagePrice: formatDecimal(averagePrice) };
  if (firstBuyAt !== null) return recorded;
  const none = { quantity: '0', averagePrice: '0' };
  if (quantity === ZERO && averagePrice === ZERO) return none;
  return { ...none, recordedQuantity: recorded.quantity, recordedAveragePrice: recorded.averagePrice };
}

/** The contract's coinState: the last decision and the plan, as the coin page shows them. */
const stateOf = (coin: Coin, audit: TickAudit): unknown => ({
  at: audit.at,
  decision: { ...audit.decision, sentence: sentenceOf(audit) },
  approval:
    audit.approval.kind === 'refused'
      ? { kind: 'refused', reason: audit.approval.reason }
      : { kind: audit.approval.kind },
  plan: planPrices(coin).map((line) => ({ name: line.name, price: formatDecimal(line.price) })),
  protection: {
    unprotectedSeconds: unprotectedSeconds(coin.guard),
    cause: coin.guard.cause ?? coin.guard.targetCause?.sentence ?? null,
  },
});
