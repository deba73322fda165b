import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccount, deleteAccount, deleteApiKey, readWallet, saveApiKey } from '#api/contract/accounts.ts';
import { setKillSwitch } from '#api/contract/halts.ts';
import { adoptOrphanOrder, leaveOrphanOrder, listOrphanOrders } from '#api/contract/orphans.ts';
import { bindCoin, deleteProfile, listProfiles, readCoin, readProfile, unbindCoin } from '#api/contract/profiles.ts';
import { control } from '#test/paper/test-server.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { detect, openOutside, outcomeOf, ownId } from './outside.ts';
import { LIVELY, startProfile } from './profile.ts';
import { KEY, openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

/** Never buys automatically. */
const PATIENT = { ...LIVELY, buy: { ...LIVELY.buy, gridLevels: [{ triggerPercentage: '0.5' }] } };
const ILLEGAL = { ...PATIENT, buy: { ...PATIENT.buy, candleLimit: 1500 } };

const openPatient = async (symbols = ['BTCUSDT', 'ETHUSDT']) => {
  const stack = await openStack({ source: { kind: 'synthetic' } });
  const profileId = await startProfile(stack, symbols, { config: PATIENT });
  return { stack, profileId, outside: openOutside(stack) };
};

/** Makes the profile track an order that rests, as if it had placed it. */
async function track(stack: Stack, clientOrderId: string): Promise<void> {
  const row = (await detect(stack)).find((one) => one.clientOrderId === clientOrderId);
  assert.ok(row !== undefined);
  const params = { id: stack.accountId, symbol: row.symbol, orderId: row.orderId };
  assert.equal((await outcomeOf(stack, await stack.call(adoptOrphanOrder, { params }))).state, 'done');
}

const deleted = async (stack: Stack) =>
  stack.database.kysely
    .selectFrom('audit_logs')
    .select(['subject', 'after'])
    .where('action', '=', 'profile.deleted')
    .executeTakeFirstOrThrow();

test('deleting a profile cancels what is recorded and what it provably owns, and nothing else', async () => {
  const { stack, profileId, outside } = await openPatient();
  await using _open = stack;
  const ids = { recorded: ownId(profileId, 'manual'), unbound: ownId(profileId, 'entry', 'ETHUSDT') };
  await outside.restBuy(ids.recorded);
  await track(stack, ids.recorded);
  await stack.call(unbindCoin, { params: { id: profileId, symbol: 'ETHUSDT' } });
  await outside.restBuy(ids.unbound, 'ETHUSDT');
  await outside.restBuy(ownId(profileId, 'exit'));
  await outside.restBuy('web_foreign');
  const params = { id: profileId };
  const action = await outcomeOf(stack, await stack.call(deleteProfile, { params }));
  assert.deepEqual([action.state, action.reason], ['done', null]);
  assert.deepEqual(outside.resting(), ['web_foreign']);
  await assert.rejects(stack.call(readProfile, { params }), /404/);
  const states = await stack.database.kysely.selectFrom('orders').select('state').execute();
  assert.deepEqual(states, [{ state: 'cancelled' }]);
  const { orphans } = await stack.call(listOrphanOrders, { params: { id: stack.accountId } });
  assert.deepEqual(
    orphans.filter(({ state }) => state === 'open').map(({ clientOrderId }) => clientOrderId),
    ['web_foreign'],
  );
});

test('a config that cannot be parsed proves nothing: unrecorded orders stay as orphans, reported except for an unbound flat coin', async () => {
  const { stack, profileId, outside } = await openPatient();
  await using _open = stack;
  const ids = {
    recorded: ownId(profileId, 'manual'),
    told: ownId(profileId, 'exit'),
    untold: ownId(profileId, 'entry', 'ETHUSDT'),
  };
  await outside.restBuy(ids.recorded);
  await track(stack, ids.recorded);
  await stack.call(unbindCoin, { params: { id: profileId, symbol: 'ETHUSDT' } });
  const config = JSON.stringify(ILLEGAL);
  await stack.database.kysely.updateTable('profiles').set({ config }).where('id', '=', profileId).execute();
  await outside.restBuy(ids.told);
  await outside.restBuy(ids.untold, 'ETHUSDT');
  const row = (await detect(stack)).find((one) => one.clientOrderId === ids.told);
  assert.ok(row !== undefined);
  assert.match(row.owner.evidence, /cannot be parsed by the profile's strategy \(buy\.candleLimit: .*999/);
  const adopting = { id: stack.accountId, symbol: 'BTCUSDT', orderId: row.orderId };
  await assert.rejects(
    stack.call(adoptOrphanOrder, { params: adopting }),
    /409.*cannot be parsed by the profile's strategy/,
  );
  const action = await outcomeOf(stack, await stack.call(deleteProfile, { params: { id: profileId } }));
  assert.equal(action.state, 'done');
  assert.deepEqual(outside.resting().toSorted(), [ids.told, ids.untold].toSorted());
  const log = await deleted(stack);
  assert.equal(log.subject, profileId);
  const left = [{ symbol: 'BTCUSDT', exchangeOrderId: row.orderId, clientOrderId: ids.told }];
  assert.deepEqual(log.after, { cancelledUnrecorded: [], leftAsOrphans: left });
});

test('an orphan of its base keeps a profile from buying until it is left; with a position it is deleted only with leavePositions', async () => {
  const stack = await openStack({ source: { kind: 'synthetic' } });
  await using _open = stack;
  const outside = openOutside(stack);
  await until(
    'the account to run',
    async () => (await stack.call(readWallet, { params: { id: stack.accountId } })) !== null,
  );
  await outside.restBuy('web_first');
  const [orphan] = await detect(stack);
  assert.ok(orphan !== undefined);
  const eager = { ...LIVELY, buy: { ...LIVELY.buy, gridLevels: [{ triggerPercentage: '1.05' }] } };
  const id = await startProfile(stack, ['BTCUSDT'], {
    config: { ...eager, sell: { ...eager.sell, stopLossPercentage: '0.8' } },
  });
  const params = { id };
  const refused = async () => {
    const { state, blockers } = (await stack.call(readCoin, { params: { id, symbol: 'BTCUSDT' } })).coin;
    return state?.approval.reason === 'base-locked-by-orphan' && blockers.length === 1;
  };
  await until('the orphan to be the reason', refused);
  const target = { id: stack.accountId, symbol: 'BTCUSDT', orderId: orphan.orderId };
  await stack.call(leaveOrphanOrder, { params: target });
  await until('a stop to rest', () => outside.resting().length > 1);
  // Unbound with its stop cancelled, the coin is managed again where it was left once it is bound again.
  const coin = { id, symbol: 'BTCUSDT' };
  await assert.rejects(stack.call(unbindCoin, { params: coin }), /409.*1 open position and 1 live order/);
  const unbound = await stack.call(unbindCoin, { params: coin, query: { cancelOrders: 'true' } });
  assert.equal((await outcomeOf(stack, unbound)).state, 'done');
  assert.deepEqual(outside.resting(), ['web_first']);
  await stack.call(bindCoin, { params, body: { symbol: 'BTCUSDT' } });
  await until('its stop to rest again', () => outside.resting().length > 1);
  const refusal = /409.*1 open position and 1 live order \(BTCUSDT 0\.\d+ bought at \d+.*, BTCUSDT 1 live order\)/;
  await assert.rejects(stack.call(deleteProfile, { params }), refusal);
  await stack.database.kysely
    .updateTable('profiles')
    .set({ config: JSON.stringify({ ...ILLEGAL }) })
    .where('id', '=', id)
    .execute();
  const asked = await stack.call(deleteProfile, { params, query: { leavePositions: 'true' } });
  assert.equal((await outcomeOf(stack, asked)).state, 'done');
  assert.deepEqual(outside.resting(), ['web_first']);
  assert.deepEqual((await stack.call(listProfiles, {})).profiles, []);
});

test('a stop whose answer was lost is waited for: the profile goes only once it is proven and cancelled', async () => {
  const stack = await openStack({ source: { kind: 'synthetic' } });
  await using _open = stack;
  const outside = openOutside(stack);
  const match = { method: 'POST', path: '/api/v3/order', text: 'type=STOP_LOSS_LIMIT' };
  await control(stack.paper, 'POST /faults', [{ match, kind: 'apply-then-fail', times: 1 }]);
  const eager = { ...LIVELY, buy: { ...LIVELY.buy, gridLevels: [{ triggerPercentage: '1.05' }] } };
  const id = await startProfile(stack, ['BTCUSDT'], { config: eager });
  await until('a stop to rest', () => outside.resting().length > 0);
  const asked = await stack.call(deleteProfile, { params: { id }, query: { leavePositions: 'true' } });
  const action = await outcomeOf(stack, asked);
  assert.deepEqual([action.state, action.reason], ['done', null]);
  assert.deepEqual(outside.resting(), []);
  const stops = stack.database.kysely.selectFrom('orders').select('state').where('purpose', '=', 'stop').execute();
  assert.ok((await stops).every(({ state }) => state === 'cancelled'));
});

test('unbinding, a kill switch, a sweep, a restart and the deletion of an account leave an orphan alone', async () => {
  const { stack, profileId, outside } = await openPatient();
  await using _open = stack;
  const own = ownId(profileId, 'entry');
  await outside.restBuy(own);
  await outside.restBuy('web_foreign', 'ETHUSDT');
  const rests = async (when: string): Promise<void> => {
    const open = (await detect(stack)).filter(({ state }) => state === 'open');
    assert.deepEqual(open.map(({ clientOrderId }) => clientOrderId).toSorted(), [own, 'web_foreign'].toSorted(), when);
    assert.deepEqual(outside.resting().toSorted(), [own, 'web_foreign'].toSorted(), when);
  };
  await rests('found');
  await stack.call(setKillSwitch, { body: { engaged: true, cancelEntryOrders: true, freeze: true } });
  await rests('kill switch');
  await stack.call(setKillSwitch, { body: { engaged: false } });
  const log = { warn: () => undefined, error: () => undefined };
  await using queue = await openQueue(stack.database.pool.options.connectionString ?? '', { log, works: false });
  for (const _twice of [1, 2]) {
    const job = await queue.enqueue('reconcile-positions', { accountId: stack.accountId });
    const state = async () =>
      (await stack.database.pool.query('select state from pgboss.job where id = $1', [job])).rows;
    await until('a sweep', async () => (await state())[0]?.state === 'completed');
  }
  await rests('sweep');
  for (const symbol of ['BTCUSDT', 'ETHUSDT'])
    await stack.call(unbindCoin, { params: { id: profileId, symbol }, query: { cancelOrders: 'true' } });
  await rests('unbinding');
  await stack.stopWorker();
  await stack.startWorker();
  await rests('restart');
  const second = await stack.call(createAccount, {
    body: { name: 'Second', exchangeMode: 'testnet', endpoint: 'paper' },
  });
  // A key belongs to one account.
  await stack.call(deleteApiKey, { params: { id: stack.accountId } });
  await stack.call(saveApiKey, { params: { id: second.id }, body: KEY });
  await until('the account to see them too', async () => (await detect(stack, second.id)).length === 2);
  await stack.call(deleteAccount, { params: { id: second.id } });
  await rests('deletion of an account');
});
