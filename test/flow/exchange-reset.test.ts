import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confirmReset, readAccount } from '#api/contract/accounts.ts';
import { readCoin } from '#api/contract/profiles.ts';
import { listActionLogs } from '#api/contract/records.ts';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import { createResetWatch } from '#engine/account/epoch.ts';
import { ExchangeReset } from '#engine/state/ends-run.ts';
import { createMarketReader } from '#exchange/read.ts';
import { refoldPosition } from '#storage/trading/fills.ts';
import { walletSums } from '#storage/trading/ledger.ts';
import { drillTiming } from '#test/faults/fault-table.ts';
import { openAccountBench } from './account-bench.ts';
import { startProfile } from './profile.ts';
import { openStack, type Stack } from './stack.ts';
import { swingingMarket } from './trading.contract.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';

async function control({ paper }: Stack, path: string, body?: object): Promise<void> {
  const text = body === undefined ? null : JSON.stringify(body);
  const reply = await fetch(`${paper.controlUrl}${path}`, {
    ...{ method: 'POST', headers: paper.controlHeaders, body: text },
  });
  assert.equal(reply.status, 200, await reply.text());
}

/** While the exchange does not say whether it knows the orders, the account trades on. */
async function tradeUndecided(stack: Stack, profileId: ProfileId): Promise<void> {
  await stack.stopWorker();
  await stack.database.pool.query(`update orders set send_before = send_before - interval '1 minute'`);
  const match = { method: 'GET', path: '/api/v3/order' };
  await control(stack, '/faults', [{ match, kind: 'fail-before', status: 500, body: {}, times: 1000 }]);
  const newest = async () =>
    (await (await stack.fetch(`/profiles/${profileId}/tick-trace?limit=1`)).json()).entries[0]?.id;
  const before = await newest();
  await stack.startWorker();
  await until('a decision', async () => (await newest()) !== before);
  assert.equal(
    (await fetch(`${stack.paper.controlUrl}/faults`, { method: 'DELETE', headers: stack.paper.controlHeaders })).status,
    200,
  );
}

/** Orders, positions and ledger of the first epoch. */
async function assertVoid(stack: Stack, profileId: ProfileId): Promise<void> {
  const { kysely } = stack.database;
  const old = await kysely.selectFrom('orders').selectAll().where('epoch', '=', 1).execute();
  assert.ok(old.length >= 2);
  assert.deepEqual(
    old.filter(({ state }) => LIVE_ORDER_STATES.some((live) => live === state)),
    [],
  );
  const rules = (await createMarketReader({ restUrl: stack.paper.url }).rules()).find(
    ({ symbol }) => symbol === SYMBOL,
  );
  assert.ok(rules !== undefined);
  const folded = await refoldPosition(kysely, { profileId, symbol: SYMBOL }, { rules, cooldownMs: 0 });
  const stored = await kysely.selectFrom('runner_states').selectAll().executeTakeFirst();
  assert.deepEqual([formatDecimal(folded.quantity), Number(stored?.quantity), stored?.first_buy_at], ['0', 0, null]);
  assert.deepEqual(await walletSums(kysely, { id: stack.accountId, epoch: 1 }, ['wallet']), []);
}

test('a reset of the exchange voids what it took away, asks the operator, and trading goes on with ids that come again', async () => {
  const { folder, fromMs } = swingingMarket();
  const worker = { timing: drillTiming(4) };
  await using stack = await openStack({ source: { kind: 'replay', folder }, fromMs, speed: 2400, worker });
  const { kysely } = stack.database;
  const params = { id: stack.accountId };
  const profileId = await startProfile(stack, [SYMBOL]);
  const account = () => stack.call(readAccount, { params });
  const epochOf = () => kysely.selectFrom('accounts').select('epoch').executeTakeFirstOrThrow();
  const ordersOf = (epoch: number) => kysely.selectFrom('orders').selectAll().where('epoch', '=', epoch).execute();
  const runner = () => kysely.selectFrom('runner_states').selectAll().executeTakeFirst();
  const cycles = async () => (await kysely.selectFrom('closed_cycles').selectAll().execute()).length;
  await until('a closed cycle, and then something held', async () => {
    const held = requireDecimal((await runner())?.quantity ?? '0');
    return held > requireDecimal('0.0001') && (await cycles()) > 0;
  });
  await tradeUndecided(stack, profileId);
  assert.equal((await account()).resetAt, null);

  await control(stack, '/profile', { profile: 'testnet' });
  await control(stack, '/wipe');
  await until('the reset to be noticed', async () => (await account()).resetAt !== null);
  assert.equal((await epochOf()).epoch, 2);
  await assertVoid(stack, profileId);

  const asked = `select data -> 'notification' ->> 'text' as text from pgboss.job
    where name = 'notify' and data -> 'notification' ->> 'event' = 'exchange-reset'`;
  const told = async () => (await stack.database.pool.query<{ text: string }>(asked)).rows;
  await until('the operator is told', async () => (await told()).length === 1);
  const { text } = (await told())[0] ?? assert.fail('told just now');
  assert.match(text, /knows none of the account's earlier orders.* The worker buys nothing until you confirm/);
  await until('a buy to be refused', async () => {
    const { coin } = await stack.call(readCoin, { params: { id: profileId, symbol: SYMBOL } });
    return coin.state?.approval.reason === 'halt-exchange-reset';
  });
  assert.deepEqual(await ordersOf(2), []);
  const { rows } = await stack.call(listActionLogs, { params: { id: profileId } });
  assert.ok(rows.some(({ msg }) => msg.startsWith('The exchange knows none')));

  assert.equal((await stack.call(confirmReset, { params })).resetAt, null);
  await assert.rejects(stack.call(confirmReset, { params }), /409.*has no unconfirmed reset/);
  const fills = (epoch: number) =>
    kysely.selectFrom('fills').select(['exchange_order_id', 'symbol']).where('epoch', '=', epoch).execute();
  await until('fills in the new epoch', async () => (await fills(2)).length >= 2);
  const ids = new Set((await ordersOf(1)).map((order) => order.exchange_order_id));
  await until('ids of the old epoch to come again', async () =>
    (await fills(2)).some((fill) => ids.has(fill.exchange_order_id)),
  );
  const audit = kysely.selectFrom('audit_logs').select('before').where('action', '=', 'account.confirm-reset');
  assert.equal((await audit.execute()).length, 1);
  assert.equal((await epochOf()).epoch, 2, 'one reset, one epoch');
});

test('only a reset counts as one: not an absence that was just said, nor failing reads, nor a cancel by hand', async () => {
  // The account's own watch looks once the stream is back: later than this test.
  await using on = await openAccountBench({ timing: { firstDelayMs: 60_000, longestDelayMs: 60_000 } });
  const { context } = on.running;
  const look = (): Promise<void> => createResetWatch(context).look();
  const ask = { method: 'GET', path: '/api/v3/order' };
  await look();
  const absent = { match: ask, kind: 'fail-before', status: 400, body: { code: -2013, msg: 'Order does not exist.' } };
  const lookWhileAbsent = async (): Promise<void> => {
    await on.database.pool.query(`update orders set send_before = send_before - interval '1 minute'`);
    await look();
    await on.control('POST', '/faults', [{ ...absent, times: 100 }]);
    await look();
    await on.control('DELETE', '/faults');
  };
  const { clientOrderId } = await on.rest('0.9');
  await lookWhileAbsent();
  await on.rest('0.8');
  await lookWhileAbsent();
  await on.control('POST', '/faults', [{ match: ask, kind: 'fail-before', status: 500, body: {}, times: 100 }]);
  await assert.rejects(look(), /Order \d+ of BTCUSDT/);
  await on.control('DELETE', '/faults');
  assert.equal((await on.trading.cancel(SYMBOL, clientOrderId, 'web_by_hand')).kind, 'accepted');
  await look();
  const epoch = () => on.database.kysely.selectFrom('accounts').select('epoch').executeTakeFirstOrThrow();
  assert.equal((await epoch()).epoch, 1);

  await on.control('POST', '/profile', { profile: 'testnet' });
  await on.control('POST', '/wipe');
  await assert.rejects(look(), ExchangeReset);
  assert.equal((await epoch()).epoch, 2);
});
