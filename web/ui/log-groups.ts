import { isObject } from '#core/merge.ts';
import type { LogRow } from '#web/data/answers.ts';

/** Rows of one trade of a coin, newest first, or a row that belongs to none. */
export type LogGroup =
  | { readonly kind: 'row'; readonly row: LogRow }
  | {
      readonly kind: 'trade';
      readonly symbol: string;
      readonly rows: readonly LogRow[];
      /** Net P&L of the closed trade in quote; null while its position is open. */
      readonly net: string | null;
      /** Reason code of the closing sale. */
      readonly reason: string | null;
      /** Something in it needs a look. */
      readonly isWarned: boolean;
    };

const textIn = ({ ctx }: LogRow, name: string): string | null => {
  const value = isObject(ctx) ? ctx[name] : undefined;
  return typeof value === 'string' ? value : null;
};

const isFill = (row: LogRow): boolean => textIn(row, 'event') === 'order_filled';
const isBuy = (row: LogRow): boolean => isFill(row) && textIn(row, 'side') === 'buy';
const isClose = (row: LogRow): boolean => isFill(row) && textIn(row, 'cycleNet') !== null;

const newestFirst = (a: LogRow, b: LogRow): number => (a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0);

/** The trade of these rows of one coin, oldest first; undefined when none of them bought or sold. */
function tradeOf(symbol: string, rows: readonly LogRow[]): LogGroup | undefined {
  const close = rows.find(isClose);
  if (close === undefined && !rows.some(isBuy)) return undefined;
  return {
    ...{ kind: 'trade', symbol, rows: rows.toReversed() },
    net: close === undefined ? null : textIn(close, 'cycleNet'),
    reason: close === undefined ? null : textIn(close, 'reason'),
    isWarned: rows.some(({ level }) => level === 'warn' || level === 'error'),
  };
}

/**
 * Log rows grouped by trade, newest first. A trade takes the rows of its coin since the trade before: its decisions, orders
 * and stops. Rows of a coin after its last trade belong to no trade until something is bought.
 */
export function logGroups(rows: readonly LogRow[]): LogGroup[] {
  const groups: LogGroup[] = [];
  const open = new Map<string, LogRow[]>();
  const end = (symbol: string): void => {
    const held = open.get(symbol) ?? [];
    open.delete(symbol);
    const trade = tradeOf(symbol, held);
    if (trade === undefined) groups.push(...held.map((row) => ({ kind: 'row', row }) as const));
    else groups.push(trade);
  };
  for (const row of rows.toSorted(newestFirst).toReversed()) {
    const { symbol } = row;
    if (symbol === null) {
      groups.push({ kind: 'row', row });
      continue;
    }
    open.set(symbol, [...(open.get(symbol) ?? []), row]);
    if (isClose(row)) end(symbol);
  }
  for (const symbol of open.keys()) end(symbol);
  const newest = (group: LogGroup): string => (group.kind === 'row' ? group.row.lastAt : (group.rows[0]?.lastAt ?? ''));
  return groups.toSorted((a, b) => (newest(a) < newest(b) ? 1 : newest(a) > newest(b) ? -1 : 0));
}
