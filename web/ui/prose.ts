import { isObject } from '#core/merge.ts';
import type { LogRow } from '#web/data/queries.ts';
import { MINUS, NARROW_SPACE } from './numbers.ts';
import { moment } from './time.ts';

const MOST_DECIMALS = 8;
const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
const NUMBER = /(?<![\w.,:/-])-?\d+(?:\.\d+)?(?![\w:/-])/g;

/** A sentence of the service as this page writes numbers and times: comma groups, a real minus, the operator's zone. */
export function prose(sentence: string, zone: string, nowMs: number): string {
  const parts = sentence.split(INSTANT);
  const times = [...sentence.matchAll(INSTANT)].map(([text]) => moment(Date.parse(text), zone, nowMs));
  return parts.map((part, i) => `${numbersIn(part)}${times[i] ?? ''}`).join('');
}

const PERCENT = /(?<=\d) %/g;

const numbersIn = (text: string): string => text.replace(NUMBER, shownNumber).replace(PERCENT, `${NARROW_SPACE}%`);

function shownNumber(number: string): string {
  const negative = number.startsWith('-');
  const [whole = '', fraction = ''] = (negative ? number.slice(1) : number).split('.');
  // More decimals than any coin has come from a division; the whole number stands under Context.
  const shown = fraction.length <= MOST_DECIMALS ? fraction : fraction.slice(0, 4);
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `${negative ? MINUS : ''}${grouped}${shown === '' ? '' : `.${shown}`}`;
}

const ctxOf = (row: Pick<LogRow, 'ctx'>): Record<string, unknown> => (isObject(row.ctx) ? row.ctx : {});
const isRefused = (ctx: Record<string, unknown>): boolean =>
  isObject(ctx['approval']) && ctx['approval']['kind'] === 'refused';

/** The mark of a log row: a pennant for what was decided, a triangle for what was done. */
export function logMark(
  row: Pick<LogRow, 'level' | 'ctx'>,
): 'up' | 'dno' | 'q' | 'x' | 'warn' | 'minus' | 'flag' | 'dot' {
  const ctx = ctxOf(row);
  if (ctx['event'] === 'order_unknown') return 'q';
  if (ctx['event'] === 'order_rejected' || row.level === 'error') return 'x';
  if (row.level === 'warn') return 'warn';
  if (ctx['side'] === 'buy') return 'up';
  if (ctx['side'] === 'sell') return 'dno';
  if (ctx['event'] !== 'decision') return 'dot';
  return ctx['kind'] === 'nothing' || isRefused(ctx) ? 'minus' : 'flag';
}

const isIdle = (row: Pick<LogRow, 'level' | 'ctx'>): boolean => {
  const ctx = ctxOf(row);
  return ctx['event'] === 'decision' && (row.level === 'debug' || (row.level === 'info' && isRefused(ctx)));
};

/** What was done, with only the newest row of waiting, and of a coin's stop only where it is now. Newest first. */
export function highlights<Row extends Pick<LogRow, 'level' | 'ctx'> & { readonly symbol?: string | null }>(
  rows: readonly Row[],
): Row[] {
  const newest = rows.find(isIdle);
  const stops = new Set<unknown>();
  return rows.filter((row) => {
    if (ctxOf(row)['event'] === 'stop_placed') {
      if (stops.has(row.symbol)) return false;
      stops.add(row.symbol);
    }
    return row === newest || !isIdle(row);
  });
}
