import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { momentum } from '#strategies/momentum/strategy.ts';
import { anyStrategy, type BoundStrategy } from '#strategies/strategy.ts';
import { type BacktestInput, runBacktest } from './run.ts';
import { rulesOf, walk } from './test-walk.ts';

const d = requireDecimal;
const CANDLES = 1500;
const strategy = anyStrategy(momentum);

const configs = fc
  .record({
    slow: fc.integer({ min: 3, max: 40 }),
    share: fc.double({ min: 0, max: 0.99, noNaN: true }),
    entryMarginPercentage: fc.constantFrom('1', '1.0005'),
    trailingStopPercentage: fc.constantFrom('0.999', '0.99', '0.97', '0.9'),
    exitOnCross: fc.boolean(),
    lossCooldownMinutes: fc.constantFrom(0, 7, 300),
    protectiveStop: fc.record({ enabled: fc.boolean() }),
    entryExtension: fc.constantFrom(
      { period: 20, maxPercentage: '1.001' },
      { period: 50, maxPercentage: '1.4' },
      { period: 9, maxPercentage: '' },
    ),
    amount: fc.constantFrom('20', '100', '990'),
  })
  .map(({ slow, share, amount, ...plain }) => ({
    ...{ ...plain, candleInterval: '1m', entrySizing: { mode: 'fixed', amount } },
    ema: { slow, fast: 1 + Math.floor(share * (slow - 1)) },
  }));

const cases = fc.record({
  seed: fc.nat(),
  gaps: fc.boolean(),
  grid: fc.constantFrom(
    { tick: '0.01', step: '0.001', price: 100 },
    { tick: '0.00001', step: '1', price: 0.02 },
    { tick: '0.5', step: '0.00001', price: 60_000 },
    { tick: '1', step: '0.00000001', price: 95_000_000 },
  ),
  from: fc.constantFrom(0, 300),
  to: fc.constantFrom(CANDLES, 1111),
  fee: fc.constantFrom(d('0.001'), d('0.00075'), ZERO),
  slippage: fc.constantFrom(ZERO, d('0.0005')),
  halfSpread: fc.constantFrom(undefined, d('0.0002')),
  balance: fc.constantFrom('1000', '250'),
  config: configs,
});

/** The strategy without its vector runs. */
function kernelOnly({ record: _, ...bound }: BoundStrategy): BoundStrategy {
  return bound;
}

test('a recorded vector run gives the result of the kernel, text for text', () => {
  let [recorded, fills, overruns, skipped] = [0, 0, 0, 0];
  fc.assert(
    fc.property(cases, ({ seed, gaps, grid, from, to, fee, slippage, halfSpread, balance, config }) => {
      const candles = walk(seed, CANDLES, { tick: Number(grid.tick), price: grid.price, gaps });
      const bound = strategy.bind(strategy.config.parse(config));
      const input: BacktestInput = {
        bound,
        rules: rulesOf(grid.tick, grid.step),
        terms: { balance: d(balance), feeRate: fee, slippage, ...(halfSpread !== undefined && { halfSpread }) },
        candles,
        fromMs: candles.columns.openMs[from] ?? 0,
        toMs: (candles.columns.openMs[to - 1] ?? 0) + 60_000,
      };
      const one = { ...input, signal: candles, detail: candles, start: from, end: to };
      if (bound.record?.(one) === undefined) return;
      recorded += 1;
      const [found, expected] = [runBacktest(input), runBacktest({ ...input, bound: kernelOnly(bound) })];
      assert.ok(found.kind === 'result' && expected.kind === 'result');
      fills += expected.result.fills.length;
      overruns += expected.result.ambiguity.stops;
      skipped += found.result.passedCandles;
      const { passedCandles: _own, ...own } = found.result;
      const { passedCandles: _other, ...other } = expected.result;
      assert.deepEqual(own, other);
      assert.equal(JSON.stringify(own), JSON.stringify(other));
    }),
    { numRuns: 500, seed: 11 },
  );
  assert.ok(recorded > 350 && fills > 5000, `${recorded} of 500 cases were recorded, with ${fills} fills`);
  assert.ok(
    overruns > 20 && skipped > 0,
    `${overruns} stops fell through their limit, ${skipped} candles were skipped`,
  );
});
