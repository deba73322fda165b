/** Creating a formatter takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timezone, format);
  return format;
}

/** Offset of `timezone` to UTC at `ms`, in ms. */
function offsetMs(ms: number, timezone: string): number {
  const parts = formatOf(timezone).formatToParts(ms);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - (ms - (ms % 1000));
}

const DAY_MS = 86_400_000;

/** Cache of the newest days of a time zone. */
const days = new Map<string, { readonly startMs: number; readonly endMs: number }[]>();
const DAYS_KEPT = 3;

/** Start of the calendar day of `timezone` that contains `ms`. */
export function dayStart(ms: number, timezone: string): Date {
  const known = days.get(timezone) ?? [];
  const day = known.find(({ startMs, endMs }) => startMs <= ms && ms < endMs);
  if (day !== undefined) return new Date(day.startMs);
  const startMs = findStart(ms, timezone);
  // A day has 23 to 25 hours, so 36 hours after its start lie within the next day.
  const endMs = findStart(startMs + 1.5 * DAY_MS, timezone);
  days.set(timezone, [{ startMs, endMs }, ...known].slice(0, DAYS_KEPT));
  return new Date(startMs);
}

function findStart(ms: number, timezone: string): number {
  const wall = ms + offsetMs(ms, timezone);
  const midnight = wall - (wall % DAY_MS);
  const guess = midnight - offsetMs(midnight - offsetMs(ms, timezone), timezone);
  return guess > ms ? guess - DAY_MS : guess;
}

/** The calendar day of `timezone` that contains `ms`, such as `2026-03-10`. */
export function dayText(ms: number, timezone: string): string {
  return new Date(ms + offsetMs(ms, timezone)).toISOString().slice(0, 10);
}

/** Start of a calendar day such as `2026-03-10` in `timezone`. */
export function startOfDay(day: string, timezone: string): Date {
  // Noon in UTC belongs to the day itself, or east of +12 hours to the next one.
  const near = dayStart(Date.parse(`${day}T12:00:00Z`), timezone).getTime();
  return dayText(near, timezone) > day ? dayStart(near - 1, timezone) : new Date(near);
}

/** Starts of the calendar days of `timezone` from the day of `fromMs` to the day of `toMs`, oldest first. */
export function dayStarts(fromMs: number, toMs: number, timezone: string): Date[] {
  const starts: Date[] = [];
  for (let start = dayStart(fromMs, timezone); start.getTime() <= toMs; ) {
    starts.push(start);
    start = dayStart(start.getTime() + 1.5 * DAY_MS, timezone);
  }
  return starts;
}
