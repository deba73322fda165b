import type { ReactNode } from 'react';
import { pathOf, pointsOf, TimeAxis } from '#web/ui/equity-plot.tsx';
import { labelPlaces } from '#web/ui/equity-shape.ts';
import { percent } from '#web/ui/numbers.ts';
import { roundTicks } from '#web/ui/scale.ts';

interface SharePlotProps {
  /** Shares of one sign, and their times in ms. */
  values: readonly number[];
  times: readonly number[];
  label: string;
  /** `fall`: drawdown, below zero; `part`: a part of the whole. */
  kind: 'fall' | 'part';
}

/** A scale of less than 1 % would make a calm time look like a storm. */
const LEAST = 0.01;

/** A share over time as an area from zero. */
export function SharePlot({ values, times, label, kind }: SharePlotProps): ReactNode {
  const most = Math.max(LEAST, ...values.map(Math.abs));
  const [low, high] = kind === 'fall' ? [-most, 0] : [0, most];
  const y = (value: number): number => 4 + (1 - (value - low) / (high - low)) * 92;
  const points = pointsOf(values.map(y), times);
  const ticks = roundTicks(low, high, 2).filter((tick) => tick !== 0);
  const places = labelPlaces(ticks.map((tick) => tick * 100));
  return (
    <div className={kind === 'fall' ? 'plot fall' : 'plot part'} role="img" aria-label={label}>
      <svg preserveAspectRatio="none" viewBox="0 0 1000 100" aria-hidden="true">
        {ticks.map((tick) => (
          <path key={tick} d={`M0 ${y(tick)}H1000`} stroke="var(--color-rule)" />
        ))}
        <path className="area" d={`M0 ${y(0)}${pathOf(points).replace('M', 'L')}L1000 ${y(0)}Z`} />
        <path d={pathOf(points)} fill="none" stroke="var(--color-ink-2)" strokeWidth={1.5} />
        <path d={`M0 ${y(0)}H1000`} stroke="var(--color-rule-strong)" />
      </svg>
      {[0, ...ticks].map((tick) => (
        <span key={tick} className="y" style={{ top: `${y(tick)}%` }}>
          {percent(tick, tick === 0 ? 0 : places)}
        </span>
      ))}
      <TimeAxis fromMs={times[0] ?? 0} toMs={times.at(-1) ?? 0} />
    </div>
  );
}
