import type { Series } from '#backtest/columns.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2024, 0, 1);

/** Numbers of 0 to `below` - 1, the same ones for the same seed. */
function dice(seed: number): (below: number) => number {
  let state = BigInt(seed);
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
    return Number((state >> 33n) % BigInt(below));
  };
}

/** Made-up minutes around 100.00 on a grid of 0.01, with gaps between candles and between their prices. */
export function walkOf(seed: number, rows: number): Series {
  const roll = dice(seed);
  const column = (): Float64Array => new Float64Array(rows);
  const columns = {
    openMs: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  };
  let close = 10_000;
  let openMs = START_MS;
  for (let row = 0; row < rows; row++) {
    const open = Math.max(2_000, close + roll(21) - 10);
    // Long swings, so that trends come and go.
    close = Math.max(2_000, open + roll(61) - 30 + (row % 400 < 200 ? 4 : -4));
    openMs += (roll(300) === 0 ? 1 + roll(90) : 1) * MINUTE_MS;
    columns.openMs[row] = openMs;
    columns.open[row] = open / 100;
    columns.high[row] = (Math.max(open, close) + roll(25)) / 100;
    columns.low[row] = (Math.min(open, close) - roll(25)) / 100;
    columns.close[row] = close / 100;
    columns.volume[row] = 1_000 + roll(2_000_000);
  }
  return { interval: '1m', columns };
}
