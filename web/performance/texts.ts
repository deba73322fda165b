import { readDecimal } from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import { MISSING, signed } from '#web/ui/numbers.ts';

/** Money with its sign: `+24.00`. */
export function signedMoney(value: string, asset: string | null): string {
  const amount = readDecimal(value);
  return amount === undefined ? MISSING : signed(amount, moneyPlaces(asset));
}

/** Money for a small place: no decimals from 10 on, `+178`. */
export function shortMoney(value: string, asset: string | null): string {
  const amount = readDecimal(value);
  if (amount === undefined) return MISSING;
  return signed(amount, Math.abs(Number(value)) >= 10 ? 0 : moneyPlaces(asset));
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
const DATED = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
const MONTH_DATED = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** A calendar day such as `2026-11-24` as `24 November`, with its year when it is not that of `today`. */
export function dayName(day: string, today: string): string {
  const format = day.slice(0, 4) === today.slice(0, 4) ? DAY : DATED;
  return format.format(Date.parse(`${day}T00:00:00Z`));
}

/** A month such as `2026-11` as `November`, with its year when it is not that of `today`. */
export function monthName(month: string, today: string): string {
  const format = month.slice(0, 4) === today.slice(0, 4) ? MONTH : MONTH_DATED;
  return format.format(Date.parse(`${month}-01T00:00:00Z`));
}
