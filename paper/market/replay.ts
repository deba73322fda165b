import type { CandleColumns } from '#core/market/candle.ts';
import { EMPTY_COLUMNS, lowerBound, sliceColumns } from '#core/market/candle-columns.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { type CandleSeries, readCandleFolder } from './candle-files.ts';
import { listingOf, readAssets } from './listings.ts';
import { countTrades } from './path.ts';
import { candleAt, type Grid, type Listing, type MarketSource } from './source.ts';

const MAX_DECIMALS = 8;
const HISTORY_CANDLES = 1000;

/**
 * Recorded candles as a market. `fromMs` is where the market starts. By default it starts after the first 1,000 candles
 * (at most half) of the coin that starts first. Throws BadInputError.
 */
export const openReplay = (folder: string, fromMs?: number): MarketSource =>
  replayOf(folder, readCandleFolder(folder), fromMs);

/** Like `openReplay`, from candles in memory; `folder` is their name in messages. */
export function replayOf(folder: string, all: readonly CandleSeries[], fromMs?: number): MarketSource {
  const series = new Map(all.map((candles) => [candles.symbol, candles]));
  const endMs = Math.max(...all.map((candles) => (candles.columns.openMs.at(-1) ?? 0) + candles.intervalMs));
  const startMs = fromMs ?? defaultStart(all);
  const firstMs = Math.min(...all.map((candles) => candles.columns.openMs[0] ?? 0));
  if (startMs < firstMs || startMs >= endMs) {
    const [from, to] = [firstMs, endMs].map((ms) => new Date(ms).toISOString());
    throw new BadInputError(
      `--from ${new Date(startMs).toISOString()} is outside the candles of ${folder}: they range from ${from} to ${to}.`,
    );
  }
  const listings = all.map(listingOfSeries);
  const grids = new Map(listings.map(({ rules, grid }) => [rules.symbol, grid]));
  const sums = new Map<string, Float64Array>();
  return {
    name: `replay:${folder}`,
    listings,
    startMs,
    endMs,
    candles: (symbol, from, to) => {
      const columns = columnsOf(series, symbol);
      return sliceColumns(columns, lowerBound(columns.openMs, from), lowerBound(columns.openMs, to));
    },
    candleAfter: (symbol, ms) => {
      const candles = series.get(symbol);
      return (
        candles &&
        candleAt(candles.columns, lowerBound(candles.columns.openMs, ms - candles.intervalMs + 1), candles.intervalMs)
      );
    },
    candleBefore: (symbol, ms) => {
      const candles = series.get(symbol);
      return candles && candleAt(candles.columns, lowerBound(candles.columns.openMs, ms) - 1, candles.intervalMs);
    },
    tradesBefore: (symbol, ms, perCandle) => {
      const { openMs, volume } = columnsOf(series, symbol);
      const key = `${symbol} ${perCandle}`;
      const known = sums.get(key) ?? sumTrades(volume, grids.get(symbol), perCandle);
      sums.set(key, known);
      return known[lowerBound(openMs, ms)] ?? 0;
    },
  };
}

/** For each row the trades of all rows before it. One more entry holds the total. */
function sumTrades(volume: Float64Array, grid: Grid | undefined, perCandle: number): Float64Array {
  const sums = new Float64Array(volume.length + 1);
  for (const [row, value] of volume.entries())
    sums[row + 1] = (sums[row] ?? 0) + (grid === undefined ? 0 : countTrades({ volume: value }, grid, perCandle));
  return sums;
}

const columnsOf = (series: ReadonlyMap<string, CandleSeries>, symbol: string): CandleColumns =>
  series.get(symbol)?.columns ?? EMPTY_COLUMNS;

function defaultStart(all: readonly CandleSeries[]): number {
  const first = all.toSorted((a, b) => (a.columns.openMs[0] ?? 0) - (b.columns.openMs[0] ?? 0))[0];
  if (first === undefined) return 0;
  const rows = first.columns.openMs.length;
  return first.columns.openMs[Math.min(HISTORY_CANDLES, Math.floor(rows / 2))] ?? 0;
}

/** The trading rules of a recorded coin, on a price grid that fits every recorded price. Throws BadInputError. */
export function listingOfSeries(series: CandleSeries): Listing {
  if (readAssets(series.symbol) === undefined) {
    throw new BadInputError(
      `The candle files of ${series.symbol} cannot be used: the name must end in a quote asset such as USDT or BTC.`,
    );
  }
  const { open, high, low, close } = series.columns;
  const priceDecimals = Math.max(...[open, high, low, close].map(decimalsOf));
  return listingOf(series.symbol, series.intervalMs, { priceDecimals, price: close.at(-1) ?? 1 });
}

/** The most decimals of any value in the column, up to 8. */
function decimalsOf(column: Float64Array): number {
  let decimals = 0;
  for (const value of column) {
    while (decimals < MAX_DECIMALS && !isWhole(value * 10 ** decimals)) decimals += 1;
  }
  return decimals;
}

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) <= 1e-9 * Math.max(1, value);
