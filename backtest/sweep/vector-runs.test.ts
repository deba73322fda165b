import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Interval } from '#core/market/candle.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { config as schema } from '#strategies/momentum/config.ts';
import { momentum } from '#strategies/momentum/strategy.ts';
import { anyStrategy } from '#strategies/strategy.ts';
import { aggregateSeries } from '#backtest/columns.ts';
import { marketsWithTerms, momentumSettings } from '#test/golden/momentum-cases.ts';
import { rulesOf, walk } from '#backtest/test-walk.ts';
import { evaluate, evaluatedOf } from './row.ts';

const d = requireDecimal;

const cases = fc.record({
  ...marketsWithTerms,
  interval: fc.constantFrom<Interval>('1m', '1m', '5m', '1h'),
  participation: fc.constantFrom(ZERO, ZERO, d('0.05')),
  configs: fc.array(momentumSettings, { minLength: 1, maxLength: 4 }),
});

const near = (found: number, expected: number): boolean =>
  Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected));

test('vector runs trade like the kernel', () => {
  const strategy = anyStrategy(momentum);
  let [ran, sent, filled] = [0, 0, 0];
  fc.assert(
    fc.property(cases, ({ seed, gaps, interval, grid, start, fee, slippage, balance, participation, configs }) => {
      const detail = walk(seed, 1500, { tick: Number(grid.tick), price: grid.price, gaps });
      const base = {
        rules: rulesOf(grid.tick, grid.step),
        terms: {
          balance: d(balance),
          feeRate: fee,
          slippage,
          ...(participation > 0n ? { participation } : {}),
        },
        signal: aggregateSeries(detail, interval),
        detail,
        start,
        end: 1500,
      };
      const parsed = configs.map((config) => schema.parse({ ...config, candleInterval: interval }));
      for (const [i, run] of (strategy.sweep?.run(base, parsed) ?? []).entries()) {
        sent += 1;
        if (run === undefined) continue;
        ran += 1;
        const found = evaluatedOf({ by: 'lanes', ...run });
        const { numbers, returns } = evaluate({ ...base, bound: strategy.bind(parsed[i]) });
        filled += numbers.fills;
        const { net, profitFactor, ...exact } = found.numbers;
        const { net: netThere, profitFactor: factorThere, ...exactThere } = numbers;
        assert.deepEqual(exact, exactThere, JSON.stringify(parsed[i]));
        assert.deepEqual(found.returns, returns);
        assert.ok(near(net, netThere), `${net} is not ${netThere}`);
        assert.ok(near(profitFactor ?? -1, factorThere ?? -1), `${profitFactor} is not ${factorThere}`);
      }
    }),
    { numRuns: 400, seed: 7 },
  );
  assert.ok(ran > sent * 0.7 && filled > 5000, `${ran} of ${sent} sets ran as vector runs, ${filled} fills`);
});

test('a price of more ticks than a vector run can count is left to the kernel', () => {
  const strategy = anyStrategy(momentum);
  const detail = walk(5, 1500, { tick: 0.00000001, price: 50, gaps: false });
  const terms = { balance: d('1000'), feeRate: d('0.001'), slippage: ZERO };
  const base = { rules: rulesOf('0.00000001', '0.001'), terms, signal: detail, detail, start: 0, end: 1500 };
  const config = schema.parse({
    ...{ candleInterval: '1m', ema: { fast: 9, slow: 21 }, entryExtension: { period: 9, maxPercentage: '' } },
    ...{ entrySizing: { mode: 'fixed', amount: '100' }, protectiveStop: { enabled: false } },
  });
  const [run] = strategy.sweep?.run(base, [config]) ?? [];
  const bound = strategy.bind(config);
  assert.deepEqual([run, bound.record?.(base)], [undefined, undefined]);
  assert.ok(evaluate({ ...base, bound }).numbers.fills > 0);
});
