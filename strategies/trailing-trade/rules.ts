import type { Decision, EntryForm } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';
import {
  barsSince,
  chaseForm,
  CONDITION_GONE,
  fellAway,
  makerForm,
  type Queueing,
  TIMEOUT,
} from '#strategies/execution.ts';
import { type NextRung, placeRung, type Rung } from '#strategies/ladder.ts';
import type { Rule as OrderedRule } from '#strategies/ordered-rules.ts';
import { breakEvenOf, snapDown, snapUp } from '#strategies/ticks.ts';
import { ADDS, ANSWERS } from './reasons.ts';
import type { Memory } from './state.ts';

/** The config as numbers; a multiplier of 0 is off. */
export interface Params {
  readonly buyEnabled: boolean;
  readonly sellEnabled: boolean;
  readonly levels: number;
  readonly entryTrigger: number;
  /** By level: trigger and limit of a chase, as shares of the price; null for a level that buys at once. */
  readonly chases: readonly ({ readonly stop: number; readonly limit: number } | null)[];
  readonly queueing: Queueing;
  readonly rungs: readonly Rung[];
  readonly minWorth: number;
  readonly exitInBear: boolean;
  /** By level: a share of the low for the first level, of the average entry price for the others. */
  readonly triggers: readonly number[];
  readonly window: number;
  readonly stopLoss: number;
  readonly armTrigger: number;
  readonly trail: number;
  readonly immediate: boolean;
  readonly rsiMax: number;
  readonly atrMultiplier: number;
  /** The trail starts with the first candle after the buy. */
  readonly fromEntry: boolean;
  readonly floorArm: number;
  readonly floor: number;
  readonly timeStopBars: number;
  readonly intervalMs: number;
  /** Quote price of one tick. */
  readonly tick: number;
}

/** Levels that depend on the position or on the window, in whole ticks; 0 when there is none. */
interface Levels {
  /** Average and fee for which the levels were computed. */
  avgTicks: number;
  takerFee: number;
  target: number;
  stop: number;
  arm: number;
  floorArm: number;
  floor: number;
  entryLimit: number;
  /** The price that pays the fees. */
  cost: number;
  readonly rung: NextRung;
  /** The position for which `rung` was computed. */
  readonly rungOf: { avgTicks: number; lots: number; peakLots: number; done: number };
  /** Buy price of the next further level; 0 when it is not next. */
  addLimit: number;
}

export interface StrategyContext {
  readonly params: Params;
  readonly memory: Memory;
  readonly levels: Levels;
}

/** Recomputes the levels that depend on the average price. Arming below the price that pays the fees would lock in a loss. */
export function placeLevels({ params, levels }: StrategyContext, view: TickView): void {
  if (levels.target !== view.target || levels.avgTicks !== view.avgTicks) {
    const trigger = view.target > 0 ? (params.triggers[view.target] ?? 0) : 0;
    levels.target = view.target;
    levels.addLimit = snapDown(view.avgTicks * trigger);
  }
  if (levels.avgTicks === view.avgTicks && levels.takerFee === view.takerFee) return;
  const breakEven = breakEvenOf(view, params.queueing.maker);
  levels.cost = snapUp(view.avgTicks * breakEven);
  levels.avgTicks = view.avgTicks;
  levels.takerFee = view.takerFee;
  levels.stop = params.stopLoss > 0 ? snapDown(view.avgTicks * params.stopLoss) : 0;
  levels.arm = trails(params) ? snapUp(view.avgTicks * Math.max(params.armTrigger, breakEven)) : 0;
  levels.floorArm = params.floorArm > 0 ? snapUp(view.avgTicks * params.floorArm) : 0;
  levels.floor = params.floorArm > 0 ? snapDown(view.avgTicks * params.floor) : 0;
}

/** Recomputes the next partial sale when the position or the completed sales changed. */
export function placeNextRung({ params, levels: { rung, rungOf }, memory }: StrategyContext, view: TickView): void {
  const { avgTicks, lots, peakLots } = view;
  const done = memory.rungsDone;
  const same = rungOf.avgTicks === avgTicks && rungOf.lots === lots && rungOf.peakLots === peakLots;
  if (same && rungOf.done === done) return;
  rungOf.avgTicks = avgTicks;
  rungOf.lots = lots;
  rungOf.peakLots = peakLots;
  rungOf.done = done;
  placeRung(rung, { rungs: params.rungs, done, minWorth: params.minWorth }, view);
}

/** True for a trail that starts in profit. It needs a distance. */
const trails = ({ armTrigger, trail, atrMultiplier, fromEntry }: Params): boolean =>
  armTrigger > 0 && !fromEntry && (trail > 0 || atrMultiplier > 0);

/** Activates the floor once the price reaches its arm price. It stays active until the position changes. */
export function armFloor({ memory, levels }: StrategyContext, view: TickView): void {
  if (levels.floorArm > 0 && view.price >= levels.floorArm) memory.breakEven = true;
}

/** Number of candles since the first buy fill, computed from times, so that downtime counts. */
export const barsHeld = ({ params, memory }: StrategyContext, view: TickView): number =>
  memory.lastOpenMs / params.intervalMs + 1 - Math.floor(view.firstBuyFillMs / params.intervalMs);

/** Moves the trail with the high. It never falls inside a position. */
export function ratchetTrail({ params, memory }: StrategyContext): void {
  const range = params.atrMultiplier > 0 && memory.atr !== null && memory.atr.ready ? memory.atr.value : 0;
  const level =
    range > 0
      ? snapDown(memory.high - (params.atrMultiplier * range) / params.tick)
      : snapDown(memory.high * params.trail);
  if (level > memory.trailStop) memory.trailStop = level;
}

/** Arms the trail at the arm price or, when the price closed higher since the buy, at that close. */
export function armTrail(context: StrategyContext, view: TickView): void {
  const { memory, levels } = context;
  if (memory.high > 0 || levels.arm === 0 || view.price < levels.arm) return;
  memory.high = Math.max(levels.arm, memory.lastClose);
  ratchetTrail(context);
}

type Rule = OrderedRule<StrategyContext>;

const sellDisabled: Rule = ({ params }) => (params.sellEnabled ? undefined : ANSWERS['hold-sell-disabled']);
const exitOnItsWay: Rule = (_context, view) => (view.exitOrderOpen ? ANSWERS['hold-exit-order-open'] : undefined);
const hardStop: Rule = ({ levels }, view) =>
  levels.stop > 0 && view.price <= levels.stop ? ANSWERS['exit-stop-loss'] : undefined;
const floorReached: Rule = ({ memory, levels }, view) =>
  memory.breakEven && view.price <= levels.floor ? ANSWERS['exit-break-even'] : undefined;
const trail: Rule = ({ memory }, view) =>
  memory.trailStop > 0 && view.price <= memory.trailStop ? ANSWERS['exit-trail'] : undefined;
const takeProfit: Rule = (context, view) => {
  const { memory, levels, params } = context;
  if (params.rungs.length === 0) return undefined;
  placeNextRung(context, view);
  const { ticks, lots, done } = levels.rung;
  if (ticks === 0 || view.price < ticks) return undefined;
  memory.rungNext = done;
  memory.rungLots = lots;
  memory.rungFrom = view.lots;
  return { kind: 'sell', reason: 'exit-take-profit', lots: lots === view.lots ? 'all' : lots };
};
const ratingTurned: Rule = ({ memory, levels }, view) =>
  view.ratingSells && memory.high === 0 && view.price >= levels.cost ? ANSWERS['exit-rating'] : undefined;
const regimeFell: Rule = ({ params }, view) =>
  params.exitInBear && view.regime === -1 ? ANSWERS['exit-regime'] : undefined;
const tooLong: Rule = (context, view) => {
  const { params, memory } = context;
  if (params.timeStopBars === 0 || memory.high > 0) return undefined;
  return barsHeld(context, view) >= params.timeStopBars ? ANSWERS['exit-time-stop'] : undefined;
};

/** Rules in order while a sellable position is held. */
export const EXIT_RULES: readonly Rule[] = [
  sellDisabled,
  exitOnItsWay,
  hardStop,
  floorReached,
  trail,
  takeProfit,
  ratingTurned,
  regimeFell,
  tooLong,
];

const buyDisabled: Rule = ({ params }) => (params.buyEnabled ? undefined : ANSWERS['entry-disabled']);
const unreadable: Rule = (_context, view) => (view.readable ? undefined : ANSWERS['entry-config-unreadable']);
/** Cancels a resting buy after its timeout or when its condition no longer holds; a chase follows the price down. */
const entryOnItsWay: Rule = (context, view) => {
  const { params, memory, levels } = context;
  const { waiting, target, price } = view;
  if (!view.entryOrderOpen) return undefined;
  if (waiting === null) return ANSWERS['order-entry-open'];
  if (!params.buyEnabled || waiting.level !== target) return CONDITION_GONE;
  const chase = params.chases[target] ?? null;
  if (chase !== null && waiting.stop > 0) {
    const form = chaseForm(price, chase);
    return fellAway(waiting, form) ? buyAt(context, target, form) : ANSWERS['order-entry-open'];
  }
  const { timeoutBars } = params.queueing;
  if (timeoutBars > 0 && barsSince(waiting.placedMs, memory.lastOpenMs, params.intervalMs) >= timeoutBars)
    return TIMEOUT;
  const wanted = target > 0 ? price <= levels.addLimit : params.immediate || price <= levels.entryLimit;
  return wanted ? ANSWERS['order-entry-open'] : CONDITION_GONE;
};
const levelsUsed: Rule = ({ params }, view) =>
  view.target >= params.levels ? ANSWERS['entry-grid-complete'] : undefined;
/** The rules of the first buy do not apply to an add, only its own trigger. */
const add: Rule = (context, view) => {
  const { levels } = context;
  if (view.target === 0) return undefined;
  if (view.price > levels.addLimit) return ANSWERS['entry-above-level'];
  return buyAt(context, view.target, formAt(context.params, view));
};
const historyShort: Rule = ({ params, memory }) =>
  memory.window.count() < firstBuyNeed(params) ? ANSWERS['entry-history-short'] : undefined;
const aboveWindowLow: Rule = ({ params, levels }, view) =>
  params.immediate || view.price <= levels.entryLimit ? undefined : ANSWERS['entry-above-window-low'];
const tooStrong: Rule = ({ params, memory: { rsi } }) =>
  rsi !== null && rsi.value > params.rsiMax ? ANSWERS['entry-rsi-high'] : undefined;
const enter: Rule = (context, view) => buyAt(context, 0, formAt(context.params, view));

/** Form of the buy of the next level; undefined for a market order. */
function formAt({ chases, queueing }: Params, { target, price }: TickView): EntryForm | undefined {
  const chase = chases[target] ?? null;
  if (chase !== null) return chaseForm(price, chase);
  return queueing.maker ? makerForm(queueing, price) : undefined;
}

/** A market buy is a shared object. A resting buy has a form with its prices. */
function buyAt({ params }: StrategyContext, level: number, form: EntryForm | undefined): Decision {
  const first = params.immediate ? 'entry-immediate' : 'entry-first';
  const shared = level === 0 ? ANSWERS[first] : (ADDS[level] ?? ANSWERS['entry-grid-complete']);
  return form === undefined || shared.kind !== 'buy' ? shared : { ...shared, form };
}

const RSI_NEED = 15;

/** Closed candles before the first buy. */
export const firstBuyNeed = ({ immediate, window, rsiMax }: Pick<Params, 'immediate' | 'window' | 'rsiMax'>): number =>
  Math.max(immediate ? 0 : window, rsiMax > 0 ? RSI_NEED : 0);

/** Rules in order after the exits. The last rule always answers. */
export const ENTRY_RULES: readonly Rule[] = [
  entryOnItsWay,
  buyDisabled,
  unreadable,
  levelsUsed,
  add,
  historyShort,
  aboveWindowLow,
  tooStrong,
  enter,
];

/** Reason for holding: neither an exit nor an add applies. */
export function holdAnswer({ params, memory, levels }: StrategyContext): Decision {
  if (memory.high > 0) return ANSWERS['hold-trail-armed'];
  if (params.fromEntry) return ANSWERS['hold-trail-pending'];
  if (memory.breakEven) return ANSWERS[levels.arm > 0 ? 'hold-break-even-armed' : 'hold-above-floor'];
  if (levels.arm > 0) return ANSWERS['hold-below-arm'];
  if (levels.stop > 0) return ANSWERS['hold-above-stop'];
  if (params.timeStopBars > 0) return ANSWERS['hold-until-time-stop'];
  return ANSWERS[levels.floorArm > 0 ? 'hold-below-floor-arm' : 'hold-no-exit'];
}
