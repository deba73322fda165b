import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { downloadBackup, restoreBackup } from '#api/contract/backup.ts';
import { dropDryRun, listDryRuns, promoteDryRun, readDryRun, startDryRun } from '#api/contract/dry-runs.ts';
import { listConfigHistory, restoreConfig } from '#api/contract/profile-configs.ts';
import { changeCoin, changeProfile, deleteProfile, readProfile } from '#api/contract/profiles.ts';
import { MOST_COINS } from '#core/research/dry-run.ts';
import { failDryRun, keepOpening, keepResult } from '#storage/research/dry-runs.ts';
import { BTC as BTC_RULES, cachePrice, cacheRules } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

const BTC = BTC_RULES.symbol;

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
  await cacheRules(api, [BTC_RULES]);
  await cachePrice(api, BTC, '50000');
});
afterEach(() => api[Symbol.asyncDispose]());

const CONFIG = { buy: { candleLimit: 12 } };
const CHANGED = { buy: { candleLimit: 20 } };

async function started(decisions = 100) {
  const { profile } = await api.addProfile('Tried', { config: CONFIG, symbols: [BTC] });
  const params = { id: profile.id };
  const { dryRun } = await api.call(startDryRun, { params, body: { config: CHANGED, decisions } });
  return { params, ofRun: { ...params, dryRunId: dryRun.id }, dryRun };
}

const actionsOf = async () => {
  const rows = await api.database.kysely
    .selectFrom('audit_logs')
    .select(['action', 'after'])
    .where('action', 'like', 'dry-run.%')
    .orderBy('at')
    .execute();
  return rows.map(({ action }) => action);
};

const jobs = async (): Promise<number> => {
  const { rows } = await api.database.pool.query("select 1 from pgboss.job where name = 'evaluate-dry-run'");
  return rows.length;
};

const RESULT = {
  ...{ from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z', decisions: 60, differing: 3 },
  ...{ coins: [], totals: [], assumptions: ['One.'] },
};

test('a dry run is started, listed, read and promoted; the settings are saved once, and rolled back by the history', async () => {
  const { params, ofRun, dryRun } = await started();
  assert.deepEqual([dryRun.state, dryRun.version, dryRun.symbols], ['running', 1, [BTC]]);
  assert.deepEqual([dryRun.differs, dryRun.changedSince, dryRun.result], [['buy.candleLimit'], [], null]);
  assert.equal(await jobs(), 1);
  const { kysely } = api.database;
  await keepOpening(kysely, dryRun.id, {});
  await keepResult(kysely, dryRun.id, { result: RESULT, finished: false });
  const [listed] = (await api.call(listDryRuns, { params })).dryRuns;
  assert.deepEqual(listed?.result, { from: RESULT.from, to: RESULT.to, decisions: 60, differing: 3, totals: [] });
  assert.deepEqual((await api.call(readDryRun, { params: ofRun })).result, RESULT);

  const { profile } = await api.call(promoteDryRun, { params: ofRun });
  assert.deepEqual(profile.config, CHANGED);
  assert.equal((await api.call(readDryRun, { params: ofRun })).state, 'promoted');
  const again = await api.refusal(promoteDryRun, { params: ofRun });
  assert.deepEqual([again.status, again.code], [409, 'conflict']);
  assert.match(again.detail, /is promoted/);
  assert.equal((await api.refusal(dropDryRun, { params: ofRun })).status, 409);
  assert.deepEqual(await actionsOf(), ['dry-run.start', 'dry-run.promote']);
  assert.deepEqual(
    (await api.call(listConfigHistory, { params })).versions.map(({ version }) => version),
    [2, 1],
  );
  const back = await api.call(restoreConfig, { params: { ...params, version: '1' } });
  assert.deepEqual(back.profile.config, CONFIG);
});

test('two promotions at once save the settings once', async () => {
  const { params, ofRun } = await started();
  const answers = await Promise.allSettled([1, 2].map(() => api.call(promoteDryRun, { params: ofRun })));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal((await api.call(listConfigHistory, { params })).versions.length, 2);
});

test('settings that changed since the start are named, and nothing is promoted', async () => {
  const { params, ofRun } = await started();
  await api.call(changeProfile, { params, body: { config: { buy: { candleLimit: 12, enabled: false } } } });
  await api.call(changeCoin, {
    params: { ...params, symbol: BTC },
    body: { overrideConfig: { buy: { candleLimit: 9 } } },
  });
  const since = ['config.buy.enabled', `symbols.${BTC}.buy.candleLimit`];
  assert.deepEqual((await api.call(readDryRun, { params: ofRun })).changedSince, since);
  const refused = await api.refusal(promoteDryRun, { params: ofRun });
  assert.equal(refused.status, 409);
  for (const path of since) assert.ok(refused.detail.includes(path), refused.detail);
  assert.equal((await api.call(readDryRun, { params: ofRun })).state, 'running');
  assert.deepEqual((await api.call(readProfile, { params })).config, { buy: { candleLimit: 12, enabled: false } });
  await api.call(dropDryRun, { params: ofRun });
  assert.deepEqual(await actionsOf(), ['dry-run.start', 'dry-run.drop']);
});

test('only one runs for a profile; a dropped one leaves the settings and makes room', async () => {
  const { params, ofRun } = await started();
  const second = await api.refusal(startDryRun, { params, body: { config: CHANGED } });
  assert.equal(second.status, 409);
  await api.call(dropDryRun, { params: ofRun });
  assert.equal((await api.refusal(dropDryRun, { params: ofRun })).status, 409);
  assert.deepEqual((await api.call(readProfile, { params })).config, CONFIG);
  await api.call(startDryRun, { params, body: { config: CHANGED } });
  assert.equal((await api.call(listDryRuns, { params })).dryRuns.length, 2);
});

test('a failed one cannot be promoted; it can be dropped', async () => {
  const { ofRun, dryRun } = await started();
  await failDryRun(api.database.kysely, dryRun.id, 'The strategy no longer exists.');
  const read = await api.call(readDryRun, { params: ofRun });
  assert.deepEqual([read.state, read.error], ['failed', 'The strategy no longer exists.']);
  assert.match((await api.refusal(promoteDryRun, { params: ofRun })).detail, /is failed/);
  await api.call(dropDryRun, { params: ofRun });
});

test('a start is checked like a change of the profile', async () => {
  const { profile } = await api.addProfile('Checked', { config: CONFIG, symbols: [BTC] });
  const params = { id: profile.id };
  const bad = { buy: { candleLimit: -1 }, sell: { triggerPercentage: 'x' } };
  const refused = await api.refusal(startDryRun, { params, body: { config: bad } });
  assert.deepEqual(
    refused.errors?.map(({ path }) => path).toSorted(),
    (await api.refusal(changeProfile, { params, body: { config: bad } })).errors?.map(({ path }) => path).toSorted(),
  );
  assert.ok((refused.errors?.length ?? 0) >= 2);
  const same = await api.refusal(startDryRun, { params, body: { config: CONFIG } });
  assert.match(JSON.stringify(same.errors), /present config/);
  const few = await api.refusal(startDryRun, { params, body: { config: CHANGED, decisions: 9 } });
  assert.equal(few.errors?.[0]?.path, 'decisions');
  const empty = await api.addProfile('Empty', { config: CONFIG });
  assert.equal(
    (await api.refusal(startDryRun, { params: { id: empty.profile.id }, body: { config: CHANGED } })).status,
    409,
  );
  assert.equal(await jobs(), 0);
});

test('a deleted profile takes its dry runs along, and of ended ones the newest are kept', async () => {
  const { params, ofRun } = await started();
  await api.call(dropDryRun, { params: ofRun });
  for (let i = 0; i < 25; i++) {
    const { dryRun } = await api.call(startDryRun, { params, body: { config: CHANGED } });
    await api.call(dropDryRun, { params: { ...params, dryRunId: dryRun.id } });
  }
  assert.equal((await api.call(listDryRuns, { params })).dryRuns.length, 20);
  await api.call(deleteProfile, { params });
  const { rows } = await api.database.pool.query('select 1 from dry_runs');
  assert.equal(rows.length, 0);
});

test('a restored dry run continues', async () => {
  await started();
  const backup = await fetch(`${api.url}/api${downloadBackup.path}`, { headers: { cookie: api.cookie ?? '' } });
  const body = new Uint8Array(await backup.arrayBuffer());
  await api.database.pool.query("delete from pgboss.job where name = 'evaluate-dry-run'");
  const headers = { 'content-type': 'application/octet-stream' };
  const restored = await api.request('POST', `/api${restoreBackup.path}`, { headers, body });
  assert.equal(restored.status, 200, restored.text);
  assert.equal(await jobs(), 1);
});

test('the schema refuses what must not be', async () => {
  const { dryRun } = await started();
  const { pool } = api.database;
  const refuses = (change: string) =>
    assert.rejects(pool.query(`update dry_runs set ${change} where id = $1`, [dryRun.id]), /constraint/);
  await refuses("state = 'finished', ended_at = now()");
  await refuses("state = 'dropped'");
  await refuses("state = 'failed', ended_at = now()");
  await refuses("result = '{}'");
  await refuses('changed = present');
  await refuses(`coins = (select jsonb_agg(n) from generate_series(0, ${MOST_COINS}) n)`);
  await refuses('decisions = 9');
});
