import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Interval } from '#core/market/candle.ts';
import { type Decimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { config as schema } from '#strategies/momentum/config.ts';
import { momentum } from '#strategies/momentum/strategy.ts';
import { anyStrategy } from '#strategies/strategy.ts';
import { aggregateSeries } from '#backtest/columns.ts';
import { rulesOf, walk } from '#backtest/test-walk.ts';
import { evaluate, evaluatedOf } from './row.ts';

const d = requireDecimal;

interface Case {
  readonly seed: number;
  readonly gaps: boolean;
  readonly interval: Interval;
  readonly grid: { readonly tick: string; readonly step: string; readonly price: number };
  readonly start: number;
  readonly fee: Decimal;
  readonly slippage: Decimal;
  readonly balance: string;
  readonly participation: Decimal;
  readonly configs: readonly unknown[];
}

const settings = fc.record({
  slow: fc.integer({ min: 3, max: 40 }),
  share: fc.double({ min: 0, max: 0.99, noNaN: true }),
  entryMarginPercentage: fc.constantFrom('1', '1.0005'),
  trailingStopPercentage: fc.constantFrom('0.999', '0.99', '0.97', '0.9'),
  exitOnCross: fc.boolean(),
  lossCooldownMinutes: fc.constantFrom(0, 7, 300),
  enabled: fc.boolean(),
  extension: fc.constantFrom(
    { period: 20, maxPercentage: '1.001' },
    { period: 50, maxPercentage: '1.4' },
    { period: 9, maxPercentage: '' },
  ),
  amount: fc.constantFrom('20', '100', '990'),
});
const cases: fc.Arbitrary<Case> = fc.record({
  seed: fc.nat(),
  gaps: fc.boolean(),
  interval: fc.constantFrom('1m', '1m', '5m', '1h'),
  grid: fc.constantFrom(
    { tick: '0.01', step: '0.001', price: 100 },
    { tick: '0.00001', step: '1', price: 0.02 },
    { tick: '0.5', step: '0.00001', price: 60_000 },
  ),
  start: fc.constantFrom(0, 300),
  fee: fc.constantFrom(d('0.001'), d('0.00075'), ZERO),
  slippage: fc.constantFrom(ZERO, d('0.0005')),
  balance: fc.constantFrom('1000', '250'),
  participation: fc.constantFrom(ZERO, ZERO, d('0.05')),
  configs: fc.array(settings, { minLength: 1, maxLength: 4 }).map((list) =>
    list.map(({ slow, share, enabled, extension, amount, ...plain }) => ({
      ...plain,
      ema: { slow, fast: 1 + Math.floor(share * (slow - 1)) },
      entryExtension: extension,
      entrySizing: { mode: 'fixed', amount },
      protectiveStop: { enabled },
    })),
  ),
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
      const parsed = configs.map((config) => schema.parse({ ...Object(config), candleInterval: interval }));
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
