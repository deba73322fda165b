import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { checkBars, gateFacts, USUAL_BARS } from '#core/research/live-gate.ts';
import { randomFrom } from '#core/research/random.ts';
import { BARE, backtest } from '#test/golden/hourly-backtest.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import type { Terms } from './fills.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';
import { runBacktest } from './run.ts';
import { candlesOf, type Script, scripted } from './test-script.ts';
import { walk } from './test-walk.ts';

const TERMS: Terms = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
const BUY = { kind: 'buy', reason: 'entry', level: 0 } as const;
const SELL = { kind: 'sell', reason: 'exit', lots: 'all' } as const;
const maker = (limit: number, level: number) => ({ ...BUY, level, form: { type: 'maker', limit } }) as const;

const near = (found: number | null | undefined, expected: number, within = 1e-12): void =>
  assert.ok(typeof found === 'number' && Math.abs(found - expected) <= within, `${found} is not ${expected}`);

/** A script over one-minute candles, each of which has one price. */
function run(decisions: Script['decisions'], prices: readonly number[]): BacktestResult {
  const candles = candlesOf(
    '1m',
    prices.map((price) => `${price}/${price}/${price}/${price}`),
  );
  const outcome = runBacktest({ bound: scripted({ decisions }), rules: GOLDEN_RULES, terms: TERMS, candles });
  assert.ok(outcome.kind === 'result');
  return outcome.result;
}

test('one trade by hand: capital used, mean exposure, equal exposure and alpha', () => {
  const { metrics } = run({ 0: BUY, 2: SELL }, [100, 100, 120, 120, 120]);
  const { capital } = metrics;
  // 100 / 100.2 is 0.998 coins for 99.80; 0.997 of the 0.997002 that the fee leaves are sold for 119.64 less 0.11964.
  near(capital.used, 99.8);
  const made = 119.64 - 0.11964 - 99.8 + 0.000002 * 120;
  near(capital.returnOnUsed, made / 99.8);
  // Two of five closes: 0.997002 coins at 100 and at 120, next to 900.20 of cash; 0.000002 are less than a lot.
  const [first, second] = [99.7002 / (900.2 + 99.7002), 119.64024 / (900.2 + 119.64024)];
  near(capital.meanExposure, (first + second) / 5);
  assert.equal(metrics.exposure, 2 / 5);
  // One day, on which the coin rose by 20 %; the fee is paid on the share that is bought.
  const benchmark = (1 - capital.meanExposure * 0.001) * (1 + capital.meanExposure * 0.2) - 1;
  near(capital.equalExposure, benchmark);
  near(capital.alpha, made / 1000 - benchmark);
});

test('waiting buys bind what they lock, and one that replaces another does not add to it', () => {
  // 99.80 of the position and 1.010 at 99.00; then 1.020 at 98.00 instead, which is 99.96.
  const { metrics } = run({ 0: BUY, 2: maker(9900, 1), 3: maker(9800, 1) }, [100, 100, 100, 100, 100]);
  near(metrics.capital.used, 99.8 + 99.99);
});

test('a waiting buy that fills binds what it cost instead of what it had locked', () => {
  const { metrics } = run({ 0: maker(9900, 0), 2: SELL, 3: BUY }, [100, 98, 98, 98, 98]);
  // 1.010 at 99.00 are locked; they fill at 98.00, are sold, and 100 / 98.196 is 1.018 at 98.00.
  near(metrics.capital.used, 99.99);
});

test('a run that buys nothing has no return on capital, and equals its benchmark', () => {
  const nothing = run({}, [100, 90, 80]).metrics.capital;
  assert.deepEqual(nothing, { used: 0, returnOnUsed: null, meanExposure: 0, equalExposure: 0, alpha: 0 });
  const waited = run({ 0: maker(5000, 0) }, [100, 90, 80]).metrics.capital;
  assert.deepEqual(waited, { used: 100, returnOnUsed: null, meanExposure: 0, equalExposure: 0, alpha: 0 });
});

test('a run that is always fully invested has the alpha of buying and holding', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const candles = walk(seed, 6000, { tick: 0.01, price: 100, gaps: true });
      const bound = scripted({ decisions: {}, shared: { entryBudget: requireDecimal('1000') } });
      // Bought at the second candle, with what the cash buffer of 0.2 % leaves.
      let asked = 0;
      const create: typeof bound.create = (grid) => ({
        ...bound.create(grid),
        decide: () => (asked++ === 0 ? BUY : { kind: 'nothing', reason: 'hold' }),
      });
      const outcome = runBacktest({ bound: { ...bound, create }, rules: GOLDEN_RULES, terms: TERMS, candles });
      assert.ok(outcome.kind === 'result');
      const { totalReturn, buyAndHold, capital } = outcome.result.metrics;
      near(capital.meanExposure, 1, 0.005);
      near(capital.alpha, totalReturn - buyAndHold, 0.005 * (1 + Math.abs(buyAndHold)));
    }),
    { numRuns: 30, seed: 7 },
  );
});

test('the mean exposure is the mean over the closes, candle by candle, also where candles are missing', () => {
  const rows = 3000;
  for (const [seed, gaps] of [
    [1, false],
    [2, true],
    [3, true],
  ] as const) {
    const candles = walk(seed, rows, { tick: 0.01, price: 100, gaps });
    const minutes = [...candles.columns.openMs].map((ms) => ms / 60_000);
    const everySeventh = minutes.flatMap((minute, row) =>
      row % 7 === 0 ? [[minute, row % 2 === 0 ? BUY : SELL]] : [],
    );
    const decisions: Script['decisions'] = Object.fromEntries(everySeventh);
    const outcome = runBacktest({ bound: scripted({ decisions }), rules: GOLDEN_RULES, terms: TERMS, candles });
    assert.ok(outcome.kind === 'result');
    const { fills, metrics } = outcome.result;
    assert.ok(fills.length > 300, `${fills.length} fills`);
    const { openMs, close } = candles.columns;
    const lot = Number(formatDecimal(GOLDEN_RULES.lot.step));
    let [next, cash, position, total] = [0, 1000, 0, 0];
    for (let row = 0; row < rows; row++) {
      for (; next < fills.length && Date.parse(fills[next]?.at ?? '') < (openMs[row] ?? 0) + 60_000; next++)
        [cash, position] = [Number(fills[next]?.cash), Number(fills[next]?.position)];
      const value = position < lot ? 0 : position * (close[row] ?? 0);
      total += value / (cash + value);
    }
    near(metrics.capital.meanExposure, total / rows);
  }
});

/** A year of hours that falls to about a third, up and down on the way. */
function fallingYear(): string[] {
  const random = randomFrom(5);
  let price = 100;
  return Array.from({ length: 365 * 24 }, () => {
    const open = price;
    price = Math.max(1, open * (1 - 0.000_12 + (random() - 0.5) * 0.02));
    const texts = [open, Math.max(open, price) * 1.001, Math.min(open, price) * 0.999, price];
    return texts.map((each) => each.toFixed(2)).join('/');
  });
}

test('a strategy that loses with 15 of 1,000 in a falling year has no alpha to speak of, and the gate refuses it', () => {
  const config = {
    buy: { candleLimit: 24, gridLevels: [{ triggerPercentage: '1.005', maxPurchaseAmount: '15' }] },
    sell: { stopLossPercentage: '0.97', triggerPercentage: '1.015', trailingStopPercentage: '0.99', ...BARE },
  };
  const result = backtest(config, fallingYear());
  const { metrics } = result;
  const { capital } = metrics;
  assert.ok(metrics.buyAndHold < -0.5 && metrics.totalReturn - metrics.buyAndHold > 0.5, `${metrics.buyAndHold}`);
  assert.ok(metrics.closedCycles > 30 && (metrics.profitFactor ?? 1) < 0.9, `${metrics.profitFactor}`);
  assert.ok(capital.used > 14 && capital.used < 17, `${capital.used}`);
  assert.ok((capital.returnOnUsed ?? 0) < -0.5, `${capital.returnOnUsed}`);
  assert.ok(Math.abs(capital.alpha) < 0.02, `${capital.alpha}`);
  const facts = gateFacts.parse(JSON.parse(JSON.stringify(result)));
  const failed = checkBars(USUAL_BARS, facts, Date.parse(result.to)).filter(({ passed }) => !passed);
  assert.ok(failed.some(({ bar }) => bar === 'returnOnCapital'));
});
