import { readFactor } from '#strategies/fields.ts';
import type { Drawings, DrawnLine, DrawnValues, PlanLine } from '#strategies/strategy.ts';
import type { TickView } from '#core/judge/view.ts';
import { breakEvenOf, snapUp } from '#strategies/ticks.ts';
import { type Config, fitWindows } from './config.ts';
import type { StrategyContext } from './rules.ts';

/** The averages that it compares, and its stops while something is held. */
export function drawingsOf(stored: Config): Drawings {
  const { ema, trendFilter, exitEnabled, profitTrail } = fitWindows(stored);
  const average = { from: 'close', acts: false } as const;
  const stop = { from: 'open', acts: true, dash: 'dashed' } as const;
  const trend = `${trendFilter.maType === 'sma' ? 'SMA' : 'EMA'} ${trendFilter.period}, trend`;
  const tightens = exitEnabled && readFactor(profitTrail.activationPercentage) > 0;
  const lines: DrawnLine[] = [
    { ...average, name: 'fast', label: `EMA ${ema.fast}, fast`, dash: 'solid' },
    { ...average, name: 'slow', label: `EMA ${ema.slow}, slow`, dash: 'dashed' },
    ...(trendFilter.period > 0 ? [{ ...average, name: 'trend', label: trend, dash: 'dotted' } as const] : []),
    ...(exitEnabled ? [{ ...stop, name: 'stop', label: 'Trailing stop' }] : []),
    ...(tightens ? [{ ...stop, name: 'trail', label: 'Trailing stop in profit' }] : []),
  ];
  return {
    lines,
    levels: {
      stop: 'Trailing stop',
      trail: 'Trailing stop in profit',
      arm: 'Trailing stop in profit starts',
    },
  };
}

/** The lines of {@link drawingsOf} now, in quote prices. */
export function valuesOf({ params, memory: { series, ratchets } }: StrategyContext, view: TickView): DrawnValues {
  const stops = view.sellable && params.sellEnabled;
  return {
    ...(series.fast.ready ? { fast: series.fast.value } : {}),
    ...(series.slow.ready ? { slow: series.slow.value } : {}),
    ...(series.trend?.ready === true ? { trend: series.trend.value } : {}),
    ...(stops && ratchets.stop > 0 ? { stop: ratchets.stop * params.tick } : {}),
    ...(stops && ratchets.leg > 0 ? { trail: ratchets.leg * params.tick } : {}),
  };
}

/** The levels at which it acts next while something is held. */
export function planOf({ params, memory: { ratchets } }: StrategyContext, view: TickView): PlanLine[] {
  if (!view.sellable) return [];
  const cost: PlanLine = { name: 'cost', ticks: view.avgTicks };
  if (!params.sellEnabled) return [cost];
  const waiting = params.activation > 0 && ratchets.leg === 0;
  const armAt = waiting
    ? snapUp(view.avgTicks * Math.max(params.activation, breakEvenOf(view, params.queueing.maker)))
    : 0;
  const arm: PlanLine = { name: 'arm', ticks: armAt };
  const trail: PlanLine = { name: 'trail', ticks: ratchets.leg };
  const stop: PlanLine = { name: 'stop', ticks: ratchets.stop };
  return [cost, arm, trail, stop].filter((line) => line.ticks > 0);
}
