// The least of a sweep: crosses of two averages, counted. As a thread it does so for the requested number of pairs.
import { parentPort, workerData } from 'node:worker_threads';

/** Crosses of two averages of the periods given, counted: the work that remains without everything but candles and periods. */
function bareCrosses(close: Float64Array, [fast, slow]: readonly (string | number)[]): number {
  const [a, b] = [2 / (Number(fast) + 1), 2 / (Number(slow) + 1)];
  let [x, y, above, crosses] = [close[0] ?? 0, close[0] ?? 0, false, 0];
  for (let row = 1; row < close.length; row++) {
    const price = close[row] ?? 0;
    x += a * (price - x);
    y += b * (price - y);
    if (x > y && !above) crosses += 1;
    above = x > y;
  }
  return crosses;
}

const port = parentPort;
port?.on('message', (pairs: readonly (readonly (string | number)[])[]) => {
  const { closes } = workerData as { closes: Float64Array };
  port.postMessage(pairs.reduce((sum, pair) => sum + bareCrosses(closes, pair), 0));
});
