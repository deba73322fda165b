import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { aggregateSeries } from '#backtest/columns.ts';
import { openSynthetic } from '#paper/market/synthetic.ts';
import { ROOT } from '#test/harness/source-files.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const COINS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT'];
/** A month of history before the two months that are replayed. */
const DAYS = 90;
const END_MS = Date.UTC(2026, 8, 1);
/** Well after the end: the swings grow before a market is first opened. */
const ANCHOR_MS = END_MS + 30 * DAY_MS;

export const HISTORY_FOLDER = join(ROOT, 'paper', 'history');

/** The candle files that come with the paper exchange, as text by file name. They are synthetic. */
export function candleHistory(): ReadonlyMap<string, string> {
  const source = openSynthetic(1, ANCHOR_MS);
  const texts = source.listings.flatMap(({ rules: { symbol }, grid }): [string, string][] => {
    if (!COINS.includes(symbol)) return [];
    const minutes = { interval: '1m', columns: source.candles(symbol, END_MS - DAYS * DAY_MS, END_MS) } as const;
    const { openMs, open, high, low, close, volume } = aggregateSeries(minutes, '1h').columns;
    const places = (units: number): number => Math.max(0, Math.round(8 - Math.log10(units)));
    const prices = places(grid.tickUnits);
    const rows = Array.from(openMs, (ms, row) =>
      [
        ms,
        ...[open, high, low, close].map((column) => (column[row] ?? 0).toFixed(prices)),
        volumeText(volume[row]),
      ].join(','),
    );
    return [[`${symbol}-1h.csv.gz`, `openTime,open,high,low,close,volume\n${rows.join('\n')}\n`]];
  });
  return new Map(texts);
}

const volumeText = (volume = 0): string => volume.toFixed(volume < 100_000 ? 2 : 0);

/** The text of a file that comes with the paper exchange; undefined without it. */
export function readHistory(name: string): string | undefined {
  const path = join(HISTORY_FOLDER, name);
  return existsSync(path) ? gunzipSync(readFileSync(path)).toString() : undefined;
}
