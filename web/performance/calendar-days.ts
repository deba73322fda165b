import type { Performance } from './queries.ts';

type Day = Performance['days'][number];

const DAY_MS = 86_400_000;
const atNoon = (day: string): number => Date.parse(`${day}T12:00:00Z`);

/** 0 is Monday. */
const weekday = (day: string): number => (new Date(atNoon(day)).getUTCDay() + 6) % 7;
const shifted = (day: string, days: number): string => new Date(atNoon(day) + days * DAY_MS).toISOString().slice(0, 10);

/** A calendar day, with its result where the period contains it. */
export interface Cell {
  readonly day: string;
  readonly result: Day | undefined;
}

/** The days of a month such as `2026-11` as weeks from Monday to Sunday; `undefined` before the first and after the last. */
export function monthWeeks(month: string, days: readonly Day[]): (Cell | undefined)[][] {
  const results = new Map(days.map((one) => [one.day, one]));
  const first = `${month}-01`;
  const cells: (Cell | undefined)[] = Array.from({ length: weekday(first) }, () => undefined);
  for (let day = first; day.startsWith(month); day = shifted(day, 1)) cells.push({ day, result: results.get(day) });
  while (cells.length % 7 !== 0) cells.push(undefined);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** All days as weeks, a column for each, from the Monday before the first day. */
export function weekColumns(days: readonly Day[]): (Cell | undefined)[][] {
  const [first, last] = [days[0]?.day, days.at(-1)?.day];
  if (first === undefined || last === undefined) return [];
  const results = new Map(days.map((one) => [one.day, one]));
  const start = shifted(first, -weekday(first));
  const weeks = Math.ceil(((atNoon(last) - atNoon(start)) / DAY_MS + 1) / 7);
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: 7 }, (_day, i) => {
      const day = shifted(start, week * 7 + i);
      return results.has(day) ? { day, result: results.get(day) } : undefined;
    }),
  );
}

/** The class of a day: how strong its tint is. */
export const tintOf = ({ level }: Day): string => (level === 0 ? 'd0' : `${level > 0 ? 'g' : 'n'}${Math.abs(level)}`);

/** The month before or after. */
export const otherMonth = (month: string, step: 1 | -1): string => shifted(`${month}-15`, step * 30).slice(0, 7);
