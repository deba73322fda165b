import type { Answer } from '#api/contract/operation.ts';
import type { listDayTickers } from '#api/contract/market.ts';
import type { Market } from '#web/data/answers.ts';

type Ticker = Answer<typeof listDayTickers>['tickers'][number];

/** A coin to choose, with its last 24 hours; null without them. */
export interface CoinRow extends Market {
  readonly day: Ticker | null;
}

export type CoinSort = 'coin' | 'change' | 'volume' | 'spread';

/** A wider spread costs more than the fee of an order. */
const WIDE_SPREAD = 0.001;
export const isWide = ({ day }: CoinRow): boolean => (day?.spread ?? 0) >= WIDE_SPREAD;

const FIRST_COINS = 5;
const FIRST_QUOTE = 'USDT';

/** Coins in trading, with the last day of each. */
export function coinRows(markets: readonly Market[], tickers: readonly Ticker[]): CoinRow[] {
  const days = new Map(tickers.map((ticker) => [ticker.symbol, ticker]));
  return markets
    .filter(({ status }) => status === 'TRADING')
    .map((market) => ({ ...market, day: days.get(market.symbol) ?? null }));
}

const valueOf = ({ day }: CoinRow, sort: Exclude<CoinSort, 'coin'>): number => day?.[sort] ?? Number.NEGATIVE_INFINITY;

/** The names ascend, numbers descend. */
export const sortedRows = (rows: readonly CoinRow[], sort: CoinSort): CoinRow[] =>
  rows.toSorted((a, b) =>
    sort === 'coin'
      ? a.symbol.localeCompare(b.symbol)
      : valueOf(b, sort) - valueOf(a, sort) || a.symbol.localeCompare(b.symbol),
  );

/** The coins chosen at first: those with the most volume in the usual quote asset, without wide spreads. */
export function firstCoins(rows: readonly CoinRow[]): string[] {
  const usual = rows.filter((row) => row.quoteAsset === FIRST_QUOTE && !isWide(row));
  const pool = usual.length > 0 ? usual : rows;
  return sortedRows(pool, 'volume')
    .slice(0, FIRST_COINS)
    .map(({ symbol }) => symbol);
}
