import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PaperState } from '#core/installation/paper-market.ts';
import { signUp } from '#api/contract/session.ts';
import { changePaperMarket, readPaperMarket } from '#api/contract/paper-market.ts';
import { addOrder } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { EMAIL, PASSWORD, cookieOf } from '#test/api/test-api.ts';

let api: TestApi;
let state: PaperState | null = { market: 'invented', problem: null };
const wanted: string[] = [];
before(async () => {
  api = await openTestApi({
    paper: { state: () => state, change: (market) => wanted.push(market) },
    paperKey: { apiKey: 'key', secret: 'secret' },
  });
  api.cookie = cookieOf(await api.send(signUp, { body: { email: EMAIL, password: PASSWORD } }));
});
after(() => api[Symbol.asyncDispose]());

test('the market is shown, and a change is passed on and audited', async () => {
  assert.deepEqual(await api.call(readPaperMarket, {}), { paper: { market: 'invented', problem: null } });
  await api.call(changePaperMarket, { body: { market: 'two-months' } });
  assert.deepEqual(wanted, ['two-months']);
  const audited = await api.database.kysely
    .selectFrom('audit_logs')
    .select(['action', 'after'])
    .where('subject', '=', 'paper')
    .execute();
  assert.deepEqual(audited, [{ action: 'paper-market.change', after: 'two-months' }]);
});

test('past months are refused once a paper account has traded, another market while it has an open order', async () => {
  const { accounts } = await api.call(listAccounts, {});
  const accountId = accounts[0]?.id;
  assert.ok(accountId !== undefined);
  const body = { accountId, name: 'Traded', strategyName: 'trailing-trade' };
  const { profile } = await api.call(createProfile, { body });
  const order = { accountId, profileId: profile.id, symbol: 'BTCUSDT', side: 'buy', quantity: '1' } as const;
  await addOrder(api.database, { ...order, state: 'filled' });
  const past = await api.refusal(changePaperMarket, { body: { market: 'two-months' } });
  assert.match(past.detail ?? '', /has traded already/);
  await api.call(changePaperMarket, { body: { market: 'live' } });
  await addOrder(api.database, { ...order, state: 'open' });
  const open = await api.refusal(changePaperMarket, { body: { market: 'invented' } });
  assert.match(open.detail ?? '', /0 positions and 1 open orders/);
});

test('an installation without its own paper exchange has no market to change', async () => {
  state = null;
  assert.deepEqual(await api.call(readPaperMarket, {}), { paper: null });
  assert.equal((await api.refusal(changePaperMarket, { body: { market: 'live' } })).status, 409);
});
