import type { ChartData, ChartLine } from './chart-data.ts';
import type { DrawnLevel } from './overlay-draw.ts';

/** A level in force now. `name` is the name of the plan, or a label of its own. */
export interface ChartLevel extends Pick<DrawnLevel, 'price' | 'fact' | 'solid'> {
  readonly name: string;
  /** Start of its line; absent: the first candle. */
  readonly fromMs?: number | undefined;
}

/** A level with the label that its strategy gives it. */
export interface NamedLevel extends ChartLevel {
  readonly label: string;
}

/** Levels with their labels; several of one name are numbered. */
export function levelsOf(levels: readonly ChartLevel[], labels: Readonly<Record<string, string>>): NamedLevel[] {
  return levels.map((level, i) => {
    const alike = levels.filter(({ name }) => name === level.name);
    const label = labels[level.name] ?? level.name;
    const number = levels.slice(0, i + 1).filter(({ name }) => name === level.name).length;
    return { ...level, label: alike.length > 1 ? `${label} ${number}` : label };
  });
}

/** The data whose lines end at the levels in force: the worker may have moved one since the last close. */
export function linesOf(data: ChartData, levels: readonly ChartLevel[]): ChartData {
  const now = new Map(levels.map(({ name, price }) => [name, price]));
  const open = data.candles.at(-1)?.closed === false;
  if (!open || levels.length === 0) return data;
  const ends = (line: ChartLine): ChartLine =>
    line.acts ? { ...line, values: [...line.values.slice(0, -1), now.get(line.name) ?? null] } : line;
  return { ...data, lines: data.lines.map(ends) };
}
