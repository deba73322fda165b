import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { createAccount } from '#storage/operator/accounts.ts';
import { createOperator } from '#storage/operator/users.ts';
import { abortBacktest, abortSweep, launchBacktest, launchSweep, readSweep } from '#api/contract/research.ts';
import { createProfile, listProfiles } from '#api/contract/profiles.ts';
import { hashPassword } from '#api/guard/password.ts';
import { BTC, cachePrice, cacheRules } from '#test/api/test-records.ts';
import { EMAIL, openTestApi, PASSWORD, type Reply, type TestApi } from '#test/api/test-api.ts';

const WINDOW = { from: '2024-01-01T00:00:00.000Z', to: '2025-05-15T00:00:00.000Z' };
const FEW = { ...WINDOW, symbol: BTC.symbol, knobs: 'buy.candleLimit=1..100' };
/** Each number is a setting of the trailing trade, so that only the size of the sweep can be refused. */
const MANY = [
  'buy.candleLimit=2..999',
  'sell.stopLossPercentage=0.5..0.999:0.001',
  'sell.triggerPercentage=1.001..1.5:0.001',
  'sell.trailingStopPercentage=0.5..0.999:0.001',
].join(';');

async function open(): Promise<TestApi> {
  const api = await openTestApi();
  await api.signUp();
  await cacheRules(api, [BTC]);
  await cachePrice(api, BTC.symbol, '50000');
  return api;
}

const jobsOf = async ({ database: { pool } }: TestApi, name: string): Promise<number> =>
  (await pool.query<{ n: number }>('select count(*)::int as n from pgboss.job where name = $1', [name])).rows[0]?.n ??
  0;

const launch = (api: TestApi, id: ProfileId, body: object = FEW): Promise<Reply> =>
  api.send(launchSweep, { params: { id }, body: { ...FEW, ...body } });
async function addProfiles(api: TestApi, accountId: AccountId, names: readonly string[]): Promise<ProfileId[]> {
  const ids: ProfileId[] = [];
  for (const name of names) {
    const body = { accountId, name, strategyName: 'trailing-trade' };
    ids.push((await api.call(createProfile, { body })).profile.id);
  }
  return ids;
}

const statusesOf = (replies: readonly Reply[]): number[] =>
  replies.map(({ status }) => status).toSorted((a, b) => a - b);

/** Milliseconds that the other requests of the api waited at most while `work` was under way. */
async function longestWait(api: TestApi, work: Promise<unknown>): Promise<number> {
  let [longest, ended] = [0, false];
  const watched = work.finally(() => (ended = true));
  while (!ended) {
    const startMs = performance.now();
    await api.call(listProfiles, {});
    longest = Math.max(longest, performance.now() - startMs);
  }
  await watched;
  return longest;
}

test('the largest sweep is launched without a pause of the api: its sets are made by the worker', async () => {
  await using api = await open();
  const { profile } = await api.addProfile('Tested', { symbols: [BTC.symbol] });
  const body = { knobs: MANY, search: 'random', count: 100_000 };
  const replies: Reply[] = [];
  const waited = await longestWait(
    api,
    launch(api, profile.id, body).then((reply) => replies.push(reply)),
  );
  assert.deepEqual(statusesOf(replies), [202]);
  assert.ok(waited < 2_000, `a request waited ${waited} ms`);
  assert.equal(await jobsOf(api, 'run-sweep-unit'), 1563);
});

test('more launches at once than the api has connections keep no other request waiting', async () => {
  await using api = await open();
  const { account, profile } = await api.addProfile('First', { symbols: [BTC.symbol] });
  const ids = [profile.id, ...(await addProfiles(api, account.id, ['2', '3', '4', '5', '6', '7', '8']))];
  const walkForward = { trainDays: 7, testDays: 1 };
  const body = { knobs: MANY, search: 'random', count: 640, walkForward };
  const owners = ids.flatMap((id) => [id, id, id]);
  let replies: Reply[] = [];
  const waited = await longestWait(
    api,
    Promise.all(owners.map((id) => launch(api, id, body))).then((all) => (replies = all)),
  );
  assert.deepEqual(statusesOf(replies), [
    ...Array.from({ length: 10 }, () => 202),
    ...Array.from({ length: 14 }, () => 409),
  ]);
  assert.ok(waited < 2_000, `a request waited ${waited} ms`);
});

test('a sweep with too many values, sets or jobs is refused with the number and the most allowed', async () => {
  await using api = await open();
  const { profile } = await api.addProfile('Tested', { symbols: [BTC.symbol] });
  const refusal = async (body: object) => {
    const reply = await launch(api, profile.id, body);
    assert.equal(reply.status, 422);
    return JSON.parse(reply.text).detail;
  };
  assert.match(await refusal({ knobs: `${MANY};buy.candleLimit=2..9` }), /is swept twice/);
  assert.match(await refusal({ knobs: MANY }), /combinations, more than 100000/);
  assert.match(await refusal({ knobs: 'sell.stopLossPercentage=0..1:0.000001' }), /1000001 values, more than 10000/);
  const walkForward = { trainDays: 7, testDays: 1 };
  const jobs = { knobs: MANY, search: 'random', count: 1_280, walkForward };
  assert.match(await refusal(jobs), /^walkForward makes 9880 jobs of 1280 sets, more than 5000 jobs/);
  assert.match(await refusal({ knobs: 'buy.candleLimit=0..0' }), /No combination is a config/);
  assert.equal(await jobsOf(api, 'run-sweep-unit'), 0);
});

test('of many launches at once each profile and each account gets as many as it may have open', async () => {
  await using api = await open();
  const { account, profile } = await api.addProfile('First', { symbols: [BTC.symbol] });
  const launches = Array.from({ length: 8 }, () => launch(api, profile.id));
  const replies = await Promise.all(launches);
  assert.deepEqual(statusesOf(replies), [202, 202, 202, 409, 409, 409, 409, 409]);
  const [refused] = replies.filter(({ status }) => status === 409);
  const ids = replies.filter(({ status }) => status === 202).map(({ text }) => String(JSON.parse(text).sweepId));
  const detail = String(JSON.parse(refused?.text ?? '').detail);
  assert.match(detail, /The profile has 3 open sweeps, the most allowed: .+ Wait until one has ended, or abort one\./);
  for (const id of ids) assert.ok(detail.includes(id));

  const others = await addProfiles(api, account.id, ['Second', 'Third', 'Fourth']);
  const more = await Promise.all(others.flatMap((id) => [1, 2, 3].map(() => launch(api, id))));
  assert.deepEqual(statusesOf(more), [...Array.from({ length: 7 }, () => 202), 409, 409]);
  const full = more.find(({ status }) => status === 409);
  assert.match(full?.text ?? '', /The account has 10 open sweeps, the most allowed, in the profiles First, /);

  const [sweepId = ''] = ids;
  const jobs = await jobsOf(api, 'run-sweep-unit');
  await api.call(abortSweep, { params: { id: profile.id, sweepId } });
  assert.equal(await jobsOf(api, 'run-sweep-unit'), jobs - 2, 'its jobs no longer delay those of others');
  assert.equal((await launch(api, profile.id)).status, 202);
  assert.equal((await api.call(readSweep, { params: { id: profile.id, sweepId } })).unitsDone, 0);
});

test('backtests have limits of their own', async () => {
  await using api = await open();
  const params = { id: (await api.addProfile('Tested', { symbols: [BTC.symbol] })).profile.id };
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => api.send(launchBacktest, { params, body: WINDOW })));
  assert.deepEqual(statusesOf(replies), [202, 202, 202, 409, 409]);
  const runId = String(JSON.parse(replies.find(({ status }) => status === 202)?.text ?? '').runId);
  await api.call(abortBacktest, { params: { ...params, runId } });
  await api.call(launchBacktest, { params, body: WINDOW });
  assert.equal((await launch(api, params.id)).status, 202);
});

test('in a demo one sweep of a profile may be open, with few jobs, and launches of ten minutes are counted', async () => {
  await using api = await openTestApi({
    liveDemo: true,
    async before({ kysely }) {
      const passwordHash = await hashPassword(PASSWORD);
      const user = await createOperator(kysely, { email: EMAIL, passwordHash, timezone: 'UTC' });
      assert.ok(user !== undefined);
      await createAccount(kysely, { userId: user.id, name: 'Paper', exchangeMode: 'testnet', endpoint: 'exchange' });
    },
  });
  await cacheRules(api, [BTC]);
  await cachePrice(api, BTC.symbol, '50000');
  const [account] = await api.database.kysely.selectFrom('accounts').select('id').execute();
  assert.ok(account !== undefined);
  const body = { accountId: account.id, name: 'Tested', strategyName: 'trailing-trade', symbols: [BTC.symbol] };
  const { profile } = await api.call(createProfile, { body });
  const params = { id: profile.id };
  assert.equal((await launch(api, profile.id, { knobs: MANY, search: 'random', count: 1_000 })).status, 422);
  const { sweepId } = await api.call(launchSweep, { params, body: FEW });
  assert.equal((await launch(api, profile.id)).status, 409);
  await api.call(abortSweep, { params: { ...params, sweepId } });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i++) {
    const reply = await launch(api, profile.id);
    statuses.push(reply.status);
    if (reply.status !== 202) continue;
    await api.call(abortSweep, { params: { ...params, sweepId: String(JSON.parse(reply.text).sweepId) } });
  }
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [202, 202, 202, 429, 429, 429],
  );
});
