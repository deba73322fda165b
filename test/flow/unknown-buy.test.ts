import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { type Guarded, openGuarded, ordersOf } from './guarded.ts';
import { until } from './until.ts';

const stateOf = async (on: Guarded): Promise<string | undefined> =>
  (await on.database.kysely.selectFrom('orders').select('state').executeTakeFirst())?.state;

const freeOf = (on: Guarded): string => {
  const { context } = on.coin();
  return formatDecimal(context.wallet.free('USDT', performance.now()));
};

for (const [what, form] of [
  ['a market buy', undefined],
  ['a buy that waits', 'maker'],
] as const) {
  test(`a new run keeps the money of ${what} that the run before left unknown`, async () => {
    await using on = await openGuarded({ patient: true });
    const all = freeOf(on);
    await on.control('/faults', [{ match: { method: 'POST', path: '/api/v3/order' }, kind: 'reset', times: 1 }]);
    if (form !== undefined) on.wheel.form = { type: form, limit: on.ticks('0.99') };
    on.wheel.want = 'buy';
    await on.tick();
    await until('the buy to be unknown', async () => (await stateOf(on)) === 'unknown');
    const before = freeOf(on);
    assert.notEqual(before, all);
    await on.stop();
    on.wheel.want = null;
    assert.deepEqual(ordersOf(on), []);
    await on.start();
    const after = freeOf(on);
    // A lookup may have proven meanwhile that the order never arrived.
    assert.ok((await stateOf(on)) !== 'unknown' || after !== all, `${after} of ${all} are free`);
    await until('the proof that it never arrived', async () => (await stateOf(on)) === 'never-arrived', 30_000);
    await until('the money to be free again', () => freeOf(on) === all, 10_000);
    assert.equal(on.coin().position.quantity, ZERO);
  });
}

test('a coin with an unknown market buy opens without a price, and all money is kept for that buy', async () => {
  await using on = await openGuarded({ patient: true });
  const all = freeOf(on);
  await on.control('/faults', [{ match: { method: 'POST', path: '/api/v3/order' }, kind: 'reset', times: 1 }]);
  on.wheel.want = 'buy';
  await on.tick();
  await until('the buy to be unknown', async () => (await stateOf(on)) === 'unknown');
  await on.stop();
  on.wheel.want = null;
  await on.control('/faults', [{ match: { method: 'GET', path: '/api/v3/ticker/price' }, kind: 'reset', times: 1000 }]);
  await on.start();
  const free = freeOf(on);
  assert.ok((await stateOf(on)) !== 'unknown' || free === '0', `${free} of ${all} are free`);
  await until('the money to be free again', () => freeOf(on) === all, 40_000);
});
