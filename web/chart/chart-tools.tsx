import type { ReactNode } from 'react';
import { type Interval, INTERVALS } from '#core/market/candle.ts';
import type { Layers } from './chart-view.ts';

const SHOWN: readonly Interval[] = ['1m', '5m', '15m', '1h', '4h', '1d'];
const LAYERS = [
  ['indicators', 'Indicators'],
  ['orders', 'Orders'],
  ['volume', 'Volume'],
] as const satisfies readonly (readonly [keyof Layers, string])[];

interface ToolsProps {
  interval: Interval;
  /** The interval of the strategy, which is always offered. */
  own: Interval;
  layers: Layers;
  onInterval: (interval: Interval) => void;
  onLayers: (layers: Layers) => void;
  /** Absent without a position. */
  onPosition?: (() => void) | undefined;
  onFit: () => void;
}

/** Length of the candles, layers, and what is in view. */
export function ChartTools({ interval, own, layers, ...on }: ToolsProps): ReactNode {
  return (
    <div className="tools">
      <span className="seg" role="group" aria-label="Candles">
        {INTERVALS.filter((option) => SHOWN.includes(option) || option === own).map((option) => (
          <button key={option} type="button" aria-pressed={option === interval} onClick={() => on.onInterval(option)}>
            {option}
          </button>
        ))}
      </span>
      <span className="seg" role="group" aria-label="Layers">
        {LAYERS.map(([layer, words]) => (
          <button
            key={layer}
            type="button"
            aria-pressed={layers[layer]}
            onClick={() => on.onLayers({ ...layers, [layer]: !layers[layer] })}
          >
            {words}
          </button>
        ))}
      </span>
      <span className="grow" />
      {on.onPosition === undefined ? null : (
        <button type="button" className="btn small" onClick={on.onPosition}>
          Zoom to position
        </button>
      )}
      <button type="button" className="btn small" onClick={on.onFit}>
        Fit
      </button>
    </div>
  );
}
