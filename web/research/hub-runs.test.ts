import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sweep } from '#web/data/research.ts';
import { backtestRun, type HubRun, sortBy, sortRuns, sweepRun } from './hub-runs.ts';

const PROFILE = { id: 'p1', name: 'Dips' };
const AT = '2026-03-01T00:00:00.000Z';
const common = { id: 'r1', state: 'done', strategyName: 'trailing-trade', createdAt: AT } as const;

const metrics = (totalReturn: number, closedCycles: number, buyAndHold = 0) => ({
  ...{ totalReturn, closedCycles, buyAndHold },
});
const backtest = (
  all: Record<string, ReturnType<typeof metrics>>,
  state: 'done' | 'running' | 'failed' = 'done',
): HubRun => {
  const coins = Object.keys(all).map((symbol) => ({ symbol }));
  const request = { coins, from: AT, to: AT, purse: 'separate', scope: 'profile' } as const;
  return backtestRun({ ...common, state, config: {}, request, metrics: all }, PROFILE);
};
const sweep = (result: Sweep['result'], more: object = {}): HubRun => {
  const request = { coin: { symbol: 'BTCUSDT' }, knobs: 'a.b=1,2; c.d=3,4', from: AT, to: AT, ...more };
  return sweepRun({ ...common, request, sets: 4, units: 2, unitsDone: 2, result }, PROFILE);
};
const row = {
  ...{ set: 0, values: [], totalReturn: 0.05, finalEquity: 1050, drawdown: 0.01, sharpe: 1, sortino: 1 },
  ...{ closedCycles: 40, net: 50, winRate: 0.5, profitFactor: 2, exposure: 0.1, fills: 80 },
};
const found: NonNullable<Sweep['result']> = {
  ...{ knobs: [], evaluated: 4, profitable: 4, trials: 4, rows: [row], warnings: [] },
  luck: { kind: 'measured', chance: 0.4, trials: 4 },
  overfitting: 0.1,
  fingerprint: '',
};

test('a backtest has the mean return and the sum of the trades of its coins', () => {
  const run = backtest({ AAAUSDT: metrics(0.1, 80), BBBUSDT: metrics(0.2, 40) });
  assert.equal(run.best?.toFixed(3), '0.150');
  assert.equal(run.trades, 120);
  assert.deepEqual(run.coins, ['AAAUSDT', 'BBBUSDT']);
});

test('the verdict of a backtest says first whether the trades are enough, then whether it was worth it', () => {
  const verdicts = [
    metrics(0.1, 0),
    metrics(0.1, 29),
    metrics(-0.1, 200),
    metrics(0.1, 40),
    metrics(0.1, 200, 0.2),
  ].map((of) => backtest({ AAAUSDT: of }).verdict);
  assert.deepEqual(verdicts, [
    'No trade was closed',
    'Too few trades',
    'Lost money',
    'Ahead of buy and hold, few trades',
    'Behind buy and hold',
  ]);
});

test('work that runs or failed has its state as the verdict', () => {
  assert.equal(backtest({}, 'running').verdict, 'Is running');
  assert.equal(backtest({ AAAUSDT: metrics(1, 200) }, 'failed').verdict, 'Failed');
  assert.equal(sweep(null).best, null);
});

test('a sweep has the verdict of its page, and a walk-forward the return on unseen days', () => {
  const run = sweep(found);
  assert.deepEqual([run.kind, run.best, run.trades, run.varied], ['Sweep', 0.05, 40, ['a.b', 'c.d']]);
  assert.match(run.verdict, /luck/i);
  const forward = sweep({ ...found, walkForward: { totalReturn: -0.02, folds: [] } }, { walkForward: {} });
  assert.deepEqual([forward.kind, forward.best], ['Walk-forward', -0.02]);
});

test('running work is first, and what has no value is the last', () => {
  const [low, high, none] = [0.1, 0.3, null].map((best) => ({ ...sweep(found), id: String(best), best }));
  const busy = { ...sweep(null), id: 'busy', busy: true };
  assert.ok(low !== undefined && high !== undefined && none !== undefined);
  const ids = (descending: boolean) =>
    sortRuns([none, low, busy, high], { column: 'best', descending }).map(({ id }) => id);
  assert.deepEqual(ids(true), ['busy', '0.3', '0.1', 'null']);
  assert.deepEqual(ids(false), ['busy', '0.1', '0.3', 'null']);
});

test('numbers start with the largest, texts with A, and the same column again turns the order', () => {
  const byTrades = sortBy({ column: 'startedMs', descending: true }, 'trades');
  assert.deepEqual(byTrades, { column: 'trades', descending: true });
  assert.deepEqual(sortBy(byTrades, 'trades'), { column: 'trades', descending: false });
  assert.deepEqual(sortBy(byTrades, 'verdict'), { column: 'verdict', descending: false });
});
