import { type Decimal, multiply } from '#core/amount/decimal.ts';
import type { OrderForm } from '#core/order/order.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { isNear, type Lack, lackOf, type RestingStop, STOP_DRIFT, type StopPlan } from './protective-stop.ts';

/** The target of the strategy, and the one that rests next to the stop. */
export interface TargetSituation {
  /** Price at which the strategy sells the whole position; zero without one. */
  readonly wanted: Decimal;
  /** Price of the resting target; null when none rests. */
  readonly resting: Decimal | null;
  /** Why no list may be placed now; null when one may. */
  readonly blocked: Lack | null;
  readonly price: Decimal | null;
  readonly rules: SymbolRules;
}

/** A price, null without a target that may rest, or why the target does not rest. */
type Wish = { readonly target: Decimal | null; readonly lack?: Lack };

const NONE: Wish = { target: null };

/**
 * Adds the target of the strategy to the plan of the stop: both then rest as one order list, of which only one leg sells. A
 * list whose target is reached stays, because it sells.
 */
export function planTarget(plan: StopPlan, stop: RestingStop | null, situation: TargetSituation): StopPlan {
  const { resting, price, blocked } = situation;
  if (price === null || (plan.kind !== 'place' && plan.kind !== 'keep')) return plan;
  if (resting !== null && price >= resting) return { kind: 'keep' };
  if (plan.kind === 'place') {
    const { target, ...lacking } = wishOf(plan.form, situation);
    return target === null ? { ...plan, ...lacking } : { ...plan, target };
  }
  if (stop === null || stop.sold || stop.triggered) return plan;
  const { target, ...lacking } = wishOf(stop.form, situation);
  const { form, left: quantity, level, reason } = stop;
  if (resting !== null && blocked !== null && lacking.lack === blocked) return plan;
  if (target === null)
    return resting === null ? { ...plan, ...lacking } : { kind: 'place', form, quantity, level, reason };
  if (resting !== null && isNear(target, resting, { drift: STOP_DRIFT })) return plan;
  return { kind: 'place', form, quantity, level, reason, target };
}

function wishOf(stop: OrderForm, { wanted, blocked, price, rules }: TargetSituation): Wish {
  if (wanted <= 0n || price === null || wanted <= price) return NONE;
  if (rules.lists !== true) return { target: null, lack: lackOf('order-target-no-lists') };
  if (stop.type !== 'stop-loss-limit') return { target: null, lack: lackOf('order-target-trailing-stop') };
  const ceiling = rules.band === null ? null : multiply(price, rules.band.askUp);
  if (ceiling !== null && wanted > ceiling)
    return { target: null, lack: lackOf('order-target-outside-band', { target: wanted, ceiling }) };
  const most = rules.price.max;
  if (most > 0n && wanted > most)
    return { target: null, lack: lackOf('order-target-outside-band', { target: wanted, ceiling: most }) };
  return blocked === null ? { target: wanted } : { target: null, lack: blocked };
}
