import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { NOT_HELD_NOTE } from '#core/position/cost-basis.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import {
  bindCoin,
  deleteAverageEntryPrice,
  disableProfile,
  enableProfile,
  listCoins,
  readCoin,
  setAverageEntryPrice,
} from '#api/contract/profiles.ts';
import { problemOf, type Reply, openTestApi, type TestApi } from '#test/api/test-api.ts';
import { BTC, cachePrice, cacheRules, ETH, holdPosition } from '#test/api/test-records.ts';

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
  await cacheRules(api, [BTC, ETH]);
});
afterEach(() => api[Symbol.asyncDispose]());

const SYMBOL = 'BTCUSDT';
const averageEntryPrice = '42000.5';

/** The worker's snapshot, `ageMs` old: `null` for no snapshot, text for the free amount of BTC. */
async function keepWallet(accountId: AccountId, free: string | null, ageMs = 0): Promise<void> {
  if (free === null) return;
  const keptAt = new Date(api.now().getTime() - ageMs).toISOString();
  const balances = { ...(free === '0' ? {} : { BTC: { free, locked: '0' } }), USDT: { free: '10', locked: '0' } };
  await api.cache.set(cacheKeys.wallet(accountId), JSON.stringify({ at: keptAt, keptAt, balances }));
}

const jobs = async (): Promise<unknown[]> =>
  (await api.database.pool.query(`select id, data from pgboss.job where name = 'apply-avg-entry-price'`)).rows;
const basisOf = async (profileId: ProfileId) =>
  (await api.call(readCoin, { params: { id: profileId, symbol: SYMBOL } })).coin.costBasis;
const requested = (quantity: string) => ({ averageEntryPrice, quantity, note: null });

interface Row {
  readonly path: 'later' | 'add symbol';
  readonly profile: 'enabled' | 'disabled';
  /** Free BTC and age of the snapshot. */
  readonly wallet: readonly [free: string | null, ageMs?: number];
  readonly recorded: string | null;
  readonly answer: 201 | 202 | 502;
  readonly quantity?: string;
  readonly words?: RegExp;
}

const ROWS: Readonly<Record<string, Row>> = {
  "later | enabled | usable | any | 202 | the snapshot's": {
    ...{ path: 'later', profile: 'enabled', wallet: ['0.75'], recorded: '0.5' },
    ...{ answer: 202, quantity: '0.75' },
  },
  "later | enabled | usable (also zero) | any | 202 | the snapshot's (zero = price marker)": {
    ...{ path: 'later', profile: 'enabled', wallet: ['0'], recorded: '0.5' },
    ...{ answer: 202, quantity: '0' },
  },
  "later | enabled, any | none (a minute old) | yes | 202 | the row's": {
    ...{ path: 'later', profile: 'enabled', wallet: ['0.75', 60_000], recorded: '0.5' },
    ...{ answer: 202, quantity: '0.5' },
  },
  "later | enabled | usable (just under a minute old) | any | 202 | the snapshot's": {
    ...{ path: 'later', profile: 'enabled', wallet: ['0.75', 59_999], recorded: null },
    ...{ answer: 202, quantity: '0.75' },
  },
  'later | any | none | no | 502': {
    ...{ path: 'later', profile: 'enabled', wallet: [null], recorded: null },
    ...{ answer: 502, words: /not saved.*no quantity is recorded.*worker runs/ },
  },
  'later | any | none | a row with quantity zero counts as no row | 502': {
    ...{ path: 'later', profile: 'enabled', wallet: [null], recorded: '0' },
    ...{ answer: 502, words: /no quantity is recorded/ },
  },
  'later | disabled or just adopted | any | yes | 202 | snapshot if usable': {
    ...{ path: 'later', profile: 'disabled', wallet: ['0.75'], recorded: '0.5' },
    ...{ answer: 202, quantity: '0.75' },
  },
  "later | disabled or just adopted | any | yes | 202 | else the row's": {
    ...{ path: 'later', profile: 'disabled', wallet: [null], recorded: '0.5' },
    ...{ answer: 202, quantity: '0.5' },
  },
  'later | disabled | not usable by definition | no | 502': {
    ...{ path: 'later', profile: 'disabled', wallet: ['0.75'], recorded: null },
    ...{ answer: 502, words: /profile is disabled.*Enable the profile/ },
  },
  "add symbol | enabled | usable | - | 201 | the snapshot's": {
    ...{ path: 'add symbol', profile: 'enabled', wallet: ['0.75'], recorded: null },
    ...{ answer: 201, quantity: '0.75' },
  },
  'add symbol | enabled | none | - | 502, symbol not added': {
    ...{ path: 'add symbol', profile: 'enabled', wallet: [null], recorded: null },
    ...{ answer: 502, words: /was not added.*worker runs/ },
  },
  'add symbol | disabled | - | - | 502 with "enable the profile first", symbol not added': {
    ...{ path: 'add symbol', profile: 'disabled', wallet: ['0.75'], recorded: null },
    ...{ answer: 502, words: /Enable the profile first/ },
  },
};

async function prepare(row: Row): Promise<{ profileId: ProfileId; send: () => Promise<Reply> }> {
  const later = row.path === 'later';
  const { account, profile } = await api.addProfile('Held', later ? { symbols: [SYMBOL] } : {});
  const params = { id: profile.id };
  if (row.profile === 'enabled') await api.call(enableProfile, { params });
  await keepWallet(account.id, ...row.wallet);
  if (row.recorded !== null) {
    await holdPosition(api.database, {
      ...{ profileId: profile.id, symbol: SYMBOL, quantity: row.recorded, averagePrice: '30000' },
    });
  }
  const send = (): Promise<Reply> =>
    later
      ? api.send(setAverageEntryPrice, { params: { ...params, symbol: SYMBOL }, body: { averageEntryPrice } })
      : api.send(bindCoin, { params, body: { symbol: SYMBOL, averageEntryPrice } });
  return { profileId: profile.id, send };
}

for (const [name, row] of Object.entries(ROWS)) {
  test(name, async () => {
    const { profileId, send } = await prepare(row);
    const before = row.path === 'later' ? await basisOf(profileId) : null;
    const reply = await send();
    assert.equal(reply.status, row.answer, reply.text);
    const queued = await jobs();
    if (row.answer !== 502) {
      assert.deepEqual(await basisOf(profileId), requested(row.quantity ?? ''));
      assert.deepEqual(queued.length, 1);
      assert.match(JSON.stringify(queued[0]), new RegExp(`"profileId":"${profileId}"`));
      if (row.answer === 202) assert.match(JSON.stringify(queued[0]), new RegExp(JSON.parse(reply.text).jobId));
      return;
    }
    const problem = problemOf(reply);
    assert.equal(problem.code, 'no_quantity');
    assert.match(problem.detail, row.words ?? /^$/);
    assert.deepEqual(queued, []);
    if (row.path === 'later') assert.deepEqual(await basisOf(profileId), before);
    else assert.deepEqual((await api.call(listCoins, { params: { id: profileId } })).coins, []);
  });
}

test('DELETE answers 202 with the job id, also when nothing was there, and the row is gone', async () => {
  const { profile } = await api.addProfile('Gone', { symbols: [SYMBOL] });
  const params = { id: profile.id, symbol: SYMBOL };
  assert.match((await api.call(deleteAverageEntryPrice, { params })).jobId, /^[0-9a-f-]{36}$/);
  await holdPosition(api.database, { profileId: profile.id, symbol: SYMBOL, quantity: '1', averagePrice: '5' });
  assert.match((await api.call(deleteAverageEntryPrice, { params })).jobId, /^[0-9a-f-]{36}$/);
  assert.equal(await basisOf(profile.id), null);
  assert.equal((await jobs()).length, 2);
});

test('setting and deleting a price is audited with what it replaces', async () => {
  const { profile } = await api.addProfile('Audited', { symbols: [SYMBOL] });
  const params = { id: profile.id, symbol: SYMBOL };
  await holdPosition(api.database, { profileId: profile.id, symbol: SYMBOL, quantity: '1', averagePrice: '5' });
  await api.call(setAverageEntryPrice, { params, body: { averageEntryPrice } });
  await api.call(deleteAverageEntryPrice, { params });
  const query = api.database.kysely.selectFrom('audit_logs').select(['action', 'before', 'after']).orderBy('at');
  const rows = await query.where('action', 'like', 'average-entry-price.%').execute();
  const saved = { averageEntryPrice, quantity: '1' };
  assert.deepEqual(rows, [
    { action: 'average-entry-price.set', before: { averageEntryPrice: '5', quantity: '1' }, after: saved },
    { action: 'average-entry-price.delete', before: saved, after: null },
  ]);
});

test('prices that are none, coins that are not bound and unknown fields are refused, and nothing is enqueued', async () => {
  const { profile } = await api.addProfile('Refused', { symbols: [SYMBOL] });
  const params = { id: profile.id, symbol: SYMBOL };
  for (const text of ['0', '-1', '1e5', '', 'x', '0.0000000000000000001', '1'.repeat(41)]) {
    const body = { averageEntryPrice: text };
    const problem = await api.refusal(setAverageEntryPrice, { params, body });
    assert.deepEqual([problem.status, problem.errors?.[0]?.path], [422, 'averageEntryPrice'], text);
    const added = await api.refusal(bindCoin, { params, body: { symbol: 'ETHUSDT', ...body } });
    assert.equal(added.errors?.[0]?.path, 'averageEntryPrice');
  }
  const foreign = { ...params, symbol: 'ETHUSDT' };
  const absent = await api.refusal(setAverageEntryPrice, { params: foreign, body: { averageEntryPrice } });
  assert.equal(absent.code, 'not_found');
  assert.equal((await api.refusal(deleteAverageEntryPrice, { params: foreign })).code, 'not_found');
  assert.deepEqual(await jobs(), []);
});

test('the note is shown with the recorded price, and without unrealised P&L', async () => {
  const { account, profile } = await api.addProfile('Noted', { symbols: [SYMBOL] });
  await cachePrice(api, SYMBOL, '50000');
  await holdPosition(api.database, {
    profileId: profile.id,
    symbol: SYMBOL,
    quantity: '0.00002',
    averagePrice: '40000',
  });
  await api.database.kysely.updateTable('runner_states').set({ cost_basis_note: NOT_HELD_NOTE }).execute();
  await keepWallet(account.id, '0.00003');
  const { coin } = await api.call(readCoin, { params: { id: profile.id, symbol: SYMBOL } });
  assert.equal(NOT_HELD_NOTE, 'Not held — nothing sellable backs this cost basis');
  assert.deepEqual(coin.costBasis, { averageEntryPrice: '40000', quantity: '0.00002', note: NOT_HELD_NOTE });
  assert.deepEqual([coin.position.unrealised, coin.untracked], [null, '0.00001']);
});

test('what the wallet holds beyond the position is shown as untracked, dust and unknown amounts are not', async () => {
  const { account, profile } = await api.addProfile('Untracked', { symbols: [SYMBOL] });
  const untracked = async () =>
    (await api.call(readCoin, { params: { id: profile.id, symbol: SYMBOL } })).coin.untracked;
  await holdPosition(api.database, { profileId: profile.id, symbol: SYMBOL, quantity: '0.5', averagePrice: '1' });
  assert.equal(await untracked(), null);
  await keepWallet(account.id, '0.75');
  assert.equal(await untracked(), null, 'without a price the value is unknown');
  await cachePrice(api, SYMBOL, '50000');
  assert.equal(await untracked(), '0.25');
  await keepWallet(account.id, '0.500001');
  assert.equal(await untracked(), null, 'less than one step');
});

test('the price of a coin on a disabled profile can be deleted', async () => {
  const { profile } = await api.addProfile('Off', { symbols: [SYMBOL] });
  await api.call(disableProfile, { params: { id: profile.id } });
  await api.call(deleteAverageEntryPrice, { params: { id: profile.id, symbol: SYMBOL } });
});
