import type { Decision, EntryForm } from '#core/decision/decision.ts';
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
import type { TickView } from '#strategies/strategy.ts';
import { breakEvenOf, snapDown, snapUp } from '#strategies/ticks.ts';
import { ADDS, ANSWERS } from './reasons.ts';
import type { Memory } from './state.ts';

/** The config as numbers; a multiplier of 0 is off. */
export interface Knobs {
  readonly buyEnabled: boolean;
  readonly sellEnabled: boolean;
  readonly levels: number;
  readonly entryTrigger: number;
  /** By level: where a buy that follows the price is set off and ends; null for a level that buys at once. */
  readonly chases: readonly ({ readonly stop: number; readonly limit: number } | null)[];
  readonly queueing: Queueing;
  readonly rungs: readonly Rung[];
  readonly minWorth: number;
  readonly exitInBear: boolean;
  /** By level; that of the first one is a share of the low, the others are of the average entry price. */
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

/** Levels that hang on the position or on the window, in whole ticks; 0 when there is none. */
interface Levels {
  /** The average and fee they were computed for. */
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
  /** The position that `rung` was found for. */
  readonly rungOf: { avgTicks: number; lots: number; peakLots: number; done: number };
  /** Where the next further level buys; 0 when its turn is not next. */
  addLimit: number;
}

export interface Scene {
  readonly knobs: Knobs;
  readonly memory: Memory;
  readonly levels: Levels;
}

/** Recomputes what hangs on the average price. Arming below the price that pays the fees would lock in a loss. */
export function placeLevels({ knobs, levels }: Scene, view: TickView): void {
  if (levels.target !== view.target || levels.avgTicks !== view.avgTicks) {
    const trigger = view.target > 0 ? (knobs.triggers[view.target] ?? 0) : 0;
    levels.target = view.target;
    levels.addLimit = snapDown(view.avgTicks * trigger);
  }
  if (levels.avgTicks === view.avgTicks && levels.takerFee === view.takerFee) return;
  const breakEven = breakEvenOf(view, knobs.queueing.maker);
  levels.cost = snapUp(view.avgTicks * breakEven);
  levels.avgTicks = view.avgTicks;
  levels.takerFee = view.takerFee;
  levels.stop = knobs.stopLoss > 0 ? snapDown(view.avgTicks * knobs.stopLoss) : 0;
  levels.arm = trails(knobs) ? snapUp(view.avgTicks * Math.max(knobs.armTrigger, breakEven)) : 0;
  levels.floorArm = knobs.floorArm > 0 ? snapUp(view.avgTicks * knobs.floorArm) : 0;
  levels.floor = knobs.floorArm > 0 ? snapDown(view.avgTicks * knobs.floor) : 0;
}

/** Finds the next partial sale anew when the position or what is done of it has changed. */
export function placeNextRung({ knobs, levels: { rung, rungOf }, memory }: Scene, view: TickView): void {
  const { avgTicks, lots, peakLots } = view;
  const done = memory.rungsDone;
  const same = rungOf.avgTicks === avgTicks && rungOf.lots === lots && rungOf.peakLots === peakLots;
  if (same && rungOf.done === done) return;
  rungOf.avgTicks = avgTicks;
  rungOf.lots = lots;
  rungOf.peakLots = peakLots;
  rungOf.done = done;
  placeRung(rung, { rungs: knobs.rungs, done, minWorth: knobs.minWorth }, view);
}

/** A trail that waits for a profit: without a distance there is nothing to start. */
const trails = ({ armTrigger, trail, atrMultiplier, fromEntry }: Knobs): boolean =>
  armTrigger > 0 && !fromEntry && (trail > 0 || atrMultiplier > 0);

/** Puts the floor in force once the price has reached its arm price; it stays until the position changes. */
export function armFloor({ memory, levels }: Scene, view: TickView): void {
  if (levels.floorArm > 0 && view.price >= levels.floorArm) memory.breakEven = true;
}

/** The candles that have closed since the first buy fill, from their times: downtime counts. */
export const barsHeld = ({ knobs, memory }: Scene, view: TickView): number =>
  memory.lastOpenMs / knobs.intervalMs + 1 - Math.floor(view.firstBuyFillMs / knobs.intervalMs);

/** Follows the high with the trail; it never falls inside a position. */
export function ratchetTrail({ knobs, memory }: Scene): void {
  const range = knobs.atrMultiplier > 0 && memory.atr !== null && memory.atr.ready ? memory.atr.value : 0;
  const level =
    range > 0
      ? snapDown(memory.high - (knobs.atrMultiplier * range) / knobs.tick)
      : snapDown(memory.high * knobs.trail);
  if (level > memory.trailStop) memory.trailStop = level;
}

/** Arms the trail at the arm price or, when the price closed higher since the buy, at that close. */
export function armTrail(scene: Scene, view: TickView): void {
  const { memory, levels } = scene;
  if (memory.high > 0 || levels.arm === 0 || view.price < levels.arm) return;
  memory.high = Math.max(levels.arm, memory.lastClose);
  ratchetTrail(scene);
}

type Rule = OrderedRule<Scene>;

const sellDisabled: Rule = ({ knobs }) => (knobs.sellEnabled ? undefined : ANSWERS['hold-sell-disabled']);
const exitOnItsWay: Rule = (_scene, view) => (view.exitOrderOpen ? ANSWERS['hold-exit-order-open'] : undefined);
const hardStop: Rule = ({ levels }, view) =>
  levels.stop > 0 && view.price <= levels.stop ? ANSWERS['exit-stop-loss'] : undefined;
const floorReached: Rule = ({ memory, levels }, view) =>
  memory.breakEven && view.price <= levels.floor ? ANSWERS['exit-break-even'] : undefined;
const trail: Rule = ({ memory }, view) =>
  memory.trailStop > 0 && view.price <= memory.trailStop ? ANSWERS['exit-trail'] : undefined;
const takeProfit: Rule = (scene, view) => {
  const { memory, levels, knobs } = scene;
  if (knobs.rungs.length === 0) return undefined;
  placeNextRung(scene, view);
  const { ticks, lots, done } = levels.rung;
  if (ticks === 0 || view.price < ticks) return undefined;
  memory.rungNext = done;
  memory.rungLots = lots;
  memory.rungFrom = view.lots;
  return { kind: 'sell', reason: 'exit-take-profit', lots: lots === view.lots ? 'all' : lots };
};
const ratingTurned: Rule = ({ memory, levels }, view) =>
  view.ratingSells && memory.high === 0 && view.price >= levels.cost ? ANSWERS['exit-rating'] : undefined;
const regimeFell: Rule = ({ knobs }, view) =>
  knobs.exitInBear && view.regime === -1 ? ANSWERS['exit-regime'] : undefined;
const tooLong: Rule = (scene, view) => {
  const { knobs, memory } = scene;
  if (knobs.timeStopBars === 0 || memory.high > 0) return undefined;
  return barsHeld(scene, view) >= knobs.timeStopBars ? ANSWERS['exit-time-stop'] : undefined;
};

/** Asked in order while a sellable position is held. */
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

const buyDisabled: Rule = ({ knobs }) => (knobs.buyEnabled ? undefined : ANSWERS['entry-disabled']);
const unreadable: Rule = (_scene, view) => (view.readable ? undefined : ANSWERS['entry-config-unreadable']);
/** A waiting buy is taken back when it is too old or not wanted any more, and follows the price down. */
const entryOnItsWay: Rule = (scene, view) => {
  const { knobs, memory, levels } = scene;
  const { waiting, target, price } = view;
  if (!view.entryOrderOpen) return undefined;
  if (waiting === null) return ANSWERS['order-entry-open'];
  if (!knobs.buyEnabled || waiting.level !== target) return CONDITION_GONE;
  const chase = knobs.chases[target] ?? null;
  if (chase !== null && waiting.stop > 0) {
    const form = chaseForm(price, chase);
    return fellAway(waiting, form) ? buyAt(scene, target, form) : ANSWERS['order-entry-open'];
  }
  const { timeoutBars } = knobs.queueing;
  if (timeoutBars > 0 && barsSince(waiting.placedMs, memory.lastOpenMs, knobs.intervalMs) >= timeoutBars)
    return TIMEOUT;
  const wanted = target > 0 ? price <= levels.addLimit : knobs.immediate || price <= levels.entryLimit;
  return wanted ? ANSWERS['order-entry-open'] : CONDITION_GONE;
};
const levelsUsed: Rule = ({ knobs }, view) =>
  view.target >= knobs.levels ? ANSWERS['entry-grid-complete'] : undefined;
/** The rules of the first buy do not ask an add; its own trigger does. */
const add: Rule = (scene, view) => {
  const { levels } = scene;
  if (view.target === 0) return undefined;
  if (view.price > levels.addLimit) return ANSWERS['entry-above-level'];
  return buyAt(scene, view.target, formAt(scene.knobs, view));
};
const historyShort: Rule = ({ knobs, memory }) =>
  memory.window.count() < firstBuyNeed(knobs) ? ANSWERS['entry-history-short'] : undefined;
const aboveWindowLow: Rule = ({ knobs, levels }, view) =>
  knobs.immediate || view.price <= levels.entryLimit ? undefined : ANSWERS['entry-above-window-low'];
const tooStrong: Rule = ({ knobs, memory: { rsi } }) =>
  rsi !== null && rsi.value > knobs.rsiMax ? ANSWERS['entry-rsi-high'] : undefined;
const enter: Rule = (scene, view) => buyAt(scene, 0, formAt(scene.knobs, view));

/** How the buy of the next level is sent; undefined for one that takes the price. */
function formAt({ chases, queueing }: Knobs, { target, price }: TickView): EntryForm | undefined {
  const chase = chases[target] ?? null;
  if (chase !== null) return chaseForm(price, chase);
  return queueing.maker ? makerForm(queueing, price) : undefined;
}

/** A buy that takes the price is a shared value; one that waits says where. */
function buyAt({ knobs }: Scene, level: number, form: EntryForm | undefined): Decision {
  const first = knobs.immediate ? 'entry-immediate' : 'entry-first';
  const shared = level === 0 ? ANSWERS[first] : (ADDS[level] ?? ANSWERS['entry-grid-complete']);
  return form === undefined || shared.kind !== 'buy' ? shared : { ...shared, form };
}

const RSI_NEED = 15;

/** Closed candles before the first buy. */
export const firstBuyNeed = ({ immediate, window, rsiMax }: Pick<Knobs, 'immediate' | 'window' | 'rsiMax'>): number =>
  Math.max(immediate ? 0 : window, rsiMax > 0 ? RSI_NEED : 0);

/** Asked in order after the exits; the last one always answers. */
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

/** Why a held position is neither sold nor added to. */
export function holdAnswer({ knobs, memory, levels }: Scene): Decision {
  if (memory.high > 0) return ANSWERS['hold-trail-armed'];
  if (knobs.fromEntry) return ANSWERS['hold-trail-pending'];
  if (memory.breakEven) return ANSWERS[levels.arm > 0 ? 'hold-break-even-armed' : 'hold-above-floor'];
  if (levels.arm > 0) return ANSWERS['hold-below-arm'];
  if (levels.stop > 0) return ANSWERS['hold-above-stop'];
  if (knobs.timeStopBars > 0) return ANSWERS['hold-until-time-stop'];
  return ANSWERS[levels.floorArm > 0 ? 'hold-below-floor-arm' : 'hold-no-exit'];
}
