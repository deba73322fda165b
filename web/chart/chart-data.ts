import type { Answer } from '#api/contract/operation.ts';
import type { readCoinChart } from '#api/contract/charts.ts';

export type ChartPage = Answer<typeof readCoinChart>;
export type ChartCandle = ChartPage['candles'][number];
export type ChartLine = ChartPage['lines'][number];
export type ChartMark = ChartPage['marks'][number];

/** Candles of one interval without a hole, as loaded so far, with everything that belongs to them. */
export type ChartData = ChartPage;

/** With more candles a view would be slow: older ones are no longer added. */
export const MOST_CANDLES = 20_000;

const shapeOf = ({ lines }: Pick<ChartPage, 'lines'>): string => lines.map(({ label }) => label).join('\n');

/**
 * The data with a page that continues it in either direction; newer answers win. `undefined` when a hole would lie
 * between them, or when the lines are others after a change of the settings.
 */
export function joinPage(data: ChartData, page: ChartPage, intervalMs: number): ChartData | undefined {
  const [first, last] = [page.candles[0], page.candles.at(-1)];
  const [oldest, newest] = [data.candles[0], data.candles.at(-1)];
  if (first === undefined || last === undefined) return { ...data, beginsMs: data.beginsMs ?? oldest?.openMs ?? null };
  if (oldest === undefined || newest === undefined) return page;
  if (first.openMs > newest.openMs + intervalMs || last.openMs < oldest.openMs - intervalMs) return undefined;
  if (shapeOf(data) !== shapeOf(page)) return undefined;
  const before = indexAt(data.candles, first.openMs);
  const after = indexAt(data.candles, last.openMs + 1);
  const join = <Item>(have: readonly Item[], got: readonly Item[]): Item[] => [
    ...have.slice(0, before),
    ...got,
    ...have.slice(after),
  ];
  const known = new Map([...data.marks, ...page.marks].map((mark) => [mark.id, mark]));
  return {
    candles: join(data.candles, page.candles),
    lines: page.lines.map((line, i) => ({ ...line, values: join(data.lines[i]?.values ?? [], line.values) })),
    marks: [...known.values()].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
    beginsMs: page.beginsMs ?? data.beginsMs,
    levels: page.levels,
    linesProblem: page.linesProblem,
  };
}

/** Index of the first candle that opens at `ms` or later. */
export function indexAt(candles: readonly Pick<ChartCandle, 'openMs'>[], ms: number): number {
  let [low, high] = [0, candles.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((candles[middle]?.openMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index of the candle that contains `ms`; that of the nearest one outside of the data. */
export const candleAt = (candles: readonly Pick<ChartCandle, 'openMs'>[], ms: number): number =>
  Math.max(0, indexAt(candles, ms + 1) - 1);

/** A trade from its first buy to its last fill. */
export interface TradeSpan {
  readonly trade: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The fills of one trade among the marks; `undefined` without any. */
export function spanOf(marks: readonly Pick<ChartMark, 'trade' | 'at'>[], trade: number): TradeSpan | undefined {
  const times = marks.filter((mark) => mark.trade === trade).map(({ at }) => Date.parse(at));
  return times.length === 0 ? undefined : { trade, fromMs: Math.min(...times), toMs: Math.max(...times) };
}

/** All fills of one side within one candle, as one mark. */
export interface MarkGroup {
  readonly index: number;
  readonly side: 'buy' | 'sell';
  readonly trade: number;
  readonly fills: number;
  /** Average price, weighted by quantity. */
  readonly price: number;
  /** Net result of the sales; null for buys. */
  readonly net: number | null;
}

/** One mark for each candle and side, oldest first. */
export function groupMarks(marks: readonly ChartMark[], candles: readonly ChartCandle[]): MarkGroup[] {
  const first = candles[0];
  if (first === undefined) return [];
  const shown = marks.filter(({ at }) => Date.parse(at) >= first.openMs);
  const groups = Map.groupBy(shown, ({ at, side }) => `${candleAt(candles, Date.parse(at))} ${side}`);
  return [...groups.values()].flatMap((group) => {
    const last = group.at(-1);
    if (last === undefined) return [];
    const quantity = group.reduce((sum, mark) => sum + Number(mark.quantity), 0);
    const value = group.reduce((sum, mark) => sum + Number(mark.quantity) * Number(mark.price), 0);
    const net = group.reduce((sum, mark) => sum + Number(mark.net ?? 0), 0);
    return {
      ...{ index: candleAt(candles, Date.parse(last.at)), side: last.side, trade: last.trade, fills: group.length },
      ...{ price: value / quantity, net: last.side === 'sell' ? net : null },
    };
  });
}
