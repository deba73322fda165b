const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(zone: string, key: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${zone} ${key}`;
  const known = formatters.get(name);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone, hourCycle: 'h23' });
  formatters.set(name, made);
  return made;
}

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', second: '2-digit' };
const MINUTE: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };

const clock = (ms: number, zone: string): string => formatter(zone, 'clock', CLOCK).format(ms);
export const minute = (ms: number, zone: string): string => formatter(zone, 'minute', MINUTE).format(ms);
const day = (ms: number, zone: string): string => formatter(zone, 'day', DAY).format(ms).replace('Sept', 'Sep');
/** A day on an axis: `18 Nov`. */
export const dayMark = day;
const year = (ms: number, zone: string): string => formatter(zone, 'year', { year: 'numeric' }).format(ms);

/** As short as possible relative to `nowMs`: `14:12:07` today, `18 Nov 19:00` this year, else `1 Jun 2022 04:12`. */
export function moment(ms: number, zone: string, nowMs: number): string {
  if (year(ms, zone) !== year(nowMs, zone)) return `${day(ms, zone)} ${year(ms, zone)} ${minute(ms, zone)}`;
  if (day(ms, zone) !== day(nowMs, zone)) return `${day(ms, zone)} ${minute(ms, zone)}`;
  return clock(ms, zone);
}

/** A moment with its day, also today: `18 Nov 19:00` this year, else `1 Jun 2022 04:12`. */
export function dated(ms: number, zone: string, nowMs: number): string {
  const withYear = year(ms, zone) !== year(nowMs, zone);
  return `${day(ms, zone)}${withYear ? ` ${year(ms, zone)}` : ''} ${minute(ms, zone)}`;
}

/** `Fri 20 Nov, 14:12:07`, with the year when `withYear`. */
export function full(ms: number, zone: string, withYear = false): string {
  const weekday = formatter(zone, 'weekday', { weekday: 'short' }).format(ms);
  return `${weekday} ${day(ms, zone)}${withYear ? ` ${year(ms, zone)}` : ''}, ${clock(ms, zone)}`;
}

/** Labels of a chart axis: the day at midnight, else the minute. */
export function axisMark(ms: number, zone: string): string {
  const time = minute(ms, zone);
  return time === '00:00' ? day(ms, zone) : time;
}

/** `2026-11-20 14:12:07 UTC`, for titles. */
export const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** An age such as `0.8 s`, `41 s`, `12 min`, `3 h`, `2 days`. */
export function age(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** The place name of a zone: `Europe/Lisbon` is `Lisbon`. */
export const place = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');
