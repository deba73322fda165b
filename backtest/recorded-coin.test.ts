import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requireDecimal } from '#core/amount/decimal.ts';
import { momentum } from '#strategies/momentum/strategy.ts';
import { anyStrategy, type BoundStrategy } from '#strategies/strategy.ts';
import { marketsWithTerms, momentumSettings } from '#test/golden/momentum-cases.ts';
import { type BacktestInput, runBacktest } from './run.ts';
import { rulesOf, walk } from './test-walk.ts';

const d = requireDecimal;
const CANDLES = 1500;
const strategy = anyStrategy(momentum);

const cases = fc.record({
  ...marketsWithTerms,
  end: fc.constantFrom(CANDLES, 1111),
  halfSpread: fc.constantFrom(undefined, d('0.0002')),
  settings: momentumSettings,
});

/** The strategy without its vector runs. */
function kernelOnly({ record: _, ...bound }: BoundStrategy): BoundStrategy {
  return bound;
}

test('a recorded vector run gives the result of the kernel, text for text', () => {
  let [recorded, fills, overruns, skipped] = [0, 0, 0, 0];
  fc.assert(
    fc.property(cases, ({ seed, gaps, grid, start, end, fee, slippage, halfSpread, balance, settings }) => {
      const candles = walk(seed, CANDLES, { tick: Number(grid.tick), price: grid.price, gaps });
      const bound = strategy.bind(strategy.config.parse({ ...settings, candleInterval: '1m' }));
      const input: BacktestInput = {
        bound,
        rules: rulesOf(grid.tick, grid.step),
        terms: { balance: d(balance), feeRate: fee, slippage, ...(halfSpread !== undefined && { halfSpread }) },
        candles,
        fromMs: candles.columns.openMs[start] ?? 0,
        toMs: (candles.columns.openMs[end - 1] ?? 0) + 60_000,
      };
      const one = { ...input, signal: candles, detail: candles, start, end };
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
