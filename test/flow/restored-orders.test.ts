import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { newId } from '#core/ids.ts';
import type { ActionOutcome } from '#core/order/operator-action.ts';
import { lockOf } from '#core/account/orphan.ts';
import type { OperatorRequest } from '#engine/state/operator-request.ts';
import { restoreBackup } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import { acquireLease } from '#storage/postgres/leases.ts';
import { databaseTime, recordOrphans } from '#storage/trading/orphan-orders.ts';
import { enter, type Guarded, openGuarded, ordersOf, stopsOf, SYMBOL } from './guarded.ts';
import { openHands, ownId } from './outside.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';

const folder = mkdtempSync(join(tmpdir(), 'tradewind-restored-orders-'));
after(() => rmSync(folder, { recursive: true }));
const FORCE: OperatorRequest = { kind: 'force-sell' };
const PROMPT_MS = 10_000;

async function backUp(on: Guarded): Promise<string> {
  const path = join(folder, newId());
  await takeBackup(on.database, path);
  return path;
}

/** Puts the backup back and starts the account on it, as the next worker would. */
async function restore(on: Guarded, path: string): Promise<void> {
  await on.stop();
  await restoreBackup(on.database, path);
  const { accountId } = on.owner;
  const lease = await acquireLease(on.database, { accountId, holder: 'worker-1', ttlMs: 3_600_000 });
  await on.start(lease?.fencing);
  await on.trade('1');
}

/** Moves the stop up, so that the exchange knows it by another id. */
async function trailTo(on: Guarded, share: string): Promise<void> {
  on.wheel.stop = on.ticks(share);
  await on.tick();
  const price = formatDecimal(on.at(share));
  await until(`the stop to rest at ${share}`, () =>
    stopsOf(on).some(({ stopPrice }) => formatDecimal(stopPrice) === price),
  );
}

/** A position whose stop has moved twice since the backup was taken. */
async function trailed(on: Guarded): Promise<string> {
  await enter(on);
  const path = await backUp(on);
  await trailTo(on, '0.98');
  await trailTo(on, '0.985');
  return path;
}

function ask(on: Guarded, request: OperatorRequest): Promise<ActionOutcome> {
  const [runner] = on.running().coins.all();
  assert.ok(runner !== undefined);
  return runner.act({ id: newId(), request, deadlineMs: performance.now() + 60_000, clientOrderId: null });
}

const flat = (on: Guarded): Promise<boolean> =>
  until(
    'the position to be sold',
    () => on.coin().position.firstBuyAt === null && on.coin().live.size === 0,
    PROMPT_MS,
  );
const sales = (on: Guarded): string[] =>
  ordersOf(on).flatMap(({ side, type, status }) => (side === 'SELL' ? [`${type} ${status}`] : []));
const MOVED = ['STOP_LOSS_LIMIT CANCELED', 'STOP_LOSS_LIMIT CANCELED'];

/** Every execution of the exchange is booked once, and every order of it is recorded as it ended. */
async function assertBooked(on: Guarded): Promise<void> {
  const fills = await on.database.kysely.selectFrom('fills').select(['exchange_order_id', 'quantity']).execute();
  const plain = (text: string): string => formatDecimal(requireDecimal(text));
  assert.deepEqual(
    fills.map((row) => `${row.exchange_order_id} ${plain(row.quantity)}`).toSorted(),
    [...on.paper.venue.engine.orders.fillsByOwner.values()]
      .flat()
      .map(({ orderId, quantity }) => `${orderId} ${formatDecimal(quantity)}`)
      .toSorted(),
  );
}

test('after a restore the strategy sells in the place of a stop that the backup does not know', async () => {
  await using on = await openGuarded();
  await restore(on, await trailed(on));
  on.wheel.want = 'sell';
  await on.tick();
  await flat(on);
  assert.deepEqual(sales(on), [...MOVED, 'STOP_LOSS_LIMIT CANCELED', 'MARKET FILLED']);
  await assertBooked(on);
});

test('after a restore a position can be sold by hand at once', async () => {
  await using on = await openGuarded();
  await restore(on, await trailed(on));
  const { state, reason } = await ask(on, FORCE);
  assert.equal(state, 'done', reason ?? '');
  await flat(on);
  assert.deepEqual(sales(on), [...MOVED, 'STOP_LOSS_LIMIT CANCELED', 'MARKET FILLED']);
  await assertBooked(on);
});

test('a stop that the backup does not know and that fills right after the restore is booked at once', async () => {
  await using on = await openGuarded();
  await restore(on, await trailed(on));
  await on.trade('0.984');
  assert.deepEqual(sales(on), [...MOVED, 'STOP_LOSS_LIMIT FILLED']);
  await flat(on);
  await assertBooked(on);
});

test('after a restore exactly one stop rests: the newest is adopted and kept, the one of the backup is gone', async () => {
  await using on = await openGuarded();
  const path = await trailed(on);
  const [newest] = stopsOf(on);
  await restore(on, path);
  await until('the stops to be known', () => on.coin().live.size === 1, PROMPT_MS);
  await on.tick();
  assert.deepEqual(
    stopsOf(on).map(({ id }) => id),
    [newest?.id],
  );
  assert.equal(on.coin().guard.unprotected, null);
  const [adopted] = on.logs.filter(({ ctx }) => JSON.stringify(ctx).includes('"order_adopted"'));
  assert.match(
    adopted?.msg ?? '',
    /^An order of this profile was .* not in the database\. It is recorded now: stop of/,
  );
  await trailTo(on, '0.99');
  assert.deepEqual(sales(on), [...MOVED, 'STOP_LOSS_LIMIT CANCELED', 'STOP_LOSS_LIMIT NEW']);
});

test('after a restore a buy that waits is adopted and withdrawn, since nothing recorded says what it was for', async () => {
  await using on = await openGuarded();
  const path = await backUp(on);
  on.wheel.form = { type: 'maker', limit: on.ticks('0.95') };
  on.wheel.want = 'buy';
  await on.tick();
  await until('the buy to wait', () => ordersOf(on).length === 1);
  on.wheel.want = null;
  await restore(on, path);
  await until('the buy to be withdrawn', () => ordersOf(on)[0]?.status === 'CANCELED', PROMPT_MS);
  assert.deepEqual(ordersOf(on).length, 1);
});

test('an order by hand that the backup does not know rests on, and can be cancelled by hand', async () => {
  await using on = await openGuarded();
  const path = await backUp(on);
  const size = { by: 'quantity', amount: requireDecimal('0.002') } as const;
  await ask(on, { kind: 'order', side: 'buy', limit: on.at('0.9'), size });
  await restore(on, path);
  const [live] = await until(
    'the order to be adopted',
    () => on.coin().live.size === 1 && [...on.coin().live.values()],
  );
  assert.ok(live !== undefined);
  assert.equal((await ask(on, { kind: 'cancel', orderId: live.record.id })).state, 'done');
  assert.deepEqual(
    ordersOf(on).map(({ status }) => status),
    ['CANCELED'],
  );
});

test('settings that cannot be parsed prove nothing: a sale names the order that locks the coins, until they can', async () => {
  await using on = await openGuarded();
  const save = (config: string) => on.database.kysely.updateTable('profiles').set({ config }).execute();
  await save('{"a":"not a number"}');
  await on.running().refreshProfiles();
  await on.trade('1');
  await restore(on, await trailed(on));
  const { accountId } = on.owner;
  const { orders: open } = await on.running().context.ports.trading.openOrders(SYMBOL);
  const seen = open.map((order) => ({ order, lock: lockOf(order, on.coin().rules) }));
  await recordOrphans(on.database, { accountId, asOf: await databaseTime(on.database), seen });
  await on.running().refreshProfiles();
  const { state, reason } = await ask(on, FORCE);
  assert.equal(state, 'refused');
  assert.match(reason ?? '', new RegExp(`Order ${open[0]?.exchangeOrderId} belongs to no profile and locks 0.00504`));
  await save('{"a":2}');
  await on.running().refreshProfiles();
  await on.trade('1');
  assert.equal((await ask(on, FORCE)).state, 'done');
  await flat(on);
  const states = await on.database.kysely.selectFrom('orphan_orders').select('state').execute();
  assert.deepEqual(states, [{ state: 'adopted' }]);
});

test('an own order that no record knows is booked as soon as it is executed', async () => {
  await using on = await openGuarded();
  const newClientOrderId = ownId(on.owner.profileId, 'manual');
  const buy = { symbol: SYMBOL, side: 'BUY', type: 'MARKET', quantity: '0.002', newClientOrderId };
  await openHands(on.paper.url, KEY).send('order', buy);
  await until('the position', () => on.coin().position.firstBuyAt !== null, PROMPT_MS);
  await assertBooked(on);
  assert.equal(on.logs.filter(({ ctx }) => JSON.stringify(ctx).includes('"order_adopted"')).length, 1);
});

test('an execution is booked also when the exchange first says that its order does not exist', async () => {
  await using on = await openGuarded();
  const path = await backUp(on);
  const stop = await enter(on);
  await on.stop();
  const body = { code: -2013, msg: 'Order does not exist.' };
  const match = { method: 'GET', path: '/api/v3/order' };
  await on.control('/faults', [{ match, kind: 'fail-before', status: 400, body, times: 2 }]);
  await restore(on, path);
  await until('the coin to run', () => [...on.running().coins.all()].length > 0);
  await on.trade('1');
  await on.tick();
  await assertBooked(on);
  assert.equal(on.coin().guard.unprotected, null);
  assert.deepEqual(
    stopsOf(on).map(({ id }) => id),
    [stop.id],
  );
});
