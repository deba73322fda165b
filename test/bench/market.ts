import type { Series } from '#backtest/columns.ts';
import { randomFrom } from '#core/research/random.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2020, 0, 1);

/** One-minute candles without gaps on a grid of 0.01: a random walk of about 0.1 % a minute around 20,000. */
export function benchMinutes(rows: number): Series {
  const random = randomFrom(12_345);
  const column = (): Float64Array => new Float64Array(rows);
  const columns = {
    openMs: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  };
  let close = 2_000_000;
  for (let row = 0; row < rows; row++) {
    const open = close;
    const pull = (2_000_000 - open) * 0.00002;
    close = Math.max(100_000, Math.round(open + pull + (random() - 0.5) * 0.003 * open));
    columns.openMs[row] = START_MS + row * MINUTE_MS;
    columns.open[row] = open / 100;
    columns.high[row] = (Math.max(open, close) + Math.floor(random() * 800)) / 100;
    columns.low[row] = (Math.min(open, close) - Math.floor(random() * 800)) / 100;
    columns.close[row] = close / 100;
    columns.volume[row] = Math.round((1 + random()) * 1e5) / 1e5;
  }
  return { interval: '1m', columns };
}
