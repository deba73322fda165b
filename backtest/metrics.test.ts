import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharpe } from '#core/research/sharpe.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { buyAndHold, equalExposure } from './benchmarks.ts';
import type { Cycle } from './book.ts';
import { cycleColumns } from './cycle-columns.ts';
import { fillColumns } from './fill-columns.ts';
import {
  cagr,
  calmar,
  dailyReturns,
  durations,
  expectancy,
  exposure,
  measure,
  perExitReason,
  profitFactor,
  sortino,
  sqn,
  totalReturn,
  winRate,
} from './metrics.ts';

const near = (found: number | null, expected: number): void => {
  assert.ok(found !== null && Math.abs(found - expected) <= 1e-12 * Math.max(1, Math.abs(expected)), `${found}`);
};

test('return, and what it is a year', () => {
  near(totalReturn({ finalEquity: 1100, balance: 1000 }), 0.1);
  const days = (count: number, finalEquity: number) => ({ balance: 1000, finalEquity, windowMs: count * 86_400_000 });
  // 182.5 days is half a year: 1.1 ^ 2 - 1
  near(cagr(days(182.5, 1100)), 0.21);
  assert.deepEqual([cagr(days(89, 1100)), cagr(days(365, 0))], [null, null]);
  near(calmar(0.21, 0.07), 3);
  assert.deepEqual([calmar(null, 0.1), calmar(0.1, 0)], [null, null]);
});

test('SQN of 3, -1, 2, 0', () => {
  // mean 1; squared differences 4 + 4 + 1 + 1 = 10, by 3; sqrt(4) * 1 / sqrt(10 / 3)
  near(sqn([3, -1, 2, 0]), 2 / Math.sqrt(10 / 3));
  assert.deepEqual([sqn([1]), sqn([2, 2])], [null, null]);
});

test('profit factor, expectancy and win rate of 3, -1, 2, -4, 0', () => {
  const nets = [3, -1, 2, -4, 0];
  assert.equal(profitFactor(nets), 5 / 5);
  assert.equal(expectancy(nets), 0);
  assert.equal(winRate(nets), 2 / 5);
  assert.deepEqual([profitFactor([1, 2]), profitFactor([])], [null, null]);
  assert.deepEqual([expectancy([]), winRate([])], [null, null]);
});

test('exposure', () => {
  assert.equal(exposure({ heldCandles: 3, candles: 12 }), 0.25);
  assert.equal(exposure({ heldCandles: 0, candles: 0 }), 0);
});

test('equal exposure: half of the equity, rebalanced at the daily closes, charged once', () => {
  const days = [
    { startMs: 0, open: 100, close: 110 },
    { startMs: 86_400_000, open: 105, close: 99 },
  ];
  // Up 10 % from the first open, down 10 % from close to close: 0.9995 * 1.05 * 0.95 - 1.
  near(equalExposure(days, 0.5, { feeRate: 0.001, slippage: 0 }), -0.00299875);
  const charges = { feeRate: 0.001, slippage: 0.0005 };
  near(equalExposure(days, 1, charges), buyAndHold(days, charges));
  assert.equal(equalExposure(days, 0, charges), 0);
});

test('daily returns begin from the balance', () => {
  const returns = dailyReturns({ balance: 100, days: [110, 99, 99] });
  near(returns[0] ?? null, 0.1);
  near(returns[1] ?? null, -0.1);
  assert.equal(returns[2], 0);
});

test('Sharpe and Sortino of 2 %, -1 %, 2 %', () => {
  const returns = [0.02, -0.01, 0.02];
  // mean 0.01; deviations 0.01, -0.02, 0.01: sum of squares 0.0006, by 2 = 0.0003
  near(sharpe(returns), (0.01 / Math.sqrt(0.0003)) * Math.sqrt(365));
  // one fall: 0.0001 / 3
  near(sortino(returns), (0.01 / Math.sqrt(0.0001 / 3)) * Math.sqrt(365));
  assert.deepEqual([sharpe([0.01]), sharpe([0, 0])], [null, null]);
  assert.equal(sortino([0.01, 0.02]), null);
});

const cycle = (hours: number, net: string, exitReason: string): Cycle => ({
  number: 1,
  openedMs: 0,
  closedMs: hours * 3_600_000,
  net: requireDecimal(net),
  exitReason,
});
const CYCLES = [cycle(4, '2', 'exit-trail'), cycle(1, '-1', 'exit-stop-loss'), cycle(2, '-0.5', 'exit-trail')];

test('durations: mean, middle, longest', () => {
  const hour = 3_600_000;
  assert.deepEqual(durations(cycleColumns(CYCLES)), {
    meanMs: (7 / 3) * hour,
    medianMs: 2 * hour,
    longestMs: 4 * hour,
  });
  assert.equal(durations(cycleColumns(CYCLES.slice(0, 2)))?.medianMs, 2.5 * hour);
  assert.equal(durations(cycleColumns([])), null);
});

test('closed cycles by exit reason', () => {
  assert.deepEqual(perExitReason(cycleColumns(CYCLES)), {
    'exit-stop-loss': { cycles: 1, wins: 0, net: -1 },
    'exit-trail': { cycles: 2, wins: 1, net: 1.5 },
  });
});

test('a run without a fill measures to nothing, not to NaN', () => {
  const metrics = measure({
    balance: 100,
    finalEquity: 100,
    windowMs: 300_000,
    coin: [{ startMs: 0, open: 10, close: 10 }],
    drawdown: 0,
    feeRate: 0,
    slippage: 0,
    fills: fillColumns([]),
    cycles: cycleColumns([]),
    days: [100],
    candles: 5,
    heldCandles: 0,
    capitalUsed: 0,
    meanExposure: 0,
  });
  assert.deepEqual(metrics, {
    totalReturn: 0,
    cagr: null,
    buyAndHold: 0,
    costAveraging: 0,
    capital: { used: 0, returnOnUsed: null, meanExposure: 0, equalExposure: 0, alpha: 0 },
    finalEquity: 100,
    closedCycles: 0,
    net: 0,
    profitFactor: null,
    expectancy: null,
    winRate: null,
    best: null,
    worst: null,
    exposure: 0,
    fees: 0,
    turnover: 0,
    durations: null,
    sharpe: null,
    sortino: null,
    calmar: null,
    sqn: null,
    exits: {},
  });
});
