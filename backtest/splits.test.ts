import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { buyAndHold, coinDays, type CoinDay, costAveraging } from './benchmarks.ts';
import type { Cycle } from './book.ts';
import { cycleColumns } from './cycle-columns.ts';
import { holdout, regimes } from './splits.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const near = (found: number | undefined, expected: number): void => {
  assert.ok(found !== undefined && Math.abs(found - expected) <= 1e-12, `${found} is not ${expected}`);
};
const coinOf = (closes: readonly number[]): CoinDay[] =>
  closes.map((close, day) => ({ startMs: day * DAY_MS, open: closes[day - 1] ?? close, close }));
const cycle = (day: number, net: string): Cycle => ({
  number: 1,
  openedMs: 0,
  closedMs: day * DAY_MS + HOUR_MS,
  net: requireDecimal(net),
  exitReason: 'exit-trail',
});

test('the coin by days: cut at both ends, a day without candles keeps the close before it', () => {
  const hours = [20, 23, 24, 80, 81];
  const at = (by: number): Float64Array => Float64Array.from(hours, (hour) => hour + by);
  const columns = {
    openMs: at(0).map((hour) => hour * HOUR_MS),
    open: at(0),
    high: at(2),
    low: at(0),
    close: at(1),
    volume: at(0),
  };
  assert.deepEqual(coinDays({ interval: '1h', columns }, 1, 5), [
    { startMs: 0, open: 23, close: 24 },
    { startMs: DAY_MS, open: 24, close: 25 },
    { startMs: 2 * DAY_MS, open: null, close: 25 },
    { startMs: 3 * DAY_MS, open: 80, close: 82 },
  ]);
});

test('buy and hold, and cost averaging over the days with candles', () => {
  const days: CoinDay[] = [
    { startMs: 0, open: 100, close: 120 },
    { startMs: DAY_MS, open: null, close: 120 },
    { startMs: 2 * DAY_MS, open: 125, close: 150 },
  ];
  const charges = { feeRate: 0.001, slippage: 0.001 };
  // 0.999 * 150 / (100 * 1.001) - 1
  near(buyAndHold(days, charges), 149.85 / 100.1 - 1);
  // half at 100, half at 125: the mean of 149.85 / 100.1 and 149.85 / 125.125, less 1
  near(costAveraging(days, charges), (149.85 / 100.1 + 149.85 / 125.125) / 2 - 1);
  assert.equal(costAveraging([], charges), 0);
});

test('the last 30 % of the days stand by themselves', () => {
  const days = [100, 110, 121, 110, 110, 110, 110, 99, 99, 108.9];
  const coin = coinOf([10, 11, 12, 13, 14, 15, 16, 16, 8, 12]);
  const split = holdout({
    balance: 100,
    days,
    coin,
    cycles: cycleColumns([cycle(2, '21'), cycle(7, '-11'), cycle(9, '9.9')]),
  });
  assert.ok(split !== null);
  assert.deepEqual([split.inSample.days, split.outOfSample.days], [7, 3]);
  near(split.inSample.totalReturn, 0.1);
  near(split.inSample.drawdown, 1 - 110 / 121);
  near(split.inSample.buyAndHold, 0.6);
  assert.deepEqual([split.inSample.closedCycles, split.inSample.net], [1, 21]);
  // from 110 to 108.9, over 99; the coin from 16 to 12
  near(split.outOfSample.totalReturn, 108.9 / 110 - 1);
  near(split.outOfSample.drawdown, 0.1);
  near(split.outOfSample.buyAndHold, -0.25);
  assert.equal(split.outOfSample.closedCycles, 2);
  near(split.outOfSample.net, -1.1);
  assert.equal(holdout({ balance: 100, days: days.slice(1), coin, cycles: cycleColumns([]) }), null);
});

test('by what the coin was doing: every day and cycle once, the products make up the whole', () => {
  // 20 days at 100, then 104 (sideways), 105 (up), 95 (down)
  const closes = [...Array.from({ length: 20 }, () => 100), 104, 105, 95];
  const days = [...Array.from({ length: 20 }, () => 100), 101, 102.01, 99.9698];
  const parts = regimes({
    balance: 100,
    days,
    coin: coinOf(closes),
    cycles: cycleColumns([cycle(3, '1'), cycle(21, '2'), cycle(22, '-3')]),
  });
  assert.deepEqual(Object.keys(parts), ['up', 'down', 'sideways', 'unknown']);
  const { up, down, sideways, unknown } = parts;
  assert.deepEqual([up?.days, down?.days, sideways?.days, unknown?.days], [1, 1, 1, 20]);
  near(sideways?.totalReturn, 0.01);
  near(up?.coinReturn, 105 / 104 - 1);
  near(down?.totalReturn, -0.02);
  assert.deepEqual([up?.net, down?.net, sideways?.net, unknown?.net], [2, -3, 0, 1]);
});
