import { type Decimal } from '#core/amount/decimal.ts';
import type { KeptTarget } from '#core/judge/stop.ts';
import { type Lack, lackOf, TRIGGERED_GRACE_MS } from '#core/sizing/protective-stop.ts';
import { haltsOf } from '#engine/state/account-context.ts';
import { type Coin, legsOf, restingTargets } from '#engine/state/coin.ts';
import { LIST_REFUSED_MS } from '#engine/state/guard.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import { logRow } from './settle.ts';

/** Checks before each decision whether the resting target has started to sell. */
export function watchTarget(coin: Coin): void {
  const { guard, price } = coin;
  const [live] = restingTargets(coin);
  const limit = live === undefined ? null : priceOf(live);
  const sells = live !== undefined && (live.applied > 0n || (limit !== null && price !== null && price >= limit));
  if (!sells) guard.selling = null;
  else if (guard.selling?.clientOrderId !== live.record.clientOrderId)
    guard.selling = { clientOrderId: live.record.clientOrderId, sinceMs: performance.now() };
}

/** True while a target that was reached still has time to sell. */
export const isTargetSelling = ({ guard: { selling } }: Coin): boolean =>
  selling !== null && performance.now() - selling.sinceMs < TRIGGERED_GRACE_MS;

/** True for the sale of the strategy that the resting target makes just now. */
export const sellsAtTarget = (coin: Coin, reason: string): boolean =>
  isTargetSelling(coin) && restingTargets(coin)[0]?.record.reason === reason;

/**
 * A target whose stop has ended: the exchange ends the stop with the first execution of the target. The rest
 * is then without a stop.
 */
export const lonelyTarget = (coin: Coin): LiveOrder | undefined =>
  restingTargets(coin).find((live) => legsOf(coin, live).length === 1);

/** The target that should rest next to the stop; undefined when none rests and none should. */
export function keptTarget(coin: Coin, stop: LiveOrder | undefined): KeptTarget | undefined {
  const { bound, instance, view } = coin;
  const rests = stop === undefined ? undefined : restingTargets(coin).find((live) => isLegOf(live, stop));
  const resting = rests === undefined ? null : priceOf(rests);
  if (bound.shared.protectiveStop?.restsTarget !== true)
    return resting === null ? undefined : { ticks: 0, resting, blocked: null };
  return { ticks: instance.targetTicks?.(view) ?? 0, resting, blocked: blockedBy(coin) };
}

const isLegOf = ({ record: { listId } }: LiveOrder, stop: LiveOrder): boolean =>
  listId !== null && listId === stop.record.listId;

const priceOf = ({ record: { form } }: LiveOrder): Decimal | null => (form.type === 'limit' ? form.price : null);

/** Why no list may be placed now. */
function blockedBy({ context, profile, guard: { listRefused } }: Coin): Lack | null {
  if (haltsOf(context, profile.id).some(({ freeze }) => freeze)) return lackOf('order-target-frozen');
  if (listRefused === null || performance.now() >= listRefused.untilMs) return null;
  const { message } = listRefused;
  return { reason: 'order-target-refused', numbers: { message, minutes: LIST_REFUSED_MS / 60_000 } };
}

/** A disabled profile places nothing: when a target has sold a part, its rest has no stop, and the operator must know. */
export function reportBare(coin: Coin): undefined {
  const { guard } = coin;
  if (guard.reported || coin.live.size === 0 || lonelyTarget(coin) === undefined) return;
  guard.reported = true;
  const msg =
    'The position has no stop on the exchange: its target has sold a part, which ends the stop, and the profile is disabled.';
  logRow(coin, { level: 'warn', msg, ctx: { event: 'stop_missing', reason: 'halt-profile-disabled' } });
}
