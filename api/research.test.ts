import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { addResult, finishResearch, startRun } from '#storage/research/research.ts';
import {
  abortBacktest,
  abortSweep,
  deleteBacktest,
  launchBacktest,
  launchSweep,
  listBacktests,
  listSweeps,
  pinBacktest,
  readBacktest,
  readSweep,
} from '#api/contract/research.ts';
import { BTC as BTC_RULES, cachePrice, cacheRules } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { fillWith, storedResultWith } from '#test/harness/stored-result.ts';

const BTC = BTC_RULES.symbol;

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
});
afterEach(() => api[Symbol.asyncDispose]());

const WINDOW = { from: '2024-01-01T00:00:00.000Z', to: '2024-02-01T00:00:00.000Z' };

async function profileOf(config: Record<string, unknown> = {}) {
  await cacheRules(api, [BTC_RULES]);
  await cachePrice(api, BTC, '50000');
  const { profile } = await api.addProfile('Tested', { config, symbols: [BTC] });
  return { id: profile.id };
}

test('a backtest is launched, listed, read, pinned, aborted and deleted', async () => {
  const params = await profileOf();
  const { runId, warnings } = await api.call(launchBacktest, { params, body: WINDOW });
  assert.deepEqual(warnings, []);
  const [run] = (await api.call(listBacktests, { params })).runs;
  assert.deepEqual([run?.id, run?.state, run?.pinned, run?.metrics], [runId, 'queued', false, {}]);
  assert.match(run?.configFingerprints[BTC] ?? '', /^[0-9a-f]{64}$/);
  const other = await api.call(launchBacktest, {
    params,
    body: { ...WINDOW, overrideConfig: { buy: { candleLimit: 7 } } },
  });
  const changed = await api.call(readBacktest, { params: { ...params, runId: other.runId } });
  assert.notEqual(changed.configFingerprints[BTC], run?.configFingerprints[BTC]);

  const { kysely } = api.database;
  await startRun(kysely, runId);
  const result = storedResultWith({ metrics: { totalReturn: 0.1 }, fills: [fillWith({ side: 'buy' })] });
  await addResult(kysely, runId, { symbol: BTC, result });
  const runParams = { ...params, runId };
  assert.equal((await api.refusal(deleteBacktest, { params: runParams })).code, 'conflict');
  await finishResearch(kysely, { id: runId, state: 'done' });
  const read = await api.call(readBacktest, { params: runParams });
  assert.deepEqual([read.state, read.results], ['done', { [BTC]: result }]);
  const listed = (await api.call(listBacktests, { params })).runs.find(({ id }) => id === runId);
  assert.deepEqual(listed?.metrics, { [BTC]: result.metrics });

  await api.call(pinBacktest, { params: runParams, body: {} });
  assert.equal((await api.call(readBacktest, { params: runParams })).pinned, true);
  assert.equal((await api.refusal(abortBacktest, { params: runParams })).code, 'conflict');
  await api.call(abortBacktest, { params: { ...params, runId: other.runId } });
  await api.call(deleteBacktest, { params: runParams });
  assert.equal((await api.refusal(readBacktest, { params: runParams })).code, 'not_found');
});

test('the change that a launch carries is checked like a save, the stored config is not', async () => {
  const params = await profileOf();
  const launch = (body: object) => api.refusal(launchBacktest, { params, body: { ...WINDOW, ...body } });
  const refused = await launch({ overrideConfig: { buy: { candleLimit: 0 } } });
  assert.equal(refused.errors?.[0]?.path, 'overrideConfig.buy.candleLimit');
  const level = { triggerPercentage: '1', maxPurchaseAmount: '2' };
  const small = await launch({ overrideConfig: { buy: { gridLevels: [level] } } });
  assert.match(small.errors?.[0]?.message ?? '', /gives BTCUSDT a buy budget of 2 USDT/);
  assert.match((await launch({ symbols: ['NONEUSDT'] })).errors?.[0]?.message ?? '', /NONEUSDT/);
  const otherFile = await launch({ strategyName: `my-rsi@${'0'.repeat(64)}` });
  assert.match(otherFile.errors?.[0]?.message ?? '', /is not a version of the strategy file/);
  assert.match((await launch({ from: WINDOW.to })).errors?.[0]?.message ?? '', /before the end/);

  const stored = JSON.stringify({ buy: { candleLimit: 5000 } });
  await api.database.kysely.updateTable('profiles').set({ config: stored }).where('id', '=', params.id).execute();
  const { warnings, runId } = await api.call(launchBacktest, { params, body: WINDOW });
  assert.deepEqual(
    warnings.map(({ reason }) => reason),
    ['config_not_parsable'],
  );
  assert.deepEqual((await api.call(readBacktest, { params: { ...params, runId } })).configFingerprints, {});
});

test('a sweep is launched in units, listed, read and aborted', async () => {
  const params = await profileOf();
  const body = { ...WINDOW, symbol: BTC, knobs: 'buy.candleLimit=1..100' };
  const launched = await api.call(launchSweep, { params, body });
  assert.deepEqual([launched.sets, launched.units], [100, 2]);
  const runParams = { ...params, sweepId: launched.sweepId };
  const sweep = await api.call(readSweep, { params: runParams });
  assert.deepEqual([sweep.state, sweep.units, sweep.unitsDone, sweep.result], ['queued', 2, 0, null]);
  assert.equal((await api.call(listSweeps, { params })).sweeps.length, 1);
  await api.call(abortSweep, { params: runParams });
  assert.equal((await api.call(readSweep, { params: runParams })).state, 'aborted');
  assert.equal((await api.refusal(abortSweep, { params: runParams })).code, 'conflict');
  const wrong = await api.refusal(launchSweep, { params, body: { ...body, knobs: 'buy.nothing=1,2' } });
  assert.match(wrong.errors?.[0]?.message ?? '', /"buy\.nothing" is not a number of the config/);
});
