import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { ownStrategy } from '#authoring/own-strategy.ts';
import { aggregateSeries } from '#backtest/columns.ts';
import { runKernel } from '#backtest/kernel.ts';
import { rulesOf, walk } from '#backtest/test-walk.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { loadVersion } from '#worker/strategy/version.ts';

const ROWS = 1500;
const HOLE_ROW = 900;

/** An example with a daily schedule and averages of five minutes, so that a day of minutes is enough for it. */
function exampleOf(name: string) {
  const text = readFileSync(join(import.meta.dirname, `../../authoring/examples/${name}.ts`), 'utf8')
    .replace("interval: '1h'", "interval: '1m'")
    .replaceAll("on('1d'", "on('5m'")
    .replace("{ weekday: 'monday', hour: 8, within: 12 }", '{ hour: 23, within: 12 }');
  const loaded = loadVersion(`${name}.ts`, text);
  assert.ok(loaded.kind === 'version', loaded.kind === 'refused' ? loaded.sentence : '');
  return ownStrategy(loaded.version);
}

const cases = fc.record({
  settings: fc.constantFrom({}, { length: 5, channel: 5, days: 20, fast: 3, slow: 9, narrowest: 20 }),
  seed: fc.nat(),
  gaps: fc.boolean(),
  // Minutes that are missing in one place: after 1,000 the indicators restart.
  hole: fc.constantFrom(0, 0, 998, 999, 5000),
  interval: fc.constantFrom('1m', '1m', '5m'),
  protectiveStop: fc.record({ enabled: fc.boolean() }),
  start: fc.constantFrom(0, 300),
  inside: fc.boolean(),
});

for (const name of ['rsi-reversion', 'donchian-breakout', 'bollinger-squeeze', 'accumulate', 'two-frames'])
  test(`${name}: skipping quiet candles gives the same run as deciding at every candle`, () => {
    const strategy = exampleOf(name);
    let [skipped, filled] = [0, 0];
    fc.assert(
      fc.property(cases, ({ settings, seed, gaps, hole, interval, protectiveStop, start, inside }) => {
        const config = { settings, candleInterval: interval, protectiveStop, entrySizing: { amount: '100' } };
        const detail = walk(seed, ROWS, { tick: 0.01, price: 100, gaps });
        const { openMs } = detail.columns;
        for (let row = HOLE_ROW; row < ROWS; row++) openMs[row] = (openMs[row] ?? 0) + hole * 60_000;
        const input = {
          bound: strategy.bind(config),
          rules: rulesOf('0.01', '0.001'),
          terms: {
            balance: requireDecimal('1000'),
            feeRate: requireDecimal('0.001'),
            slippage: requireDecimal('0.0002'),
          },
          ...{ signal: aggregateSeries(detail, interval), detail, start, end: ROWS, recordDecisions: true, inside },
        };
        const { skipped: more, ...run } = runKernel(input);
        const { skipped: none, ...stepwise } = runKernel({ ...input, stepwise: true });
        assert.deepEqual(run, stepwise);
        assert.equal(none, 0);
        skipped += more;
        filled += run.book.fills.length;
      }),
      { numRuns: 40, seed: 5 },
    );
    assert.ok(skipped > ROWS && filled > 10, `${skipped} candles skipped, ${filled} fills`);
  });
