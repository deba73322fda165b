import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { valueAt } from '#core/config-path.ts';
import { APPROVAL_REASONS } from '#core/decision/decision.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { NO_LIMITS } from '#core/account/risk.ts';
import { acquireLease } from '#storage/postgres/leases.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { saveApiKey } from '#api/contract/accounts.ts';
import {
  type DiagnosisReport,
  listDiagnoses,
  readBlocks,
  readDiagnosis,
  startDiagnosis,
} from '#api/contract/diagnosis.ts';
import { setKillSwitch } from '#api/contract/halts.ts';
import { changeProfile, disableProfile, enableProfile } from '#api/contract/profiles.ts';
import { changeProfileRisk, pauseCoin } from '#api/contract/risk.ts';
import { REASON_PATHS } from '#api/checks/reason-to-setting.ts';
import { addLogs, BTC, cacheRules } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

const HOUR_MS = 3_600_000;
let api: TestApi;
let id: ProfileId;
let accountId: AccountId;

const at = (ms = 0): string => new Date(api.now().getTime() + ms).toISOString();
const setPrice = (price: string) =>
  api.cache.set(cacheKeys.price('testnet', 'BTCUSDT'), JSON.stringify({ price, at: at() }));
const setWallet = (free: string) => {
  const balances = { USDT: { free, locked: '0' } };
  return api.cache.set(cacheKeys.wallet(accountId), JSON.stringify({ at: at(), keptAt: at(), balances }));
};
const decide = (reason: string, more: { at?: string; refused?: string; numbers?: object } = {}) => {
  const decision = { kind: 'nothing', reason, sentence: `Because of ${reason}.`, numbers: more.numbers ?? {} };
  const approval = more.refused === undefined ? { kind: 'none' } : { kind: 'refused', reason: more.refused };
  const state = { at: more.at ?? at(), decision, approval, plan: [] };
  return api.cache.set(cacheKeys.coinState(id, 'BTCUSDT'), JSON.stringify(state));
};
const change = (config: object) =>
  api.database.kysely
    .updateTable('profiles')
    .set({ config: JSON.stringify(config) })
    .execute();

const RUNS = { downSince: null, faults: null, coins: [] };
const keepRun = (change: object): Promise<void> =>
  api.cache.set(cacheKeys.accountRun(accountId), JSON.stringify({ ...RUNS, ...change }));

beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
  const added = await api.addProfile('Quiet', { symbols: ['BTCUSDT'] });
  id = added.profile.id;
  accountId = added.account.id;
  const body = { label: '', apiKey: 'key-key-key-0001', secret: 'secret-secret-0001' };
  await api.call(saveApiKey, { params: { id: accountId }, body });
  await api.database.kysely.updateTable('api_keys').set({ status: 'healthy' }).execute();
  await api.call(enableProfile, { params: { id } });
  await cacheRules(api, [BTC]);
  await setPrice('50000');
  await setWallet('1000');
  await api.cache.set(cacheKeys.heartbeat('a'), '{}');
  await keepRun({});
  await acquireLease(api.database, { accountId, holder: 'a', ttlMs: 24 * HOUR_MS });
  await decide('entry-above-window-low', { numbers: { price: '50000', window: 60 } });
});
afterEach(() => api[Symbol.asyncDispose]());

const diagnose = async (): Promise<DiagnosisReport> => {
  const { report } = await api.call(startDiagnosis, { params: { id } });
  assert.ok(report !== null);
  return report;
};

test('what blocks now is the report of a diagnosis, and is not kept', async () => {
  const call = { params: { id }, query: { symbol: 'BTCUSDT' } };
  const now = await api.call(readBlocks, call);
  assert.deepEqual((await api.call(listDiagnoses, { params: { id } })).runs, []);
  assert.deepEqual(now, (await api.call(startDiagnosis, call)).report);
  const other = await api.refusal(readBlocks, { params: { id }, query: { symbol: 'ETHUSDT' } });
  assert.equal(other.code, 'not_found');
});

test('without a blocker: the last decision of the strategy with its numbers and its setting; the run is kept', async () => {
  const run = await api.call(startDiagnosis, { params: { id }, query: { symbol: 'BTCUSDT' } });
  const { report } = run;
  assert.deepEqual([report?.verdict, report?.headline], ['waiting', 'BTCUSDT: Because of entry-above-window-low.']);
  const all = [...(report?.checks ?? []), ...(report?.coins[0]?.checks ?? [])];
  const odd = all.filter(({ status }) => status !== 'ok');
  assert.deepEqual(odd, []);
  const names =
    'worker lease account key running enabled coins halts rules limits log config opened pause listed price orphans coin-limits sizing balance decision';
  assert.deepEqual(all.map((check) => check.id).join(' '), names);
  const decision = all.at(-1);
  assert.deepEqual(decision?.evidence.find(({ name }) => name === 'window')?.value, '60');
  const place = `/profiles/${id}/config`;
  assert.deepEqual(decision?.setting, {
    words: 'Candles of the low',
    place,
    path: 'buy.candleLimit',
    value: '60',
  });
  assert.deepEqual((await api.call(listDiagnoses, { params: { id } })).runs, [run]);
  assert.deepEqual(await api.call(readDiagnosis, { params: { id, runId: run.id } }), run);
  const other = await api.refusal(startDiagnosis, { params: { id }, query: { symbol: 'ETHUSDT' } });
  assert.equal(other.code, 'not_found');
  await api.database.kysely.updateTable('diagnosis_runs').set({ report: '{"steps":[]}' }).execute();
  assert.equal(
    (await api.call(readDiagnosis, { params: { id, runId: run.id } })).report,
    null,
    'one of an earlier release',
  );
});

type Case = readonly [string, RegExp, string | null, () => Promise<unknown>];
const FAULTS = { count: 4, cause: 'The tickers cannot be read.', since: '2026-11-20T14:12:07.000Z' };

const profileCases: readonly Case[] = [
  ['worker', /^No worker runs/, '/settings', () => api.cache.delete(cacheKeys.heartbeat('a'))],
  [
    'lease',
    /^No worker holds the lease of the account/,
    '/settings',
    () => api.database.kysely.deleteFrom('account_leases').execute(),
  ],
  [
    'account',
    /exchange was reset/,
    '/',
    () => api.database.kysely.updateTable('accounts').set({ reset_at: new Date() }).execute(),
  ],
  [
    'key',
    /refuses the API key \(permissions\)/,
    '/settings',
    () => api.database.kysely.updateTable('api_keys').set({ status: 'error', cause: 'permissions' }).execute(),
  ],
  ['key', /no API key/, '/settings', () => api.database.kysely.deleteFrom('api_keys').execute()],
  [
    'running',
    /^The account has stopped on an error 4 times since .* The cause: The tickers cannot be read\.$/,
    '/settings',
    () => keepRun({ faults: FAULTS }),
  ],
  [
    'halts',
    /^The kill switch \(all\) has been engaged since .*\("why"\)/,
    '/',
    () => api.call(setKillSwitch, { body: { engaged: true, reason: 'why' } }),
  ],
  ['enabled', /disabled/, '/profiles/:id', () => api.call(disableProfile, { params: { id } })],
  ['coins', /^No coin is bound/, '/profiles/:id', () => api.database.kysely.deleteFrom('profile_symbols').execute()],
  [
    'limits',
    /^Not buying: the profile holds 0 of at most 0/,
    '/profiles/:id/risk',
    () =>
      api.database.kysely
        .updateTable('profiles')
        .set({ risk_limits: JSON.stringify({ ...NO_LIMITS, openPositions: 'x' }) })
        .execute(),
  ],
];
const coinCases: readonly Case[] = [
  [
    'config',
    /cannot be read, so nothing is bought/,
    '/profiles/:id/config',
    () => change({ buy: { candleLimit: 'many' } }),
  ],
  [
    'opened',
    /^The coin is not traded: Its orders cannot be read\. The next attempt is at /,
    null,
    () => {
      const trouble = { symbol: 'BTCUSDT', runs: false, cause: 'Its orders cannot be read.', nextAt: at(1_000) };
      return keepRun({ coins: [{ profileId: id, ...trouble }] });
    },
  ],
  [
    'pause',
    /^Buying is paused until/,
    '/profiles/:id/coins/BTCUSDT',
    () => api.call(pauseCoin, { params: { id, symbol: 'BTCUSDT' }, body: { until: at(HOUR_MS) } }),
  ],
  ['listed', /\(BREAK\)/, null, () => cacheRules(api, [{ ...BTC, status: 'BREAK' }])],
  ['price', /^Because of stale-price/, null, () => decide('stale-price')],
  [
    'coin-limits',
    /count EUR/,
    '/profiles/:id/risk',
    () => api.call(changeProfileRisk, { params: { id }, body: { asset: 'EUR', dailyLoss: '5' } }),
  ],
  [
    'sizing',
    /^The budget is too small/,
    '/profiles/:id/config',
    () => change({ buy: { entrySizing: { amount: '5' } } }),
  ],
  ['balance', /^Only 2 USDT are available, too little/, '/profiles/:id/config', () => setWallet('2')],
  [
    'decision',
    /^Because of entry-above-window-low/,
    '/profiles/:id/config',
    () => decide('entry-above-window-low', { refused: 'cooldown-loss' }),
  ],
  ['decision', /^Because of entry-disabled/, '/profiles/:id/config', () => decide('entry-disabled')],
];
for (const [name, words, place, arrange] of [...profileCases, ...coinCases]) {
  test(`the blocker is the headline, with the page of its setting: ${name} ${words.source.slice(0, 20)}`, async () => {
    await arrange();
    const { verdict, headline, checks, coins } = await diagnose();
    const failed = [...checks, ...(coins[0]?.checks ?? [])].filter(({ status }) => status === 'fail');
    assert.deepEqual(
      failed.map((check) => check.id),
      [name],
    );
    assert.equal(verdict, 'blocked');
    assert.match(headline.replace(/^BTCUSDT: /, ''), words);
    assert.equal(failed[0]?.setting?.place ?? null, place?.replace(':id', id) ?? null);
  });
}

test('warnings are reported and block nothing; missing data are reported as unknown', async () => {
  await addLogs(api.database, id, [{ level: 'warn', msg: 'The exchange was slow.', at: at() }]);
  await change({ buy: { candleLimit: 5000, entrySizing: { amount: '2000' } } });
  const { verdict, checks, coins } = await diagnose();
  const warned = [...checks, ...(coins[0]?.checks ?? [])].filter(({ status }) => status === 'warn');
  assert.equal(verdict, 'waiting', 'a value above a current maximum does not stop trading');
  assert.deepEqual(
    warned.map((check) => check.id),
    ['log', 'config', 'balance'],
  );
  assert.equal(warned[1]?.setting?.value, '5000');
  assert.equal((await api.send(changeProfile, { params: { id }, body: { config: {} } })).status, 200);
  api.advance(HOUR_MS);
  assert.match((await diagnose()).coins[0]?.checks.at(-1)?.line ?? '', /^No decision has been made for 36\d\d s/);
  for (const key of [
    cacheKeys.coinState(id, 'BTCUSDT'),
    cacheKeys.price('testnet', 'BTCUSDT'),
    cacheKeys.wallet(accountId),
  ])
    await api.cache.delete(key);
  const blind = await diagnose();
  assert.deepEqual([blind.verdict, blind.coins[0]?.line], ['unknown', 'No price has arrived yet.']);
});

test('every setting that a reason names exists, and every reason for not buying names one or has none to name', () => {
  const configs = [...STRATEGIES.values()].map(({ config }) => config.parse({}));
  const lists = [{ buy: { gridLevels: [{ triggerPercentage: '1' }] } }, ...configs];
  const absent = Object.values(REASON_PATHS)
    .flat()
    .filter((path) => lists.every((config) => valueAt(config, path) === undefined));
  assert.deepEqual(absent, []);
  const reasons = [
    ...Object.keys(APPROVAL_REASONS),
    ...[...STRATEGIES.values()].flatMap((check) => Object.keys(check.reasons)),
  ];
  assert.deepEqual(
    Object.keys(REASON_PATHS).filter((reason) => !reasons.includes(reason)),
    [],
  );
  const gates = reasons.filter((reason) =>
    /^(cap-(symbol|position)|regime-|rating-|size-(no|below|exit))/.test(reason),
  );
  assert.deepEqual(
    gates.filter((reason) => !(reason in REASON_PATHS)),
    [],
  );
});
