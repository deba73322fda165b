import type { Decision } from '#core/decision/decision.ts';
import { barsSince, CONDITION_GONE, makerForm, type Queueing, TIMEOUT } from '#strategies/execution.ts';
import type { Rule as OrderedRule } from '#strategies/ordered-rules.ts';
import type { TickView } from '#strategies/strategy.ts';
import { breakEvenOf, snapDown, snapUp } from '#strategies/ticks.ts';
import { ANSWERS } from './reasons.ts';
import type { Memory, Series } from './state.ts';

/** The config as numbers; a multiplier of 0 is off. */
export interface Knobs {
  readonly buyEnabled: boolean;
  readonly sellEnabled: boolean;
  readonly exitOnCross: boolean;
  readonly exitInBear: boolean;
  readonly queueing: Queueing;
  readonly intervalMs: number;
  readonly need: number;
  readonly slow: number;
  readonly margin: number;
  readonly trail: number;
  readonly atrMultiplier: number;
  readonly activation: number;
  readonly profitTrail: number;
  readonly slopeBars: number;
  readonly extension: number;
  /** Quote price of one tick. */
  readonly tick: number;
}

export interface Scene {
  readonly knobs: Knobs;
  readonly memory: Memory;
}

/** A cross compares two values of the slow average, the first of which exists at candle `slow`. */
const comparable = ({ slow }: Knobs, { closedCount }: Series): boolean => closedCount >= slow + 1;

/** On the newest closed candle the fast average rose above the slow one, by the margin. */
export function crossedUp(knobs: Knobs, series: Series): boolean {
  const { fast, slow, fastBefore, slowBefore } = series;
  const { margin } = knobs;
  return comparable(knobs, series) && fastBefore <= slowBefore * margin && fast.value > slow.value * margin;
}

/** On the newest closed candle the fast average fell below the slow one. */
export function crossedDown(knobs: Knobs, series: Series): boolean {
  const { fast, slow, fastBefore, slowBefore } = series;
  return comparable(knobs, series) && fastBefore >= slowBefore && fast.value < slow.value;
}

/** Raises the stops for the present high. The tighter one never lies below the price that pays the fees. */
export function raiseStops({ knobs, memory }: Scene, view: TickView): void {
  const { ratchets, series } = memory;
  const { high } = ratchets;
  const range = knobs.atrMultiplier > 0 && series.atr !== null && series.atr.ready ? series.atr.value : 0;
  const stop = range > 0 ? snapDown(high - (knobs.atrMultiplier * range) / knobs.tick) : snapDown(high * knobs.trail);
  ratchets.stop = Math.max(ratchets.stop, stop);
  if (knobs.activation === 0) return;
  const breakEven = breakEvenOf(view, knobs.queueing.maker);
  if (high < snapUp(view.avgTicks * Math.max(knobs.activation, breakEven))) return;
  const leg = Math.max(snapUp(view.avgTicks * breakEven), snapDown(high * knobs.profitTrail));
  ratchets.leg = Math.max(ratchets.leg, leg);
}

/** The sale at the higher of both stops: a stop on the exchange goes by its reason, too. */
export const stopAnswer = ({
  memory: { ratchets },
}: {
  readonly memory: Pick<Scene['memory'], 'ratchets'>;
}): Decision => ANSWERS[ratchets.leg > ratchets.stop ? 'exit-profit-trail' : 'exit-trailing-stop'];

type Rule = OrderedRule<Scene>;

const sellDisabled: Rule = ({ knobs }) => (knobs.sellEnabled ? undefined : ANSWERS['hold-sell-disabled']);
const exitOnItsWay: Rule = (_scene, view) => (view.exitOrderOpen ? ANSWERS['hold-exit-order-open'] : undefined);
const stopReached: Rule = ({ memory: { ratchets } }, view) => {
  const { stop, leg } = ratchets;
  return view.price > Math.max(stop, leg) ? undefined : stopAnswer({ memory: { ratchets } });
};
const crossDown: Rule = ({ knobs, memory }) =>
  knobs.exitOnCross && memory.ratchets.exitSignal ? ANSWERS['exit-cross-down'] : undefined;
const regimeFell: Rule = ({ knobs }, view) =>
  knobs.exitInBear && view.regime === -1 ? ANSWERS['exit-regime'] : undefined;
const held: Rule = () => ANSWERS['hold-above-stop'];

/** Asked in order while a sellable position is held; this strategy never adds to it, so the last one always answers. */
export const HELD_RULES: readonly Rule[] = [sellDisabled, exitOnItsWay, stopReached, crossDown, regimeFell, held];

const buyDisabled: Rule = ({ knobs }) => (knobs.buyEnabled ? undefined : ANSWERS['entry-disabled']);
const unreadable: Rule = (_scene, view) => (view.readable ? undefined : ANSWERS['entry-config-unreadable']);
/** A waiting buy is taken back when it is too old, or when the averages have crossed back. */
const entryOnItsWay: Rule = ({ knobs, memory: { series } }, view) => {
  const { waiting } = view;
  if (!view.entryOrderOpen) return undefined;
  if (waiting === null) return ANSWERS['order-entry-open'];
  if (!knobs.buyEnabled || crossedDown(knobs, series)) return CONDITION_GONE;
  const { timeoutBars } = knobs.queueing;
  const late = timeoutBars > 0 && barsSince(waiting.placedMs, series.lastOpenMs, knobs.intervalMs) >= timeoutBars;
  return late ? TIMEOUT : ANSWERS['order-entry-open'];
};
const historyShort: Rule = ({ knobs, memory: { series } }) =>
  series.closedCount < knobs.need ? ANSWERS['entry-history-short'] : undefined;
/** A cross holds until the next candle has closed, also when that candle has not arrived: old ones are not chased. */
const noCross: Rule = ({ knobs, memory: { series } }, view) => {
  const isNewest = view.nowMs < series.lastOpenMs + 2 * knobs.intervalMs;
  return isNewest && crossedUp(knobs, series) ? undefined : ANSWERS['entry-no-cross'];
};
const alreadyTraded: Rule = ({ memory: { ratchets, series } }) =>
  ratchets.actionOpenMs >= 0 && ratchets.actionOpenMs === series.lastOpenMs
    ? ANSWERS['entry-already-this-candle']
    : undefined;
const belowTrend: Rule = ({ memory: { series } }) =>
  series.trend !== null && series.close <= series.trend.value ? ANSWERS['entry-below-trend'] : undefined;
const trendNotRising: Rule = ({ knobs, memory: { series } }) => {
  if (series.trend === null || knobs.slopeBars === 0) return undefined;
  const before = series.trendPast[0];
  return before !== undefined && series.trend.value > before ? undefined : ANSWERS['entry-trend-not-rising'];
};
const overextended: Rule = ({ knobs, memory: { series } }, view) => {
  if (series.extension === null) return undefined;
  return view.price > extensionLimit(knobs, series.extension.value) ? ANSWERS['entry-overextended'] : undefined;
};
const enter: Rule = ({ knobs: { queueing } }, { price }) => {
  const taking = ANSWERS['entry-cross-up'];
  return queueing.maker && taking.kind === 'buy' ? { ...taking, form: makerForm(queueing, price) } : taking;
};

/** The highest price to buy at, in ticks. */
export const extensionLimit = ({ extension, tick }: Knobs, sma: number): number => snapDown((sma * extension) / tick);

/** Asked in order while flat; the last one always answers. */
export const ENTRY_RULES: readonly Rule[] = [
  entryOnItsWay,
  buyDisabled,
  unreadable,
  historyShort,
  noCross,
  alreadyTraded,
  belowTrend,
  trendNotRising,
  overextended,
  enter,
];
