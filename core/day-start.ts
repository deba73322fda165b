/** How far the wall clock of `timezone` is ahead of UTC at `ms`. */
function offsetMs(ms: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const wall = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return wall - (ms - (ms % 1000));
}

const DAY_MS = 86_400_000;

/** When the calendar day of `timezone` that contains `ms` began. */
export function dayStart(ms: number, timezone: string): Date {
  const wall = ms + offsetMs(ms, timezone);
  const midnight = wall - (wall % DAY_MS);
  const guess = midnight - offsetMs(midnight - offsetMs(ms, timezone), timezone);
  return new Date(guess > ms ? guess - DAY_MS : guess);
}
