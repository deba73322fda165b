import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { failComparison, keepComparison } from '#storage/research/live-checks.ts';
import { addResult, finishResearch, startRun } from '#storage/research/research.ts';
import { changeLiveGate, readLiveComparison, readLiveGate, startLiveComparison } from '#api/contract/live-checks.ts';
import {
  compareBacktests,
  launchBacktest,
  launchSweep,
  pinBacktest,
  readBacktest,
  readRobustness,
  readTrials,
  repeatBacktest,
  testRobustness,
} from '#api/contract/research.ts';
import { BTC as BTC_RULES, cachePrice, cacheRules, ETH as ETH_RULES } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import type { StoredResult } from '#core/research/backtest-result.ts';
import { storedResultWith } from '#test/harness/stored-result.ts';

const BTC = BTC_RULES.symbol;
const WINDOW = { from: '2024-01-01T00:00:00.000Z', to: '2024-02-01T00:00:00.000Z' };
const DAY_MS = 86_400_000;

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
});
afterEach(() => api[Symbol.asyncDispose]());

async function profileOf(more: { strategyName?: string; symbols?: string[] } = {}): Promise<{ id: ProfileId }> {
  await cacheRules(api, [BTC_RULES, ETH_RULES]);
  await cachePrice(api, BTC, '50000');
  const { profile } = await api.addProfile('Tested', { symbols: [BTC], ...more });
  return { id: profile.id };
}

/** A result as the worker stores it, as far as the bars look. */
const resultOf = (changes: { depth?: number; ageDays?: number; capital?: object } = {}) =>
  storedResultWith({
    to: new Date(api.context.now().getTime() - (changes.ageDays ?? 1) * DAY_MS).toISOString(),
    metrics: {
      ...{ totalReturn: 0.2, profitFactor: 1.5, closedCycles: 40 },
      capital: {
        ...{ used: 500, returnOnUsed: 0.4, meanExposure: 0.3, equalExposure: 0.15, alpha: 0.05 },
        ...changes.capital,
      },
    },
    holdout: { outOfSample: { totalReturn: 0.01 } },
    drawdown: { depth: changes.depth ?? 0.1 },
  });

async function finished(params: { id: ProfileId }, result: StoredResult, overrideConfig = {}): Promise<string> {
  const { kysely } = api.database;
  const { runId } = await api.call(launchBacktest, { params, body: { ...WINDOW, overrideConfig } });
  const { configFingerprints } = await api.call(readBacktest, { params: { ...params, runId } });
  await startRun(kysely, runId);
  const [symbol = BTC] = Object.keys(configFingerprints);
  await addResult(kysely, runId, { symbol, result });
  await finishResearch(kysely, { id: runId, state: 'done' });
  return runId;
}

test('the gate requires a recent backtest of exactly the current settings, and stops nothing', async () => {
  const params = await profileOf();
  const verdict = async () => (await api.call(readLiveGate, { params })).coins[0];
  assert.equal((await verdict())?.verdict, 'no-backtest');
  await finished(params, resultOf(), { buy: { candleLimit: 7 } });
  assert.equal((await verdict())?.verdict, 'no-backtest', 'other settings prove nothing');
  const runId = await finished(params, resultOf());
  const gate = await api.call(readLiveGate, { params });
  assert.deepEqual([gate.clear, gate.coins[0]?.verdict, gate.coins[0]?.runId], [true, 'clear', runId]);
  assert.match(gate.sentence, /advice/);
  assert.equal(gate.coins[0]?.checks.length, 8);

  const changed = await api.call(changeLiveGate, { params, body: { drawdown: 0.05, profitFactor: null } });
  assert.deepEqual([changed.bars.drawdown, changed.bars.profitFactor, changed.bars.closedCycles], [0.05, null, 30]);
  assert.deepEqual([changed.clear, changed.coins[0]?.verdict], [false, 'below-bars']);
  assert.match(changed.coins[0]?.sentence ?? '', /max drawdown 10\.0 %, required is at most 5\.0 %/);
  assert.equal(changed.coins[0]?.checks.length, 7);
  const wrong = await api.refusal(changeLiveGate, { params, body: { drawdown: 2 } });
  assert.equal(wrong.errors?.[0]?.path, 'drawdown');
  const [audit] = await api.database.kysely
    .selectFrom('audit_logs')
    .select(['action', 'subject'])
    .where('action', '=', 'live-gate.change')
    .execute();
  assert.equal(audit?.subject, params.id);

  await api.call(changeLiveGate, { params, body: { drawdown: 0.25 } });
  await finished(params, resultOf({ ageDays: 45 }));
  assert.match((await verdict())?.sentence ?? '', /days since its window ended 45, required is at most 30/);

  const stored = JSON.stringify({ buy: { candleLimit: 5000 } });
  await api.database.kysely.updateTable('profiles').set({ config: stored }).where('id', '=', params.id).execute();
  const degraded = await api.call(readLiveGate, { params });
  assert.deepEqual([degraded.clear, degraded.coins[0]?.verdict], [false, 'config-not-parsable']);
});

test('the gate uses the capital used and equal exposure, and requires a new run when a stored one lacks them', async () => {
  const params = await profileOf();
  const verdict = async () => (await api.call(readLiveGate, { params })).coins[0];
  await finished(params, resultOf({ capital: { returnOnUsed: -0.32, alpha: -0.0004 } }));
  const missed = await verdict();
  assert.equal(missed?.verdict, 'below-bars');
  assert.equal(
    missed.sentence,
    'Below the thresholds: return on capital used -32.00 %, required is at least 0.00 %; ' +
      'alpha vs. equal exposure -0.04 %, required is at least 0.00 %.',
  );
  const { capital: _capital, ...metrics } = resultOf().metrics;
  const runId = await finished(params, { ...resultOf(), metrics });
  const old = await verdict();
  assert.deepEqual([old?.verdict, old?.runId, old?.checks], ['old-backtest', runId, []]);
  assert.match(old?.sentence ?? '', /earlier version .* without the return on capital used .* run it again\.$/);
});

test('a strategy that plans over all coins is tested as one', async () => {
  const params = await profileOf({ strategyName: 'rebalance', symbols: [BTC, 'ETHUSDT'] });
  await finished(params, resultOf());
  const gate = await api.call(readLiveGate, { params });
  assert.deepEqual(
    gate.coins.map(({ symbol, verdict }) => [symbol, verdict]),
    [['basket', 'clear']],
  );
  const body = { ...WINDOW, symbol: BTC, knobs: 'driftThreshold=0.01,0.02' };
  assert.match((await api.refusal(launchSweep, { params, body })).errors?.[0]?.message ?? '', /plans over all coins/);
});

test('the newest comparison is shown with its request and its failure; one with a former reference is not', async () => {
  const params = await profileOf();
  const none = { pinnedRunId: null, requestedAt: null, error: null, reference: null, day: null };
  assert.deepEqual(await api.call(readLiveComparison, { params }), none);
  const runId = await finished(params, resultOf());
  await api.call(pinBacktest, { params: { ...params, runId }, body: {} });
  const { jobId } = await api.call(startLiveComparison, { params });
  assert.match(jobId, /^[0-9a-f-]{36}$/);
  assert.notEqual((await api.call(readLiveComparison, { params })).requestedAt, null);

  const { kysely } = api.database;
  const at = '2024-01-02T00:00:00.000Z';
  const reference = { at, runId, since: at, verdict: 'undecided' as const, tests: [] };
  const day = { at, from: at, to: at, coins: [] };
  await keepComparison(kysely, params.id, { reference, day });
  const shown = { ...none, pinnedRunId: runId, reference, day };
  assert.deepEqual(await api.call(readLiveComparison, { params }), shown);
  await failComparison(kysely, params.id, 'No candles.');
  assert.deepEqual(await api.call(readLiveComparison, { params }), { ...shown, error: 'No candles.' });
  await keepComparison(kysely, params.id, { reference: { ...reference, runId: 'an older one' }, day });
  assert.deepEqual(await api.call(readLiveComparison, { params }), { ...shown, reference: null });
});

test('runs are compared where their terms are the same, with the settings in which they differ', async () => {
  const params = await profileOf();
  const run = await finished(params, resultOf());
  const other = await finished(params, resultOf({ depth: 0.3 }), { buy: { candleLimit: 7 } });
  const query = { runs: `${run},${other}` };
  const { sameTerms, coins, settings } = await api.call(compareBacktests, { params, query });
  assert.equal(sameTerms, true);
  assert.deepEqual(
    coins[0]?.results.map(({ runId, drawdown, outOfSample }) => [runId, drawdown, outOfSample]),
    [
      [run, 0.1, 0.01],
      [other, 0.3, 0.01],
    ],
  );
  assert.deepEqual(settings, [{ path: 'buy.candleLimit', values: [null, 7] }]);
  assert.match(
    (await api.refusal(compareBacktests, { params, query: { runs: run } })).errors?.[0]?.message ?? '',
    /fewer than two/,
  );

  const ofRun = { ...params, runId: run };
  assert.equal((await api.call(readRobustness, { params: ofRun })).state, 'none');
  await api.call(testRobustness, { params: ofRun });
  assert.equal((await api.call(readRobustness, { params: ofRun })).state, 'queued');
  assert.deepEqual(await api.call(readTrials, {}), { questions: [] });
});

test('a run of another window is run again over that of the newest, with its own settings', async () => {
  const params = await profileOf();
  const old = await finished(params, resultOf(), { buy: { candleLimit: 7 } });
  const body = { from: '2024-03-01T00:00:00.000Z', to: '2024-04-01T00:00:00.000Z', balance: '500' };
  const { runId: newest } = await api.call(launchBacktest, { params, body });
  const before = await api.call(compareBacktests, { params, query: { runs: `${newest},${old}` } });
  assert.deepEqual([before.sameTerms, before.newest, before.differing], [false, newest, [old]]);
  const { runId } = await api.call(repeatBacktest, { params: { ...params, runId: old }, body: { termsOf: newest } });
  const after = await api.call(compareBacktests, { params, query: { runs: `${newest},${runId}` } });
  assert.deepEqual([after.sameTerms, after.differing], [true, []]);
  assert.deepEqual(after.settings, [{ path: 'buy.candleLimit', values: [null, 7] }]);
  const { request } = await api.call(readBacktest, { params: { ...params, runId } });
  assert.deepEqual([request['from'], request['balance']], [body.from, '500']);
  const missing = { params: { ...params, runId: old }, body: { termsOf: params.id } };
  assert.equal((await api.refusal(repeatBacktest, missing)).status, 404);
});

test('two runs without an end a minute apart have the same window, which ends with the last full day', async () => {
  const params = await profileOf();
  // Not around midnight, where the last full day becomes another one.
  if (api.now().getTime() % DAY_MS > DAY_MS - 300_000) api.advance(600_000);
  const launched: string[] = [];
  for (const _time of [1, 2]) {
    launched.push((await api.call(launchBacktest, { params, body: { from: WINDOW.from } })).runId);
    api.advance(60_000);
  }
  const { sameTerms, runs } = await api.call(compareBacktests, { params, query: { runs: launched.join(',') } });
  assert.equal(sameTerms, true);
  assert.match(String(runs[0]?.request['to']), /T00:00:00\.000Z$/);
});

test('a walk-forward has the units of a sweep once for the whole window and once for each fold', async () => {
  const params = await profileOf();
  const body = { ...WINDOW, symbol: BTC, knobs: 'buy.candleLimit=1..100' };
  const walkForward = { trainDays: 14, testDays: 5 };
  const launched = await api.call(launchSweep, { params, body: { ...body, walkForward } });
  assert.deepEqual([launched.sets, launched.units], [100, 8]);
  const refusal = async (change: object) =>
    (await api.refusal(launchSweep, { params, body: { ...body, walkForward, ...change } })).errors?.[0]?.message ?? '';
  assert.match(await refusal({ search: 'halving' }), /grid and random/);
  assert.match(await refusal({ walkForward: { trainDays: 30, testDays: 5 } }), /shorter than 35 days/);
});
