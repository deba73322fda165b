import { readDecimal } from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';
import type { LogRow } from '#web/data/answers.ts';
import { fixed, MINUS, NARROW_SPACE } from './numbers.ts';
import { moment } from './time.ts';

const MOST_DECIMALS = 8;
const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
const NUMBER = /(?<![\w.,:/-])-?\d+(?:\.\d+)?(?![\w:/-])/g;

/** Formats numbers and times in a sentence of the service: comma groups, U+2212 for minus, the operator's zone. */
export function prose(sentence: string, zone: string, nowMs: number): string {
  const parts = sentence.split(INSTANT);
  const times = [...sentence.matchAll(INSTANT)].map(([text]) => moment(Date.parse(text), zone, nowMs));
  return parts.map((part, i) => `${numbersIn(part)}${times[i] ?? ''}`).join('');
}

const PERCENT = /(?<=\d) %/g;

const numbersIn = (text: string): string => text.replace(NUMBER, shownNumber).replace(PERCENT, `${NARROW_SPACE}%`);

function shownNumber(number: string): string {
  const value = readDecimal(number);
  // More than 8 decimals come from a division; the full number is under Context.
  if (value !== undefined && (number.split('.')[1]?.length ?? 0) > MOST_DECIMALS) return fixed(value, 4);
  const negative = number.startsWith('-');
  const [whole = '', fraction = ''] = (negative ? number.slice(1) : number).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return `${negative ? MINUS : ''}${grouped}${fraction === '' ? '' : `.${fraction}`}`;
}

const ctxOf = (row: Pick<LogRow, 'ctx'>): Record<string, unknown> => (isObject(row.ctx) ? row.ctx : {});
const isRefused = (ctx: Record<string, unknown>): boolean =>
  isObject(ctx['approval']) && ctx['approval']['kind'] === 'refused';

/** The mark of a log row: a flag for a decision, a triangle for an action. */
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

/** Actions, the newest waiting row, and the newest stop of each coin. Newest first. */
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
