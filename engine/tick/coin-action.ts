import type { TickResult } from '#core/decision/audit.ts';
import { APPROVAL_REASONS, describe, type Numbers } from '#core/decision/decision.ts';
import { ceilToStep, type Decimal, floorToStep, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { ManualReason } from '#core/order/manual-order.ts';
import type { ManualRequest } from '#core/judge/manual.ts';
import { isObject } from '#core/merge.ts';
import { type ActionOutcome, done, EXPIRED, refused } from '#core/order/operator-action.ts';
import { hasMoved, isProposalRefusal, MOST_MOVED_PERCENT } from '#core/order/proposal.ts';
import { costOf } from '#core/judge/preview.ts';
import { numbersOf as numbersOfFacts } from '#core/judge/situation.ts';
import { isLiveOrder } from '#core/order/order.ts';
import { type ApprovalContext, type ApprovalResult, approveManual } from './approve.ts';
import { type Coin, pendingOrder, restingOrders } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import type { CoinAction } from '#engine/state/operator-request.ts';

/** The next step of the pending action: wait for an uncertain outcome, end the action, or send something for it. */
export type ActionStep =
  | { readonly kind: 'wait' }
  /** Its order is settled and a quantity is left to sell: the action places another order. */
  | { readonly kind: 'go-on'; readonly settled: LiveOrder }
  | { readonly kind: 'end'; readonly outcome: ActionOutcome }
  | { readonly kind: 'refuse'; readonly reason: ManualReason; readonly approval: Refusal }
  | { readonly kind: 'cancel'; readonly reason: ManualReason; readonly live: LiveOrder }
  | { readonly kind: 'send'; readonly reason: ManualReason; readonly approval: Approved };

type Approved = Extract<ApprovalResult, { kind: 'approved' }>;

type Refusal = Extract<ApprovalResult, { kind: 'refused' }>;

const WAIT: ActionStep = { kind: 'wait' };

const LATE: ActionStep = { kind: 'end', outcome: EXPIRED };

const isLate = ({ deadlineMs }: CoinAction): boolean => performance.now() >= deadlineMs;

/**
 * The next step of an action. An action places one order, and the outcome of that order is the outcome of the action.
 * Only a force sale places more orders, as long as they sell and a quantity is left. Before its order an action may
 * start again, and it expires after its deadline.
 */
export function nextStep(coin: Coin, action: CoinAction, context: () => ApprovalContext): ActionStep {
  const { request, order } = action;
  if (request.kind === 'cancel') return stepOfCancel(coin, action, request.orderId);
  if (order !== null) return leavesRest(action, order, context) ? { kind: 'go-on', settled: order } : endOf(order);
  if (isLate(action)) return LATE;
  if (pendingOrder(coin) !== undefined || coin.price === null) return WAIT;
  if (request.kind !== 'force-sell') {
    const situation = context();
    const step = judge(coin, { ...request, reason: `manual-${request.side}` }, situation);
    return request.kind === 'order'
      ? unlessMoved(step, request.previewed ?? null, situation)
      : { kind: 'end', outcome: previewOf(step, situation) };
  }
  // A triggered stop may be selling already. A resting buy must not buy back; a resting sale locks the quantity.
  const now = context();
  if (now.stop?.selling === true) return WAIT;
  const [live] = now.live?.halts.some(({ freeze }) => freeze) === true ? [] : restingOrders(coin);
  if (live !== undefined) return { kind: 'cancel', reason: 'force-sell', live };
  const step = judge(coin, { side: 'sell', limit: null, size: 'all', reason: 'force-sell' }, now);
  const { balances } = coin.context;
  // The stream may have lost a balance update: the engine reads the balances before it refuses a sale.
  if (step.kind !== 'refuse' || !lacksCoins(coin, step.approval) || balances.readMs >= action.requestedMs) return step;
  balances.doubted = true;
  return WAIT;
}

/** True when the sale was refused because the last reported balances leave nothing available of the position. */
export const lacksCoins = ({ position }: Coin, approval: ApprovalResult): boolean =>
  position.firstBuyAt !== null &&
  approval.kind === 'refused' &&
  (approval.reason === 'exit-nothing-free' || approval.reason === 'exit-locked-by-orphan');

/** True when a quantity is left to sell: a market order is capped by its maximum size and by the order book. */
function leavesRest(action: CoinAction, { record, applied }: LiveOrder, context: () => ApprovalContext): boolean {
  if (action.request.kind !== 'force-sell' || isLiveOrder(record.state) || applied === 0n || isLate(action))
    return false;
  return approveManual({ side: 'sell', limit: null, size: 'all' }, context()).kind === 'approved';
}

function judge(
  { rules }: Coin,
  { reason, ...request }: ManualRequest & { readonly reason: ManualReason },
  context: ApprovalContext,
): Extract<ActionStep, { kind: 'refuse' | 'send' }> {
  // Rounds onto the tick size, never to a worse price than requested.
  const snap = request.side === 'buy' ? floorToStep : ceilToStep;
  const limit = request.limit === null ? null : snap(request.limit, rules.price.tick);
  const approval = approveManual({ ...request, limit }, context);
  return approval.kind === 'refused' ? { kind: 'refuse', reason, approval } : { kind: 'send', reason, approval };
}

/** Refuses an order whose price has moved since the preview: the operator approved other numbers. */
function unlessMoved(
  step: ReturnType<typeof judge>,
  previewed: Decimal | null,
  situation: ApprovalContext,
): ReturnType<typeof judge> {
  if (step.kind === 'refuse' || previewed === null) return step;
  const price = requireDecimal(costOf(step.approval.order, situation).price);
  if (!hasMoved(previewed, price)) return step;
  const numbers = numbersOfFacts({ most: MOST_MOVED_PERCENT, previewed, price });
  return { kind: 'refuse', reason: step.reason, approval: { kind: 'refused', reason: 'moved-since-preview', numbers } };
}

/** The outcome of a preview: what the order would be and cost, or why it would be refused. */
function previewOf(step: ReturnType<typeof judge>, situation: ApprovalContext): ActionOutcome {
  return step.kind === 'refuse' ? refusalOf(step.approval, situation) : done(costOf(step.approval.order, situation));
}

/** Repeats the cancel while the order rests. Once it does not rest, its state is the outcome. */
function stepOfCancel(coin: Coin, action: CoinAction, orderId: string): ActionStep {
  const live = [...coin.live.values()].find(({ record }) => record.id === orderId);
  const end = (why: string): ActionStep => ({ kind: 'end', outcome: refused(why, { orderId }) });
  if (live === undefined) {
    const state = action.order?.record.state;
    if (state === 'cancelled') return { kind: 'end', outcome: done({ orderId }) };
    return end(
      state === undefined
        ? 'There is nothing to cancel: the order is not open.'
        : `It was too late to cancel: the order is ${state}.`,
    );
  }
  if (live.record.purpose === 'stop' || live.record.purpose === 'target') {
    const what = live.record.purpose === 'stop' ? 'protective stop' : 'target';
    return end(
      `This is the ${what} of the position: the worker would place it again at once. Turn it off in the config.`,
    );
  }
  if (!restingOrders(coin).includes(live)) return WAIT;
  return isLate(action) ? LATE : { kind: 'cancel', reason: 'manual-cancel', live };
}

/** The outcome of an action that the engine refused. */
export const refusalOf = ({ reason: code, numbers }: Refusal, { rules }: Pick<Coin, 'rules'>): ActionOutcome =>
  refused(describe(APPROVAL_REASONS[code], numbers, rules), { code, numbers });

/** The outcome of an action whose request was not sent or not committed; undefined when the action tries again. */
export function unsentOf(result: TickResult): ActionOutcome | undefined {
  if (result.kind === 'order') {
    return result.outcome === 'cancel-not-sent'
      ? refused('The cancel was not sent: the request limit of the exchange is used up. Try again in a minute.')
      : undefined;
  }
  const { reason: code, numbers = {} } = result;
  if (isProposalRefusal(code)) return refused(describe(APPROVAL_REASONS[code], numbers), { code, numbers });
  return code === 'halt-kill-switch' ? refused('A kill switch was engaged in the meantime.', { code }) : undefined;
}

function endOf({ record, applied }: LiveOrder): ActionStep {
  const { state, form } = record;
  if (state === 'intent' || state === 'unknown') return WAIT;
  if (isLiveOrder(state) && form.type === 'market') return WAIT;
  const detail = {
    orderId: record.id,
    state,
    side: record.side,
    quantity: formatDecimal(record.quantity),
    filledQuantity: formatDecimal(applied),
    filledQuote: formatDecimal(record.filledQuote),
  };
  const why = whyNotDone(record, applied);
  return { kind: 'end', outcome: why === null ? done(detail) : refused(why, detail) };
}

/** True for an order that was never sent because the stop to replace was gone: the action checks again what to sell. */
export const isUntried = ({ record: { state, payload } }: LiveOrder): boolean =>
  state === 'cancelled' && isObject(payload) && payload['reason'] === 'not-attempted';

function whyNotDone({ state, exchangeOrderId, payload }: LiveOrder['record'], applied: Decimal): string | null {
  const reported = isObject(payload) ? (payload['msg'] ?? payload['reason']) : undefined;
  const cause = typeof reported === 'string' ? reported : 'no cause was given';
  if (state === 'rejected') return `The exchange refused the order: ${cause}`;
  if (state === 'never-arrived') return 'The order never arrived at the exchange: nothing was traded.';
  if (isLiveOrder(state) || applied > 0n) return null;
  if (exchangeOrderId === null) return `The order was not sent (${cause}).`;
  return `The order ended as ${state} before anything was traded.`;
}

/** The numbers of a step for the audit. */
export function numbersOf({ id, request }: CoinAction, step: ActionStep): Numbers {
  const numbers: Record<string, string> = { action: id };
  if (step.kind === 'cancel') numbers['order'] = step.live.record.clientOrderId;
  if (request.kind === 'cancel' || request.kind === 'force-sell') return numbers;
  if (request.limit !== null) numbers['limit'] = formatDecimal(request.limit);
  numbers[request.size.by] = formatDecimal(request.size.amount);
  return numbers;
}
