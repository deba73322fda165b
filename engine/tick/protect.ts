import type { TickResult } from '#core/decision/audit.ts';
import { APPROVAL_REASONS, describe, type Numbers, type ReasonText } from '#core/decision/decision.ts';
import { type Decimal, subtract } from '#core/amount/decimal.ts';
import { exitCause } from '#core/decision/exit-cause.ts';
import { numbersOf } from '#core/judge/situation.ts';
import { failureOf, type KeptStop, planKeptStop } from '#core/judge/stop.ts';
import { STOP_REASONS, type StopPlan, TRIGGERED_GRACE_MS } from '#core/sizing/protective-stop.ts';
import { type ApprovalContext, type ApprovalResult, approveStop, stopRefusal } from './approve.ts';
import { cancelOrder } from './cancel.ts';
import { type Coin, quantityInOpenSells, restingStops } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { execute, idsOf } from './execute.ts';
import { unprotectedSeconds, readBasis } from '#engine/state/guard.ts';
import { logRow } from './settle.ts';

/** The engine reports a position that has had no stop on the exchange for this long. */
const REPORT_AFTER_SECONDS = 5;

/**
 * Keeps the stop on the exchange equal to the strategy's stop level and the position, after a tick that sent nothing.
 * Returns undefined when there is nothing to send, else the results.
 */
export function protect(coin: Coin, context: () => ApprovalContext): Promise<TickResult[]> | undefined {
  const [live, extra] = restingStops(coin);
  const idle = live === undefined && coin.guard.unprotected === null && coin.guard.cause === null;
  if (idle && !coin.view.sellable) return undefined;
  const plan: StopPlan = extra === undefined ? planFor(coin, live) : { kind: 'remove' };
  if (plan.kind === 'wait' && plan.reason === 'order-stop-blocked') coin.context.balances.doubted = true;
  if (plan.kind === 'wait') note(coin, true, plan);
  else if (plan.kind === 'keep' || plan.kind === 'idle') note(coin, plan.kind === 'keep');
  else return move(coin, { plan, live: extra ?? live, context: context() });
  return undefined;
}

function planFor(coin: Coin, live: LiveOrder | undefined): StopPlan {
  const { position, rules, context, bound, price, instance, view } = coin;
  const freeBase = context.wallet.free(rules.baseAsset, performance.now());
  const guarded = { rules, position, freeBase, quantityInOpenSells: quantityInOpenSells(coin) };
  return planKeptStop(guarded, {
    settings: bound.shared.protectiveStop,
    config: coin.settings,
    ticks: instance.stopTicks(view),
    reason: instance.stopReason(view),
    price,
    resting: live === undefined ? null : restingOf(coin, live),
  });
}

function restingOf(coin: Coin, { record, applied }: LiveOrder): KeptStop['resting'] {
  const { form, reason, quantity } = record;
  const left = subtract(quantity, applied);
  return { form, left, reason, sold: applied > 0n, triggered: isSelling(coin), basis: readBasis(record) };
}

/** Checks before each decision whether the resting stop has started to sell. */
export function watchStop(coin: Coin): void {
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
  const { order, numbers } = approval;
  const basis = { level, average: coin.position.averagePrice, settings: coin.settings };
  const execution = { reason, numbers, order, basis };
  const result = await execute(coin, live === undefined ? execution : { ...execution, replaces: live });
  if (result.kind === 'order' && result.outcome === 'accepted') {
    const { stop, limit, trail, quantity } = numbers;
    const how = trail === undefined ? `at ${stop}, for no less than ${limit}` : `${trail} % below its best price`;
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
  entry: ['entry_withdrawn', 'Cancelled the waiting buy.'],
  manual: ['manual_withdrawn', 'Cancelled the manual order.'],
} as const;

/** Cancels a resting order and logs the cancellation. */
export async function cancelResting(coin: Coin, live: LiveOrder): Promise<TickResult> {
  const { outcome, result } = await cancelOrder(coin, live);
  const { purpose } = live.record;
  if (outcome.kind === 'rejected') coin.breaker.refused(purpose, outcome.message, Date.now());
  if (outcome.kind === 'accepted' && live.record.state === 'cancelled') {
    const [event, msg] = CANCELLED[purpose === 'stop' || purpose === 'manual' ? purpose : 'entry'];
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
