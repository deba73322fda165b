import {
  absolute,
  add,
  ceilToStep,
  type Decimal,
  divide,
  floorToStep,
  formatDecimal,
  maximum,
  minimum,
  multiply,
  ONE,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import type { Decision, Numbers, ReasonText } from '#core/decision/decision.ts';
import type { OrderForm } from '#core/order/order.ts';
import { stopLimitAt } from './sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** Behaviour when the exchange accepts no order at the distance of the stop. */
export const BAND_POLICIES = ['notify', 'clamp', 'native-trail'] as const;

/** Settings of the stop on the exchange. `offset`: its limit as a share of the trigger price. */
export interface StopSettings {
  readonly offset: Decimal;
  readonly onBandBlock: (typeof BAND_POLICIES)[number];
  /** A fixed target of the strategy rests next to the stop, as one order list. */
  readonly restsTarget?: boolean;
}

/** A resting stop is moved once its price or quantity differs by this share. */
export const STOP_DRIFT = requireDecimal('0.001');
export const STOP_QTY_DRIFT = requireDecimal('0.01');
/** A clamped stop keeps this distance to the edge of the band, and moves once it differs by this share. */
const CLAMP_CUSHION = requireDecimal('1.01');
/** Time for a triggered stop to sell before an exit cancels it (wall ms). */
export const TRIGGERED_GRACE_MS = 5_000;

const BIPS = requireDecimal('10000');

/** Reasons for a missing or misplaced stop. */
export const STOP_REASONS = {
  'order-stop-outside-band': {
    sentence:
      'The exchange accepts no order at {limit}, below {floor}. The stop does not rest there; only this service watches the price.',
    thresholds: [],
  },
  'order-stop-blocked': {
    sentence:
      'No stop can rest on the exchange: only {free} of {needed} is available. Other orders lock the rest, or it has left the wallet.',
    thresholds: ['needed'],
  },
  'order-stop-unsellable': {
    sentence: 'No stop can rest on the exchange: {quantity} at {limit} is below the minimum order value {minNotional}.',
    thresholds: ['minNotional'],
  },
  'order-stop-reached': { sentence: 'The price {price} is at or below the stop {stop}.', thresholds: ['stop'] },
  'exit-failed-stop': {
    sentence:
      'Selling at the market: the stop on the exchange was triggered at {stop} but did not sell in time at {limit} or above. The price is {price}.',
    thresholds: ['stop', 'limit'],
  },
  'order-target-no-lists': {
    sentence:
      'The exchange allows no order lists for this coin. Only the stop rests there; this service watches the target.',
    thresholds: [],
  },
  'order-target-trailing-stop': {
    sentence: 'The exchange trails the stop, so no target rests next to it. This service watches the target.',
    thresholds: [],
  },
  'order-target-outside-band': {
    sentence:
      'The exchange accepts no order at {target}, above {ceiling}. Only the stop rests there; this service watches the target.',
    thresholds: ['ceiling'],
  },
  'order-target-frozen': {
    sentence: 'A kill switch freezes sales, so only a stop may be placed. This service watches the target.',
    thresholds: [],
  },
  'order-target-refused': {
    sentence:
      'The exchange refused the order list ("{message}"). Only the stop rests there for the next {minutes} minutes; this service watches the target.',
    thresholds: ['message'],
  },
  'order-stop-no-price': { sentence: 'No stop can be placed without a price.', thresholds: [] },
} as const satisfies Record<string, ReasonText>;
type StopReason = keyof typeof STOP_REASONS;

/** Decision for a failed stop: it was triggered and did not sell in time. */
export const SELL_FAILED_STOP = { kind: 'sell', reason: 'exit-failed-stop', lots: 'all' } as const satisfies Decision;

export interface RestingStop {
  readonly form: OrderForm;
  /** Open quantity. */
  readonly left: Decimal;
  /** The level of the strategy for which it was placed. A clamped or trailing order has another price. Zero when unknown. */
  readonly level: Decimal;
  /** Name of that level, as the reason of the sale. */
  readonly reason: string;
  /** A part has been sold. */
  readonly sold: boolean;
  /** It is selling within its time. */
  readonly triggered: boolean;
}

export interface StopSituation {
  /** Undefined without protective stop. */
  readonly settings: StopSettings | undefined;
  /** The highest stop level of the strategy, on the price grid; zero without one. */
  readonly stop: Decimal;
  /** Name of the level `stop`, as the reason of the sale. */
  readonly reason: string;
  /** The level of a resting stop that must not fall; zero when it may. */
  readonly least: Decimal;
  readonly price: Decimal | null;
  readonly position: Decimal;
  /** Free base asset in the wallet. */
  readonly free: Decimal;
  readonly rules: SymbolRules;
  readonly resting: RestingStop | null;
}

/** Why the exchange does not hold what it should. */
export interface Lack {
  readonly reason: StopReason;
  readonly numbers: Numbers;
}

/** `wait` keeps the resting stop; `place` replaces it. `lack`: why a target of the strategy does not rest next to it. */
export type StopPlan =
  | { readonly kind: 'idle' | 'remove' }
  | { readonly kind: 'keep'; readonly lack?: Lack }
  | ({ readonly kind: 'wait' } & Lack)
  | {
      readonly kind: 'place';
      readonly form: OrderForm;
      readonly quantity: Decimal;
      readonly level: Decimal;
      readonly reason: string;
      /** The price of the target that rests next to the stop, as one order list; absent: the stop alone. */
      readonly target?: Decimal;
      readonly lack?: Lack;
    };

const KEEP: StopPlan = { kind: 'keep' };

/** The change that turns the resting order into the required stop (strategies-exact 1.7). */
export function planStop(situation: StopSituation): StopPlan {
  const { settings, resting, price } = situation;
  if (settings === undefined) return { kind: resting === null ? 'idle' : 'remove' };
  if (resting?.triggered === true) return KEEP;
  if (situation.stop <= 0n) {
    if (resting === null) return { kind: 'idle' };
    return resting.sold ? KEEP : { kind: 'remove' };
  }
  if (price === null) return resting === null ? wait('order-stop-no-price') : KEEP;
  const level = maximum(situation.stop, situation.least);
  if (level >= price) return wait('order-stop-reached', { price, stop: level });
  const reason = resting !== null && situation.least > situation.stop ? resting.reason : situation.reason;
  return planForm({ ...situation, settings, price, level, reason });
}

interface Wanted extends StopSituation {
  readonly settings: StopSettings;
  readonly price: Decimal;
  readonly level: Decimal;
}

function planForm(wanted: Wanted): StopPlan {
  const { rules, settings, level, price, resting, reason } = wanted;
  const quantity = quantityOf(wanted);
  const limit = stopLimitAt(level, settings.offset, rules);
  const plain: OrderForm = { type: 'stop-loss-limit', stopPrice: level, price: limit };
  const missing = unsellable(wanted, quantity, limit);
  if (missing !== undefined) return missing;
  const same = resting !== null && isNear(quantity, resting.left, { drift: STOP_QTY_DRIFT, least: rules.lot.step });
  if (same && isNearForm(plain, resting.form, STOP_DRIFT)) return KEEP;
  const floor = rules.band === null ? null : multiply(price, rules.band.askDown);
  if (floor === null || limit >= floor) return { kind: 'place', form: plain, quantity, level, reason };
  if (same && resting.form.type === 'trailing-stop' && isNear(level, resting.level, { drift: STOP_DRIFT })) return KEEP;
  const form = formInBand(wanted, floor);
  if (form === null) return wait('order-stop-outside-band', { limit, floor });
  const near = same && isNearForm(form, resting.form, subtract(CLAMP_CUSHION, ONE));
  return near ? KEEP : { kind: 'place', form, quantity, level, reason };
}

/** Substitute for a stop with a limit below `floor`, the lowest price that the exchange accepts. */
function formInBand({ settings, rules, price, level }: Wanted, floor: Decimal): OrderForm | null {
  if (settings.onBandBlock === 'clamp') {
    const stopPrice = ceilToStep(multiply(divide(floor, settings.offset), CLAMP_CUSHION), rules.price.tick);
    const form = { type: 'stop-loss-limit', stopPrice, price: stopLimitAt(stopPrice, settings.offset, rules) } as const;
    return stopPrice < price ? form : null;
  }
  const { trailing } = rules;
  if (settings.onBandBlock === 'notify' || trailing === undefined || !rules.orderTypes.includes('STOP_LOSS'))
    return null;
  const deltaBips = Math.round(toNumber(multiply(subtract(ONE, divide(level, price)), BIPS)));
  return deltaBips >= trailing.min && deltaBips <= trailing.max ? { type: 'trailing-stop', deltaBips } : null;
}

function quantityOf({ position, free, resting, rules }: StopSituation): Decimal {
  const available = resting === null ? free : add(free, resting.left);
  const lots = floorToStep(minimum(position, available), rules.lot.step);
  return rules.lot.max > 0n ? minimum(lots, rules.lot.max) : lots;
}

function unsellable(wanted: Wanted, quantity: Decimal, limit: Decimal): StopPlan | undefined {
  const { rules, position, free } = wanted;
  const sells = (lots: Decimal): boolean =>
    lots > 0n && lots >= rules.lot.min && multiply(lots, limit) >= rules.notional.min;
  if (sells(quantity)) return undefined;
  const needed = floorToStep(position, rules.lot.step);
  if (sells(needed)) return wait('order-stop-blocked', { free, needed });
  return wait('order-stop-unsellable', { quantity: needed, limit, minNotional: rules.notional.min });
}

/** Whether `b` differs from `a` by less than a share of `a`, or by less than `least` when that is more. */
export const isNear = (a: Decimal, b: Decimal, by: { readonly drift: Decimal; readonly least?: Decimal }): boolean =>
  absolute(subtract(a, b)) < maximum(multiply(a, by.drift), by.least ?? ZERO);

const isNearForm = (form: OrderForm, other: OrderForm, drift: Decimal): boolean =>
  form.type === 'stop-loss-limit' &&
  other.type === 'stop-loss-limit' &&
  isNear(form.stopPrice, other.stopPrice, { drift }) &&
  isNear(form.price, other.price, { drift });

const wait = (reason: StopReason, numbers: Readonly<Record<string, Decimal>> = {}): StopPlan => ({
  kind: 'wait',
  ...lackOf(reason, numbers),
});

export const lackOf = (reason: StopReason, numbers: Readonly<Record<string, Decimal>> = {}): Lack => ({
  reason,
  numbers: Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, formatDecimal(value)])),
});
