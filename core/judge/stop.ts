import { type Decimal, fromSteps, maximum, subtract, ZERO } from '#core/amount/decimal.ts';
import type { OrderForm } from '#core/order/order.ts';
import { isSellable, type Position } from '#core/position/position.ts';
import { planStop, type RestingStop, type StopPlan, type StopSettings } from '#core/sizing/protective-stop.ts';
import { planTarget, type TargetSituation } from '#core/sizing/resting-target.ts';
import { refusalOf } from './checks.ts';
import { type Facts, type Judgement, type JudgedOrder, type Situation } from './situation.ts';

/** Level, average price and settings that a resting stop was placed for. */
export interface StopBasis {
  readonly level: Decimal;
  readonly average: Decimal;
  /** Hash of the config that it was placed under. */
  readonly settings: string;
}

/** The part of a situation that a stop depends on. */
export type GuardedCoin = Pick<Situation, 'rules' | 'position' | 'freeBase' | 'quantityInOpenSells'>;

/** The stop that a position needs now, and the one that rests. */
export interface KeptStop {
  readonly settings: StopSettings | undefined;
  /** Hash of the present config. */
  readonly config: string;
  /** The highest stop level of the strategy in ticks, 0 without one, and its name as the reason of a sale there. */
  readonly ticks: number;
  readonly reason: string;
  /** Null without a price. */
  readonly price: Decimal | null;
  readonly resting: RestingOrder | null;
  /** The target that should rest next to the stop; absent: none may. */
  readonly target?: KeptTarget;
}

/** `ticks`: price at which the strategy sells the whole position, 0 without one. */
export interface KeptTarget extends Pick<TargetSituation, 'resting' | 'blocked'> {
  readonly ticks: number;
}

/** The resting stop. `basis`: null when it is not known. */
interface RestingOrder extends Omit<RestingStop, 'level'> {
  readonly basis: StopBasis | null;
}

/**
 * The change that keeps the stop on the exchange equal to the strategy's level and the position. A manual sale on the book
 * already sells its part of the position: the stop covers the rest.
 */
export function planKeptStop(coin: GuardedCoin, kept: KeptStop): StopPlan {
  const { rules, position, freeBase: free, quantityInOpenSells } = coin;
  const { resting, settings, reason, price } = kept;
  const left = maximum(subtract(position.quantity, quantityInOpenSells), ZERO);
  const guarded = left === position.quantity || isSellable(left, position.averagePrice, rules);
  const level = resting === null ? ZERO : (resting.basis?.level ?? triggerOf(resting.form));
  const rests = resting === null ? null : restingAt(resting, level);
  const plan = planStop({
    settings,
    stop: guarded ? fromSteps(Math.round(kept.ticks), rules.price.tick) : ZERO,
    reason,
    least: resting === null || mayFall(resting.basis, position, kept.config) ? ZERO : level,
    price,
    position: left,
    free,
    rules,
    resting: rests,
  });
  const { target } = kept;
  if (target === undefined) return plan;
  const wanted = guarded ? fromSteps(Math.round(target.ticks), rules.price.tick) : ZERO;
  return planTarget(plan, rests, { wanted, price, rules, resting: target.resting, blocked: target.blocked });
}

/** Written out: an object spread would cost a backtest as much as the rest of the plan. */
const restingAt = ({ form, left, reason, sold, triggered }: RestingOrder, level: Decimal): RestingStop => ({
  form,
  left,
  level,
  reason,
  sold,
  triggered,
});

const triggerOf = (form: OrderForm): Decimal => ('stopPrice' in form ? form.stopPrice : ZERO);

/** Only a lower average entry price or changed settings may lower a stop. Any other lower level comes from lost state. */
const mayFall = (basis: StopBasis | null, position: Position, config: string): boolean =>
  basis !== null && (position.averagePrice < basis.average || config !== basis.settings);

/** Approves or refuses a protective stop that `planKeptStop` planned. */
export function judgeStop(
  { form, quantity, target }: Extract<StopPlan, { kind: 'place' }>,
  situation: Situation,
): Judgement {
  const refusal = refusalOf('stop', situation);
  if (refusal !== undefined) return refusal;
  const order: JudgedOrder = { side: 'sell', purpose: 'stop', form, quantity };
  return { kind: 'approved', order, facts: { quantity, ...pricesOf(form), ...(target !== undefined && { target }) } };
}

/** The prices of a stop, or the distance of a trailing stop in percent. */
function pricesOf(form: OrderForm): Facts {
  if (form.type === 'stop-loss-limit') return { stop: form.stopPrice, limit: form.price };
  return { trail: form.type === 'trailing-stop' ? form.deltaBips / 100 : 0 };
}

/** A resting stop that was triggered, whose time to sell is over. */
interface OverdueStop {
  readonly form: OrderForm;
  readonly price: Decimal | null;
  /** The position can be sold. */
  readonly sellable: boolean;
}

/**
 * The prices of a stop that failed: the price jumped below its limit, so it did not sell in time. The position is then sold
 * at the market (`SELL_FAILED_STOP`), even where the strategy would wait. Undefined while the stop has not failed.
 */
export function failureOf({ form, price, sellable }: OverdueStop): Facts | undefined {
  if (!sellable || form.type !== 'stop-loss-limit' || price === null || price > form.stopPrice) return undefined;
  return { price, stop: form.stopPrice, limit: form.price };
}
