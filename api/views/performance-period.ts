import { dayStart, dayStarts, dayText, startOfDay } from '#core/account/day-start.ts';
import type { PERIODS } from '#api/contract/performance.ts';
import { invalidField } from '#api/frame/problem.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer periods have one point a day, others one an hour. */
const MOST_HOURLY_DAYS = 8;
/** Five years: an older start is moved to this many days before the end. */
const MOST_DAYS = 1830;

export interface PeriodQuery {
  readonly period: (typeof PERIODS)[number];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface Clock {
  readonly timezone: string;
  /** Market time. */
  readonly nowMs: number;
  /** When the account first held something. */
  readonly firstMs: number | null;
}

export interface PerformancePeriod {
  readonly fromMs: number;
  /** Market time now, or the end of the last day of a period in the past. */
  readonly toMs: number;
  readonly endsNow: boolean;
  readonly step: 'hour' | 'day';
  /** The start of each day. */
  readonly days: readonly number[];
  /** The moments that are valued, oldest first: start, steps and end. */
  readonly marks: readonly number[];
}

/** The day of the month before, or the last of a shorter month: 31 March less one month is 28 February. */
function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 - months, Math.min(date, last))).toISOString().slice(0, 10);
}

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);

/** First and last day, both included. A week is today and the six days before. */
function daysOf({ period, from, to }: PeriodQuery, { timezone, nowMs, firstMs }: Clock): readonly [string, string] {
  const today = dayText(nowMs, timezone);
  if (period === 'custom') {
    if (from === undefined) throw invalidField('from', 'is missing: a custom period needs its first day');
    if (to === undefined) throw invalidField('to', 'is missing: a custom period needs its last day');
    if (from > to) throw invalidField('from', 'is after the last day');
    return [from, to];
  }
  const firsts = {
    '1w': daysBefore(today, 6),
    '1m': monthsBefore(today, 1),
    '3m': monthsBefore(today, 3),
    ytd: `${today.slice(0, 4)}-01-01`,
    all: dayText(Math.min(firstMs ?? nowMs, nowMs), timezone),
  };
  return [firsts[period], today];
}

/** A period in days of the operator's time zone. Days before the first trade and days to come are left out. */
export function performancePeriod(query: PeriodQuery, clock: Clock): PerformancePeriod {
  const { timezone, nowMs } = clock;
  const [first, last] = daysOf(query, clock);
  const earliest = dayStart(Math.min(clock.firstMs ?? nowMs, nowMs), timezone).getTime();
  const lastMs = startOfDay(last, timezone).getTime();
  const nextMs = dayStart(lastMs + 1.5 * DAY_MS, timezone).getTime();
  const toMs = Math.min(nextMs, nowMs);
  const fromMs = Math.max(
    startOfDay(first, timezone).getTime(),
    Math.min(earliest, lastMs),
    nextMs - MOST_DAYS * DAY_MS,
  );
  const days = dayStarts(Math.min(fromMs, toMs - 1), toMs - 1, timezone).map((start) => start.getTime());
  const step = days.length <= MOST_HOURLY_DAYS ? 'hour' : 'day';
  const starts = step === 'day' ? days : days.flatMap((start, i) => hoursOf(start, days[i + 1] ?? toMs));
  return { fromMs: days[0] ?? fromMs, toMs, endsNow: nextMs > nowMs, step, days, marks: [...starts, toMs] };
}

const hoursOf = (fromMs: number, toMs: number): number[] =>
  Array.from({ length: Math.ceil((toMs - fromMs) / HOUR_MS) }, (_, hour) => fromMs + hour * HOUR_MS);
