import type { Schedule } from './description.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** The newest time of the schedule that is not after `nowMs`, in ms UTC. Looks back at most 32 days. */
export function lastSlot({ weekday, day, hour = 0 }: Schedule, nowMs: number): number {
  const midnight = nowMs - (nowMs % DAY_MS);
  for (let back = 0; back <= 32; back += 1) {
    const at = midnight - back * DAY_MS + hour * HOUR_MS;
    const date = new Date(at);
    const isDay = weekday === undefined || WEEKDAYS[date.getUTCDay()] === weekday;
    if (at <= nowMs && isDay && (day === undefined || date.getUTCDate() === day)) return at;
  }
  return Number.NEGATIVE_INFINITY;
}

/** The time of the schedule that is due at `nowMs`; null when none is, or when a buy has used it. */
export function dueSlot(schedule: Schedule | undefined, nowMs: number, usedMs: number): number | null {
  if (schedule === undefined) return null;
  const slot = lastSlot(schedule, nowMs);
  return slot > usedMs && nowMs - slot <= schedule.within * HOUR_MS ? slot : null;
}
