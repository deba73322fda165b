import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { cacheKeys } from '#core/cache-keys.ts';
import type { ProfileId } from '#core/ids.ts';
import { saveApiKey } from './contract/accounts.ts';
import { type DiagnosisReport, listDiagnoses, readDiagnosis, startDiagnosis } from './contract/diagnosis.ts';
import { setKillSwitch } from './contract/halts.ts';
import { changeProfile, disableProfile, enableProfile } from './contract/profiles.ts';
import { addLogs, BTC, cachePrice, cacheRules } from './test-records.ts';
import { openTestApi, type TestApi } from './test-api.ts';

let api: TestApi;
let id: ProfileId;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
  const added = await api.addProfile('Quiet', { symbols: ['BTCUSDT'] });
  id = added.profile.id;
  const body = { label: '', apiKey: 'key-key-key-0001', secret: 'secret-secret-0001' };
  await api.call(saveApiKey, { params: { id: added.account.id }, body });
  await api.call(enableProfile, { params: { id } });
  await cacheRules(api, [BTC]);
  await cachePrice(api, 'BTCUSDT', '50000');
  await api.cache.set(cacheKeys.heartbeat('a'), '{}');
});
afterEach(() => api[Symbol.asyncDispose]());

const diagnose = async (): Promise<DiagnosisReport> => {
  const { report } = await api.call(startDiagnosis, { params: { id } });
  assert.ok(report !== null);
  return report;
};

test('nothing in the way: it waits for the strategy, in the words of the last decision; the run is kept', async () => {
  const decision = { kind: 'nothing', reason: 'r', sentence: 'Waiting for 48000.', numbers: {} };
  const state = { at: '2026-01-01T00:00:00.000Z', decision, approval: { kind: 'none' }, plan: [] };
  await api.cache.set(cacheKeys.coinState(id, 'BTCUSDT'), JSON.stringify(state));
  const run = await api.call(startDiagnosis, { params: { id } });
  assert.deepEqual([run.report?.verdict, run.report?.headline], ['waiting', 'BTCUSDT: Waiting for 48000.']);
  assert.ok(run.report?.steps.every(({ status }) => status === 'ok'));
  assert.deepEqual((await api.call(listDiagnoses, { params: { id } })).runs, [run]);
  assert.deepEqual(await api.call(readDiagnosis, { params: { id, runId: run.id } }), run);
});

const findings: [string, RegExp, () => Promise<unknown>][] = [
  ['worker', /^No worker runs/, () => api.cache.delete(cacheKeys.heartbeat('a'))],
  [
    'halts',
    /^The kill switch \(all\) has been on since .*\("why"\)/,
    () => api.call(setKillSwitch, { body: { engaged: true, reason: 'why' } }),
  ],
  ['enabled', /disabled/, () => api.call(disableProfile, { params: { id } })],
  ['coins', /^No coin is bound/, () => api.database.kysely.deleteFrom('profile_symbols').execute()],
  [
    'key',
    /refuses the API key \(permissions\)/,
    () => api.database.kysely.updateTable('api_keys').set({ status: 'error', cause: 'permissions' }).execute(),
  ],
  ['key', /no API key/, () => api.database.kysely.deleteFrom('api_keys').execute()],
];
for (const [step, words, arrange] of findings) {
  test(`a finding is the headline and says what to do: ${step} ${words.source.slice(0, 20)}`, async () => {
    await arrange();
    const { verdict, headline, steps } = await diagnose();
    assert.equal(verdict, 'blocked');
    assert.match(headline, words);
    assert.deepEqual(
      steps.filter(({ status }) => status === 'finding').map((one) => one.id),
      [step],
    );
  });
}

test('a coin that cannot be bought says why; a warning of the last day is told and blocks nothing', async () => {
  await addLogs(api.database, id, [{ level: 'warn', msg: 'The exchange was slow.', at: api.now().toISOString() }]);
  const calm = await diagnose();
  assert.equal(calm.verdict, 'waiting');
  assert.equal(calm.steps.find((one) => one.id === 'log')?.line, 'The exchange was slow.');
  await cacheRules(api, [{ ...BTC, status: 'BREAK' }]);
  api.advance(3_600_000);
  assert.match((await diagnose()).coins[0]?.line ?? '', /\(BREAK\)/);
  await cacheRules(api, [BTC]);
  api.advance(3_600_000);
  await api.database.kysely
    .updateTable('profiles')
    .set({ config: JSON.stringify({ buy: { candleLimit: 5000 } }) })
    .execute();
  const unreadable = await diagnose();
  assert.deepEqual([unreadable.verdict, unreadable.coins[0]?.blocked], ['blocked', true]);
  assert.equal((await api.send(changeProfile, { params: { id }, body: { config: {} } })).status, 200);
});
