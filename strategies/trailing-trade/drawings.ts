import { readFactor } from '#strategies/fields.ts';
import type { Drawings, DrawnLine, DrawnValues, PlanLine } from '#strategies/strategy.ts';
import type { TickView } from '#core/judge/view.ts';
import { snapUp } from '#strategies/ticks.ts';
import { type Config, windowOf } from './config.ts';
import { firstBuyNeed, placeLevels, placeNextRung, type StrategyContext } from './rules.ts';

/** The low and the buy line while nothing is held, the trailing stop and the profit lock while something is. */
export function drawingsOf(config: Config): Drawings {
  const { buy, sell } = config;
  const searches = buy.enabled && buy.firstBuyTriggerBasis !== 'immediate';
  const locks = readFactor(sell.breakEven.armAtPercentage) > 0;
  const low = { name: 'low', label: `${windowOf(config)}-candle low`, dash: 'dotted', acts: false } as const;
  const level = { dash: 'dashed', acts: true } as const;
  const lines: Omit<DrawnLine, 'from'>[] = [
    ...(searches ? [low, { ...level, name: 'entry', label: 'Buy line' }] : []),
    ...(sell.enabled ? [{ ...level, name: 'trail', label: 'Trailing stop' }] : []),
    ...(sell.enabled && locks ? [{ ...level, name: 'floor', label: 'Profit lock' }] : []),
  ];
  return {
    lines: lines.map((line) => ({ ...line, from: 'open' })),
    levels: {
      stop: 'Stop loss',
      trail: 'Trailing stop',
      arm: 'Trailing stop starts',
      entry: 'Buy line',
      floor: 'Profit lock',
      part: sellsAllAtOnce(config) ? 'Take profit' : 'Partial sale',
    },
  };
}

/** True with one take profit for the whole position. */
const sellsAllAtOnce = ({ sell: { takeProfits } }: Config): boolean =>
  takeProfits.length === 1 && takeProfits.every(({ fraction }) => readFactor(fraction) === 1);

/** True while the first buy waits for a price near the low. */
const searches = ({ params, memory }: StrategyContext, view: TickView): boolean =>
  params.buyEnabled &&
  !params.immediate &&
  view.target < params.levels &&
  memory.window.count() >= firstBuyNeed(params);

/** The lines of {@link drawingsOf} now, in quote prices. */
export function valuesOf(context: StrategyContext, view: TickView): DrawnValues {
  const { params, memory, levels } = context;
  if (!view.sellable) {
    if (!searches(context, view)) return {};
    return { low: memory.window.low() * params.tick, entry: levels.entryLimit * params.tick };
  }
  if (!params.sellEnabled) return {};
  placeLevels(context, view);
  return {
    ...(memory.trailStop > 0 ? { trail: memory.trailStop * params.tick } : {}),
    ...(memory.breakEven ? { floor: levels.floor * params.tick } : {}),
  };
}

/** The levels at which it acts next: the stop loss, the trailing stop or its start, every partial sale, the next buy. */
export function planOf(context: StrategyContext, view: TickView): PlanLine[] {
  const { params, memory, levels } = context;
  if (!view.sellable) return searches(context, view) ? [{ name: 'entry', ticks: levels.entryLimit }] : [];
  placeLevels(context, view);
  const cost: PlanLine = { name: 'cost', ticks: view.avgTicks };
  const next: PlanLine = {
    name: 'entry',
    ticks: params.buyEnabled && view.target < params.levels ? levels.addLimit : 0,
  };
  if (!params.sellEnabled) return [cost, next].filter((line) => line.ticks > 0);
  const exit: PlanLine =
    memory.high > 0 ? { name: 'trail', ticks: memory.trailStop } : { name: 'arm', ticks: levels.arm };
  const floor: PlanLine = { name: 'floor', ticks: memory.breakEven ? levels.floor : 0 };
  const stop: PlanLine = { name: 'stop', ticks: levels.stop };
  return [cost, exit, floor, stop, ...partsOf(context, view), next].filter((line) => line.ticks > 0);
}

/** The next partial sale and those after it, in the order of their prices. */
function partsOf(context: StrategyContext, view: TickView): PlanLine[] {
  const { params, levels } = context;
  if (params.rungs.length === 0) return [];
  placeNextRung(context, view);
  const { ticks, lots, done } = levels.rung;
  const later = lots < view.lots ? params.rungs.slice(done) : [];
  return [ticks, ...later.map(({ trigger }) => snapUp(view.avgTicks * trigger))].map((at) => ({
    name: 'part',
    ticks: at,
  }));
}
