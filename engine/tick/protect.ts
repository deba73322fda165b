import type { TickResult } from '#core/decision/audit.ts';
import { APPROVAL_REASONS, describe, type Numbers, type ReasonText } from '#core/decision/decision.ts';
import { type Decimal, subtract } from '#core/amount/decimal.ts';
import { exitCause } from '#core/decision/exit-cause.ts';
import { numbersOf } from '#core/judge/situation.ts';
import { failureOf, type KeptStop, planKeptStop } from '#core/judge/stop.ts';
import { STOP_REASONS, type StopPlan, TRIGGERED_GRACE_MS } from '#core/sizing/protective-stop.ts';
import { type ApprovalContext, type ApprovalResult, approveStop, stopRefusal } from './approve.ts';
import { cancelOrder } from './cancel.ts';
import { type Coin, pendingOrder, quantityInOpenSells, restingStops } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { execute } from './execute.ts';
import { idsOf } from './outcome.ts';
import { isTargetSelling, keptTarget, lonelyTarget, watchTarget } from './resting-target.ts';
import { unprotectedSeconds, readBasis } from '#engine/state/guard.ts';
import { logRow } from './settle.ts';

/** The engine reports a position that has had no stop on the exchange for this long. */
const REPORT_AFTER_SECONDS = 5;

/**
 * Keeps the stop on the exchange equal to the strategy's stop level and the position, after a tick that sent nothing.
 * Returns undefined when there is nothing to send, else the results.
 */
export function protect(coin: Coin, context: () => ApprovalContext): Promise<TickResult[]> | undefined {
  const lonely = lonelyTarget(coin);
  if (lonely !== undefined) return endTarget(coin, lonely);
  const [live, extra] = restingStops(coin);
  const idle = live === undefined && coin.guard.unprotected === null && coin.guard.cause === null;
  if (idle && !coin.view.sellable) return undefined;
  const plan: StopPlan = extra === undefined ? planFor(coin, live) : { kind: 'remove' };
  if (plan.kind === 'wait' && plan.reason === 'order-stop-blocked') coin.context.balances.doubted = true;
  if (plan.kind === 'wait') note(coin, true, plan);
  else if (plan.kind === 'keep' || plan.kind === 'idle') note(coin, plan.kind === 'keep');
  noteTarget(coin, plan.kind === 'keep' || plan.kind === 'place' ? plan.lack : undefined);
  if (plan.kind === 'place' || plan.kind === 'remove')
    return move(coin, { plan, live: extra ?? live, context: context() });
  return undefined;
}

/** A target that has not sold everything in its time ends, so that a stop can rest again. Cancelling it lowers no protection, so no halt refuses it. */
function endTarget(coin: Coin, target: LiveOrder): Promise<TickResult[]> | undefined {
  note(coin, coin.bound.shared.protectiveStop !== undefined);
  if (isTargetSelling(coin) || pendingOrder(coin) !== undefined) return undefined;
  return cancelResting(coin, target).then((result) => [result]);
}

function planFor(coin: Coin, live: LiveOrder | undefined): StopPlan {
  const { position, rules, context, bound, price, instance, view } = coin;
  const freeBase = context.wallet.free(rules.baseAsset, performance.now());
  const guarded = { rules, position, freeBase, quantityInOpenSells: quantityInOpenSells(coin) };
  const target = keptTarget(coin, live);
  return planKeptStop(guarded, {
    settings: bound.shared.protectiveStop,
    config: coin.settings,
    ticks: instance.stopTicks(view),
    reason: instance.stopReason(view),
    price,
    resting: live === undefined ? null : restingOf(coin, live),
    ...(target && { target }),
  });
}

function restingOf(coin: Coin, { record, applied }: LiveOrder): KeptStop['resting'] {
  const { form, reason, quantity } = record;
  const left = subtract(quantity, applied);
  return { form, left, reason, sold: applied > 0n, triggered: isSelling(coin), basis: readBasis(record) };
}

/** Checks before each decision whether the resting stop, or the target next to it, has started to sell. */
export function watchStop(coin: Coin): void {
  watchTarget(coin);
  const [live] = restingStops(coin);
  const { guard, price } = coin;
  if (live === undefined) guard.triggered = null;
  if (live === undefined || guard.triggered?.clientOrderId === live.record.clientOrderId) return;
  const { form, clientOrderId } = live.record;
  const reached = 'stopPrice' in form && price !== null && price <= form.stopPrice;
  guard.triggered = reached || live.applied > 0n ? { clientOrderId, sinceMs: performance.now() } : null;
}

/** True while a triggered stop still has time to sell: until then no exit replaces it. */
export const isSelling = ({ guard: { triggered } }: Coin): boolean =>
  triggered !== null && performance.now() - triggered.sinceMs < TRIGGERED_GRACE_MS;

/** The prices of a triggered stop that has not sold in time, as the numbers of the decision to sell at the market. */
export function failedStop(coin: Coin): Numbers | undefined {
  const [live] = restingStops(coin);
  if (live === undefined || coin.guard.triggered === null || isSelling(coin)) return undefined;
  const failure = failureOf({ form: live.record.form, price: coin.price, sellable: coin.view.sellable });
  return failure === undefined ? undefined : numbersOf(failure);
}

interface MoveInput {
  readonly plan: StopPlan;
  readonly live: LiveOrder | undefined;
  readonly context: ApprovalContext;
}

function move(coin: Coin, { plan, live, context }: MoveInput): Promise<TickResult[]> | undefined {
  const wanted = plan.kind === 'place';
  const approval = wanted ? approveStop(plan, context) : stopRefusal(context);
  if (approval?.kind === 'refused') {
    note(coin, wanted, approval);
    return undefined;
  }
  note(coin, wanted);
  if (live !== undefined && (!wanted || live.applied > 0n)) return cancelResting(coin, live).then((result) => [result]);
  if (approval === undefined || plan.kind !== 'place') return undefined;
  return place(coin, { approval, live, level: plan.level, reason: plan.reason });
}

interface PlaceInput {
  readonly approval: Extract<ApprovalResult, { kind: 'approved' }>;
  readonly live: LiveOrder | undefined;
  readonly level: Decimal;
  /** Exit reason that the order's fills get. */
  readonly reason: string;
}

async function place(coin: Coin, { approval, live, level, reason }: PlaceInput): Promise<TickResult[]> {
  const { order, target: above, numbers } = approval;
  const target = above && { order: above, reason: coin.instance.targetReason ?? reason };
  const basis = { level, average: coin.position.averagePrice, settings: coin.settings };
  const execution = { reason, numbers, order, basis, ...(target && { target }) };
  const result = await execute(coin, live === undefined ? execution : { ...execution, replaces: live });
  if (result.kind === 'order' && result.outcome === 'accepted') {
    const { stop, limit, trail, quantity } = numbers;
    const next = numbers['target'] === undefined ? '' : `, or at the target ${numbers['target']}`;
    const how =
      trail === undefined ? `at ${stop}, for no less than ${limit}${next}` : `${trail} % below its best price`;
    const verb = live === undefined ? 'Placed a stop on the exchange' : 'Moved the stop on the exchange';
    const cause = exitCause(reason);
    logRow(coin, {
      level: 'info',
      msg: `${verb} (${cause}): it sells ${quantity} ${coin.rules.baseAsset} ${how}.`,
      ctx: { event: 'stop_placed', ...result, reason, numbers },
    });
  }
  note(coin, true);
  return [result];
}

const CANCELLED = {
  stop: ['stop_removed', 'Cancelled the stop on the exchange.'],
  target: ['target_removed', 'Cancelled the rest of the target on the exchange.'],
  entry: ['entry_withdrawn', 'Cancelled the waiting buy.'],
  manual: ['manual_withdrawn', 'Cancelled the manual order.'],
} as const;

/** Cancels a resting order and logs the cancellation. */
export async function cancelResting(coin: Coin, live: LiveOrder): Promise<TickResult> {
  const { outcome, result } = await cancelOrder(coin, live);
  const { purpose } = live.record;
  if (outcome.kind === 'rejected') coin.breaker.refused(purpose, outcome.message, Date.now());
  if (outcome.kind === 'accepted' && live.record.state === 'cancelled') {
    const [event, msg] = CANCELLED[purpose === 'exit' ? 'entry' : purpose];
    logRow(coin, { level: 'info', msg, ctx: { event, ...idsOf(live.record) } });
  }
  return result;
}

interface Lack {
  readonly reason: string;
  readonly numbers: Numbers;
}

/**
 * Counts the time during which a position needs a stop and none rests. Reports it once per episode: at once when the
 * exchange refuses the price, else after REPORT_AFTER_SECONDS.
 */
function note(coin: Coin, wanted: boolean, lack?: Lack): void {
  const { guard } = coin;
  const rests = restingStops(coin).length > 0;
  count(coin, wanted && !rests);
  if (lack === undefined) {
    if (wanted && !rests) return;
    guard.cause = null;
    guard.reported = false;
    return;
  }
  guard.cause = sentenceOf(lack);
  const seconds = unprotectedSeconds(guard);
  if (guard.reported || (lack.reason !== 'order-stop-outside-band' && seconds < REPORT_AFTER_SECONDS)) return;
  guard.reported = true;
  const msg = rests ? guard.cause : `The position has no stop on the exchange. ${guard.cause}`;
  logRow(coin, { level: 'warn', msg, ctx: { event: 'stop_missing', ...lack, seconds } });
}

/** Logs once for each reason why a target does not rest next to the stop. */
function noteTarget(coin: Coin, lack: Lack | undefined): void {
  const { guard } = coin;
  const before = guard.targetCause;
  guard.targetCause = lack === undefined ? null : { reason: lack.reason, sentence: sentenceOf(lack) };
  if (guard.targetCause === null || before?.reason === lack?.reason) return;
  const ctx = { event: 'target_not_resting', ...lack };
  logRow(coin, { level: 'warn', msg: guard.targetCause.sentence, ctx });
}

function count({ guard, context, symbol }: Coin, unprotected: boolean): void {
  const nowMs = performance.now();
  const { sinceMs = nowMs, countedMs = nowMs } = guard.unprotected ?? {};
  context.unprotectedMs.set(symbol, (context.unprotectedMs.get(symbol) ?? 0) + nowMs - countedMs);
  guard.unprotected = unprotected ? { sinceMs, countedMs: nowMs } : null;
}

const TEXTS: Readonly<Record<string, ReasonText>> = { ...STOP_REASONS, ...APPROVAL_REASONS };

function sentenceOf({ reason, numbers }: Lack): string {
  const text = TEXTS[reason];
  return text === undefined ? reason : describe(text, numbers);
}
