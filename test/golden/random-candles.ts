import fc from 'fast-check';
import type { Series } from '#backtest/columns.ts';

const MINUTE_MS = 60_000;
const START_MS = Date.UTC(2024, 0, 1);

/** One minute of a random walk: move of the close in ticks, reach of both wicks, minutes missing before it. */
const minute = fc.record({
  move: fc.integer({ min: -60, max: 60 }),
  up: fc.nat(20),
  down: fc.nat(20),
  gap: fc.nat(200).map((roll) => Math.max(0, roll - 196)),
});

/** Random one-minute candles around 100.00 on a grid of 0.01, with gaps between the candles and between their prices. */
export const randomMinutes = (maxLength: number): fc.Arbitrary<Series> =>
  fc.array(minute, { minLength: 30, maxLength }).map((minutes) => {
    const column = (): Float64Array => new Float64Array(minutes.length);
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
    for (const [row, { move, up, down, gap }] of minutes.entries()) {
      const open = Math.max(500, close + (up - down));
      close = Math.max(500, open + move);
      openMs += gap * MINUTE_MS;
      columns.openMs[row] = openMs;
      columns.open[row] = open / 100;
      columns.high[row] = (Math.max(open, close) + up) / 100;
      columns.low[row] = (Math.min(open, close) - down) / 100;
      columns.close[row] = close / 100;
      columns.volume[row] = 1;
      openMs += MINUTE_MS;
    }
    return { interval: '1m', columns };
  });
