import { isObject } from '#core/merge.ts';
import type { Interval } from '#core/market/candle.ts';
import type { Grid } from '#strategies/strategy.ts';
import { tickScale } from '#strategies/ticks.ts';
import type { DeclaredIndicators } from './description.ts';
import { type SavedState, savedState } from './position.ts';
import { IndicatorSeries, isSavedSeries, type SavedSeries } from './series.ts';

/** Indicators of another version, or of another kind, start again from candles. */
export function seriesOf(
  { declared, interval }: { readonly declared: DeclaredIndicators; readonly interval: Interval },
  cells: Float64Array,
  saved: unknown,
): IndicatorSeries {
  const usable: SavedSeries | undefined = isSavedSeries(saved) ? saved : undefined;
  try {
    return new IndicatorSeries({ declared, interval }, cells, usable);
  } catch {
    return new IndicatorSeries({ declared, interval }, cells);
  }
}

/** The memory of a file from its JSON: finite numbers and booleans. */
export function memoryOf(text: string): Record<string, number | boolean> {
  const memory: unknown = JSON.parse(text);
  const fits = (value: unknown): value is number | boolean =>
    typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
  return Object.fromEntries(
    Object.entries(isObject(memory) ? memory : {}).flatMap(([name, value]) => (fits(value) ? [[name, value]] : [])),
  );
}

/** A saved state on the present price grid; undefined when it is absent or unreadable. */
export function readSaved(state: unknown, grid: Grid): SavedState | undefined {
  const parsed = savedState.safeParse(state);
  if (!parsed.success) return undefined;
  const scale = tickScale(parsed.data.tick, grid);
  if (scale === undefined) return undefined;
  const { facts } = parsed.data;
  const target = Math.round(facts.target * scale);
  const entryTarget = Math.round(facts.entryTarget * scale);
  return { ...parsed.data, facts: { ...facts, stop: Math.floor(facts.stop * scale + 1e-6), target, entryTarget } };
}
