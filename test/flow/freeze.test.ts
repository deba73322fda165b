import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { engageHalt } from '#storage/trading/halts.ts';
import { DRILL_TIMING } from '#test/faults/fault-table.ts';
import { enter, type Guarded, openGuarded, ordersOf, stopsOf, SYMBOL } from './guarded.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';

async function freeze(on: Guarded): Promise<void> {
  const halt = { scope: 'all', subject: 'all', reason: 'drill', freeze: true, userId: null } as const;
  await on.database.transaction((transaction) => engageHalt(transaction, halt));
  await on.running().refreshHalts();
}

test('a buy that is on its way when a freeze commits fills, and its position gets a stop', async () => {
  await using on = await openGuarded();
  const match = { method: 'POST', path: '/api/v3/order', text: 'side=BUY' };
  await on.control('/faults', [{ match, kind: 'late', delayMs: 1_500 }]);
  on.wheel.stop = on.ticks('0.97');
  on.wheel.want = 'buy';
  const sent = async () => (await on.database.kysely.selectFrom('orders').select('id').execute()).length === 1;
  await on.tick();
  await until('the intent', sent);
  await freeze(on);
  const stop = await until('a stop to rest', () => stopsOf(on)[0]);
  assert.equal(formatDecimal(stop.stopPrice), formatDecimal(on.at('0.97')));

  // A freeze leaves what rests as it is, and sells nothing else.
  on.wheel.stop = on.ticks('0.98');
  await on.tick();
  on.wheel.want = 'sell';
  await on.tick();
  assert.deepEqual(
    ordersOf(on).filter(({ side }) => side === 'SELL'),
    [stop],
  );
});

test('a stop that was cancelled elsewhere comes back under a freeze', async () => {
  await using on = await openGuarded();
  const stop = await enter(on);
  await freeze(on);
  const { clock } = createMarketReader({ restUrl: on.paper.url });
  await clock.sync();
  const trading = createTrading({ restUrl: on.paper.url, ...KEY, clock, timing: DRILL_TIMING });
  assert.equal((await trading.cancel(SYMBOL, stop.clientOrderId, 'by-hand-1')).kind, 'accepted');
  await until('another stop to rest', () => stopsOf(on).some(({ id }) => id !== stop.id));
});
