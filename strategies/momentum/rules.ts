import type { Decision } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';
import { barsSince, CONDITION_GONE, makerForm, type Queueing, TIMEOUT } from '#strategies/execution.ts';
import type { Rule as OrderedRule } from '#strategies/ordered-rules.ts';
import { breakEvenOf, snapDown, snapUp } from '#strategies/ticks.ts';
import { ANSWERS } from './reasons.ts';
import type { Memory, Series } from './state.ts';

/** The config as numbers; a multiplier of 0 is off. */
export interface Params {
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

export interface StrategyContext {
  readonly params: Params;
  readonly memory: Memory;
}

/** A cross compares two values of the slow average. The first one exists at candle `slow`. */
const comparable = ({ slow }: Params, { closedCount }: Series): boolean => closedCount >= slow + 1;

/** On the newest closed candle the fast average rose above the slow one, by the margin. */
export function crossedUp(params: Params, series: Series): boolean {
  const { fast, slow, fastBefore, slowBefore } = series;
  const { margin } = params;
  return comparable(params, series) && fastBefore <= slowBefore * margin && fast.value > slow.value * margin;
}

/** On the newest closed candle the fast average fell below the slow one. */
export function crossedDown(params: Params, series: Series): boolean {
  const { fast, slow, fastBefore, slowBefore } = series;
  return comparable(params, series) && fastBefore >= slowBefore && fast.value < slow.value;
}

/** Raises the stops for the current high. The tighter stop is never below the price that pays the fees. */
export function raiseStops({ params, memory }: StrategyContext, view: TickView): void {
  const { ratchets, series } = memory;
  const { high } = ratchets;
  const range = params.atrMultiplier > 0 && series.atr !== null && series.atr.ready ? series.atr.value : 0;
  const stop =
    range > 0 ? snapDown(high - (params.atrMultiplier * range) / params.tick) : snapDown(high * params.trail);
  ratchets.stop = Math.max(ratchets.stop, stop);
  if (params.activation === 0) return;
  const breakEven = breakEvenOf(view, params.queueing.maker);
  if (high < snapUp(view.avgTicks * Math.max(params.activation, breakEven))) return;
  const leg = Math.max(snapUp(view.avgTicks * breakEven), snapDown(high * params.profitTrail));
  ratchets.leg = Math.max(ratchets.leg, leg);
}

/** The sale at the higher stop. The stop on the exchange has the same reason. */
export const stopAnswer = ({
  memory: { ratchets },
}: {
  readonly memory: Pick<StrategyContext['memory'], 'ratchets'>;
}): Decision => ANSWERS[ratchets.leg > ratchets.stop ? 'exit-profit-trail' : 'exit-trailing-stop'];

type Rule = OrderedRule<StrategyContext>;

const sellDisabled: Rule = ({ params }) => (params.sellEnabled ? undefined : ANSWERS['hold-sell-disabled']);
const exitOnItsWay: Rule = (_context, view) => (view.exitOrderOpen ? ANSWERS['hold-exit-order-open'] : undefined);
const stopReached: Rule = ({ memory: { ratchets } }, view) => {
  const { stop, leg } = ratchets;
  return view.price > Math.max(stop, leg) ? undefined : stopAnswer({ memory: { ratchets } });
};
const crossDown: Rule = ({ params, memory }) =>
  params.exitOnCross && memory.ratchets.exitSignal ? ANSWERS['exit-cross-down'] : undefined;
const regimeFell: Rule = ({ params }, view) =>
  params.exitInBear && view.regime === -1 ? ANSWERS['exit-regime'] : undefined;
const held: Rule = () => ANSWERS['hold-above-stop'];

/** Rules in order while a sellable position is held. This strategy never adds to it, so the last rule always answers. */
export const HELD_RULES: readonly Rule[] = [sellDisabled, exitOnItsWay, stopReached, crossDown, regimeFell, held];

const buyDisabled: Rule = ({ params }) => (params.buyEnabled ? undefined : ANSWERS['entry-disabled']);
const unreadable: Rule = (_context, view) => (view.readable ? undefined : ANSWERS['entry-config-unreadable']);
/** Cancels a resting buy after its timeout, or when the averages have crossed back. */
const entryOnItsWay: Rule = ({ params, memory: { series } }, view) => {
  const { waiting } = view;
  if (!view.entryOrderOpen) return undefined;
  if (waiting === null) return ANSWERS['order-entry-open'];
  if (!params.buyEnabled || crossedDown(params, series)) return CONDITION_GONE;
  const { timeoutBars } = params.queueing;
  const late = timeoutBars > 0 && barsSince(waiting.placedMs, series.lastOpenMs, params.intervalMs) >= timeoutBars;
  return late ? TIMEOUT : ANSWERS['order-entry-open'];
};
const historyShort: Rule = ({ params, memory: { series } }) =>
  series.closedCount < params.need ? ANSWERS['entry-history-short'] : undefined;
/** A cross is valid until the next candle closes, even when that candle has not arrived. Old crosses do not count. */
const noCross: Rule = ({ params, memory: { series } }, view) => {
  const isNewest = view.nowMs < series.lastOpenMs + 2 * params.intervalMs;
  return isNewest && crossedUp(params, series) ? undefined : ANSWERS['entry-no-cross'];
};
const alreadyTraded: Rule = ({ memory: { ratchets, series } }) =>
  ratchets.actionOpenMs >= 0 && ratchets.actionOpenMs === series.lastOpenMs
    ? ANSWERS['entry-already-this-candle']
    : undefined;
const belowTrend: Rule = ({ memory: { series } }) =>
  series.trend !== null && series.close <= series.trend.value ? ANSWERS['entry-below-trend'] : undefined;
const trendNotRising: Rule = ({ params, memory: { series } }) => {
  if (series.trend === null || params.slopeBars === 0) return undefined;
  const before = series.trendPast[0];
  return before !== undefined && series.trend.value > before ? undefined : ANSWERS['entry-trend-not-rising'];
};
const overextended: Rule = ({ params, memory: { series } }, view) => {
  if (series.extension === null) return undefined;
  return view.price > extensionLimit(params, series.extension.value) ? ANSWERS['entry-overextended'] : undefined;
};
const enter: Rule = ({ params: { queueing } }, { price }) => {
  const taking = ANSWERS['entry-cross-up'];
  return queueing.maker && taking.kind === 'buy' ? { ...taking, form: makerForm(queueing, price) } : taking;
};

/** The highest price to buy at, in ticks. */
export const extensionLimit = ({ extension, tick }: Params, sma: number): number => snapDown((sma * extension) / tick);

/** Rules in order while flat. The last rule always answers. */
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
