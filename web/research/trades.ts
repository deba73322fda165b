import { exitCause } from '#core/decision/exit-cause.ts';
import type { StoredResult } from '#core/research/backtest-result.ts';

type Fill = StoredResult['fills'][number];

/** One closed trade of a backtest, from its first buy to its closing sale; money in quote. */
export interface Trade {
  /** Its number by closing time, from 1 on. */
  readonly number: number;
  readonly symbol: string;
  /** Its number among the trades of its coin. */
  readonly cycle: number;
  readonly openedMs: number;
  readonly closedMs: number;
  /** Average prices, weighted by quantity. */
  readonly bought: number;
  readonly sold: number;
  readonly exit: string;
  readonly fees: number;
  readonly net: number;
  /** Net result as a share of the money spent. */
  readonly share: number;
}

const valueOf = (fills: readonly Fill[]): number => fills.reduce((sum, { quote }) => sum + Number(quote), 0);
const quantityOf = (fills: readonly Fill[]): number => fills.reduce((sum, { quantity }) => sum + Number(quantity), 0);

/** A fee in the coin counts at the price of its fill; any other fee is in quote. */
const feeOf = ({ fee, feeAsset, price }: Fill, base: string): number =>
  feeAsset === base ? Number(fee) * Number(price) : Number(fee);

/** The asset of a coin pair that is bought. */
export const baseOf = (symbol: string, quoteAsset: string): string =>
  symbol.endsWith(quoteAsset) ? symbol.slice(0, -quoteAsset.length) : symbol;

/** The closed trades of a result, in the order in which they closed. */
export function tradesOf(result: Pick<StoredResult, 'cycles' | 'fills' | 'quoteAsset' | 'symbol'>): readonly Trade[] {
  const { cycles, fills, quoteAsset } = result;
  const keyOf = (symbol: string | undefined, cycle: number): string => `${symbol ?? result.symbol} ${cycle}`;
  const byTrade = Map.groupBy(fills, (fill) => keyOf(fill.symbol, fill.cycle));
  return cycles
    .toSorted((a, b) => Date.parse(a.closedAt) - Date.parse(b.closedAt))
    .map((closed, i) => {
      const own = byTrade.get(keyOf(closed.symbol, closed.cycle)) ?? [];
      const [buys, sales] = [own.filter(({ side }) => side === 'buy'), own.filter(({ side }) => side === 'sell')];
      const spent = valueOf(buys);
      const net = Number(closed.net);
      const symbol = closed.symbol ?? result.symbol;
      const base = baseOf(symbol, quoteAsset);
      return {
        number: i + 1,
        symbol,
        cycle: closed.cycle,
        openedMs: Date.parse(closed.openedAt),
        closedMs: Date.parse(closed.closedAt),
        bought: spent / quantityOf(buys),
        sold: valueOf(sales) / quantityOf(sales),
        exit: exitCause(closed.exitReason),
        fees: own.reduce((sum, fill) => sum + feeOf(fill, base), 0),
        net,
        share: spent > 0 ? net / spent : 0,
      };
    });
}

/** A column by which trades sort. */
export type TradeColumn = 'number' | 'symbol' | 'openedMs' | 'closedMs' | 'exit' | 'held' | 'fees' | 'net';

export interface Sorting {
  readonly column: TradeColumn;
  readonly descending: boolean;
}

/** The same column again turns the order; text starts with A, numbers with the largest. */
export const sortBy = (sorting: Sorting, column: TradeColumn): Sorting =>
  sorting.column === column
    ? { column, descending: !sorting.descending }
    : { column, descending: column !== 'symbol' && column !== 'exit' };

const partOf = (trade: Trade, column: TradeColumn): number | string =>
  column === 'held' ? trade.closedMs - trade.openedMs : trade[column];

export function sortTrades(trades: readonly Trade[], { column, descending }: Sorting): Trade[] {
  const sign = descending ? -1 : 1;
  return trades.toSorted((a, b) => {
    const [x, y] = [partOf(a, column), partOf(b, column)];
    const order = typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y);
    return order === 0 ? a.number - b.number : order * sign;
  });
}

/** Trades of one exit reason or of one coin. */
export interface TradeGroup {
  readonly name: string;
  readonly trades: number;
  readonly wins: number;
  readonly net: number;
}

/** Sums by a part of the trades, the best first. */
export function groupTrades(trades: readonly Trade[], by: 'exit' | 'symbol'): TradeGroup[] {
  return [...Map.groupBy(trades, (trade) => trade[by])]
    .map(([name, own]) => ({
      name,
      trades: own.length,
      wins: own.filter(({ net }) => net > 0).length,
      net: own.reduce((sum, { net }) => sum + net, 0),
    }))
    .toSorted((a, b) => b.net - a.net);
}

const HEAD = [
  ...['number', 'coin', 'opened', 'closed', 'average buy price', 'average sale price', 'exit reason'],
  ...['fees', 'net P&L', 'net P&L, share of cost'],
];

/** The trades as CSV (RFC 4180); times in UTC, money in quote. */
export function tradesCsv(trades: readonly Trade[]): string {
  const rows = trades.map((trade) => [
    ...[String(trade.number), trade.symbol],
    ...[trade.openedMs, trade.closedMs].map((ms) => new Date(ms).toISOString()),
    ...[trade.bought, trade.sold].map((price) => String(Number(price.toPrecision(12)))),
    trade.exit,
    ...[trade.fees, trade.net].map((money) => money.toFixed(8)),
    trade.share.toFixed(6),
  ]);
  return [HEAD, ...rows].map((row) => `${row.map((cell) => `"${cell}"`).join(',')}\r\n`).join('');
}

/** The price step of a coin as its fills show it: the longest price. */
export function tickOf(fills: StoredResult['fills'], symbol: string): string | null {
  const places = fills
    .filter((fill) => (fill.symbol ?? symbol) === symbol)
    .map(({ price }) => price.split('.')[1]?.length ?? 0);
  return places.length === 0 ? null : (10 ** -Math.max(...places)).toFixed(Math.max(...places));
}
