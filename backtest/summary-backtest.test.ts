import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requireDecimal } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { type SummaryBacktest, runSummaryBacktest } from './summary-backtest.ts';
import { type BacktestInput, runBacktest } from './run.ts';
import { rulesOf, walk } from './test-walk.ts';

const TERMS = {
  balance: requireDecimal('1000'),
  feeRate: requireDecimal('0.001'),
  slippage: requireDecimal('0.0005'),
};

const trailing = fc.record({
  candleInterval: fc.constantFrom('1m', '5m'),
  buy: fc.record({
    entrySizing: fc.constant({ amount: '50' }),
    candleLimit: fc.integer({ min: 1, max: 20 }),
    gridLevels: fc.constantFrom(
      [{ triggerPercentage: '1.002' }],
      [{ triggerPercentage: '1.01', stopPricePercentage: '1.002', limitPricePercentage: '1.004' }],
      [{ triggerPercentage: '1.002' }, { triggerPercentage: '0.99' }],
    ),
  }),
  sell: fc.record({
    stopLossPercentage: fc.constantFrom('0.9', '0.98', '0.995'),
    triggerPercentage: fc.constantFrom('1.002', '1.01'),
    trailingStopPercentage: fc.constantFrom('0.999', '0.99'),
  }),
});

/** The numbers of the whole backtest that a summary shows. */
function shownOf(input: BacktestInput): SummaryBacktest {
  const outcome = runBacktest(input);
  assert.ok(outcome.kind === 'result');
  const { metrics, drawdown, ambiguity, dailyEquity, fills } = outcome.result;
  const { totalReturn, winRate, fees, exposure, capital } = metrics;
  return {
    metrics: { totalReturn, winRate, fees, exposure, capital },
    drawdown: { depth: drawdown.depth },
    ambiguity,
    dailyEquity,
    sales: fills.filter(({ side }) => side === 'sell').length,
  };
}

test('a summary shows the numbers of the whole backtest to the last digit', () => {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy !== undefined);
  const totals = { sales: 0, ambiguous: 0 };
  fc.assert(
    fc.property(trailing, fc.nat(), (config, seed) => {
      const candles = walk(seed, 4000, { tick: 0.01, price: 100, gaps: true });
      const bound = strategy.bind(strategy.config.parse(config));
      const input = { bound, rules: rulesOf('0.01', '0.001'), terms: TERMS, candles };
      const outcome = runSummaryBacktest(input);
      assert.ok(outcome.kind === 'summary');
      assert.deepEqual(outcome.summary, shownOf(input));
      totals.sales += outcome.summary.sales;
      totals.ambiguous += outcome.summary.ambiguity.candles;
    }),
    { numRuns: 40, seed: 11 },
  );
  assert.ok(totals.sales > 0 && totals.ambiguous > 0, `${totals.sales} sales, ${totals.ambiguous} doubtful candles`);
});

test('what a backtest refuses a summary refuses with the same words', () => {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy !== undefined);
  const candles = { ...walk(1, 100, { tick: 0.01, price: 100, gaps: false }), interval: '1h' as const };
  const bound = strategy.bind(strategy.config.parse({ candleInterval: '30m' }));
  const input = { bound, rules: rulesOf('0.01', '0.001'), terms: TERMS, candles };
  const outcome = runSummaryBacktest(input);
  assert.equal(outcome.kind, 'refused');
  assert.deepEqual(outcome, runBacktest(input));
});
