import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { pauseCoin } from '#storage/trading/risk.ts';
import { enter, type Guarded, openGuarded, ordersOf, stopsOf, SYMBOL } from './guarded.ts';
import { until } from './until.ts';

const buys = (on: Guarded): string[] =>
  ordersOf(on).flatMap(({ side, type, status }) => (side === 'BUY' ? [`${type} ${status}`] : []));
const shows = (on: Guarded, ...wanted: string[]) =>
  until(wanted.join(', '), () => buys(on).join() === wanted.join()).catch(() => assert.deepEqual(buys(on), wanted));

/** A buy that waits 1 % below the price, and the exchange has said so. */
async function queue(on: Guarded): Promise<void> {
  on.wheel.stop = on.ticks('0.97');
  on.wheel.want = 'buy';
  on.wheel.form = { type: 'maker', limit: on.ticks('0.99') };
  await on.trade('1');
  const rests = () =>
    [...on.coin().live.values()].some(({ record }) => record.form.type === 'limit' && record.state === 'open');
  await until('the buy to wait', rests);
  await on.tick();
}

test('a buy that queues waits once, fills at its limit and is guarded at once', async () => {
  await using on = await openGuarded();
  await queue(on);
  await on.tick();
  await on.tick();
  await shows(on, 'LIMIT_MAKER NEW');
  assert.deepEqual(on.coin().view.waiting?.limit, on.ticks('0.99'));
  await on.trade('0.985', '1');
  await until('the fill to be booked', () => on.coin().position.firstBuyAt !== null);
  assert.equal(formatDecimal(on.coin().position.averagePrice), formatDecimal(on.at('0.99')));
  await until('the stop to rest', () => stopsOf(on).length === 1);
});

test('a waiting buy whose fill the stream does not report is found, and gets its stop, within seconds', async () => {
  await using on = await openGuarded();
  await queue(on);
  await on.control('/faults/events', [{ kind: 'drop', times: 1_000 }]);
  await on.trade('0.985', '1');
  // A look every 20 s would find it after 22 s at most; the stop must not take that long.
  await until('the stop to rest', () => stopsOf(on).length === 1, 12_000);
});

test('it is taken back when the strategy says so, and when the profile is disabled', async () => {
  await using on = await openGuarded();
  await queue(on);
  on.wheel.want = 'cancel';
  await on.tick();
  await shows(on, 'LIMIT_MAKER CANCELED');
  await until('nothing to be live', () => on.coin().live.size === 0);
  await queue(on);
  await shows(on, 'LIMIT_MAKER CANCELED', 'LIMIT_MAKER NEW');
  await on.database.kysely
    .updateTable('profiles')
    .set({ enabled: false })
    .where('id', '=', on.owner.profileId)
    .execute();
  await on.running().refreshProfiles();
  await shows(on, 'LIMIT_MAKER CANCELED', 'LIMIT_MAKER CANCELED');
});

test('one that follows the price is moved in one request, and set off when the price turns', async () => {
  await using on = await openGuarded();
  on.wheel.want = 'buy';
  on.wheel.form = { type: 'chase', stop: on.ticks('1.02'), limit: on.ticks('1.03') };
  await on.trade('1');
  await shows(on, 'STOP_LOSS_LIMIT NEW');
  on.wheel.form = { type: 'chase', stop: on.ticks('1.01'), limit: on.ticks('1.02') };
  await on.trade('0.995');
  await shows(on, 'STOP_LOSS_LIMIT CANCELED', 'STOP_LOSS_LIMIT NEW');
  await on.trade('1.011', '1');
  await shows(on, 'STOP_LOSS_LIMIT CANCELED', 'STOP_LOSS_LIMIT FILLED');
  await until('the fill to be booked', () => on.coin().position.firstBuyAt !== null);
});

test('an exit takes a waiting buy back before it sells', async () => {
  await using on = await openGuarded();
  await enter(on);
  await queue(on);
  await shows(on, 'MARKET FILLED', 'LIMIT_MAKER NEW');
  on.wheel.want = 'sell';
  await on.tick();
  await until('the position to be sold', () => on.coin().position.firstBuyAt === null && on.coin().live.size === 0);
  await shows(on, 'MARKET FILLED', 'LIMIT_MAKER CANCELED');
});

test('it is taken back when the coin is paused, and when its settings have changed', async () => {
  await using on = await openGuarded();
  const { kysely } = on.database;
  const { profileId } = on.owner;
  const pauseUntil = (until: Date | null) => pauseCoin(kysely, { profileId, symbol: SYMBOL, until, why: 'a drill' });
  await queue(on);
  await pauseUntil(new Date(Date.UTC(2100, 0, 1)));
  await shows(on, 'LIMIT_MAKER CANCELED');
  on.wheel.want = null;
  await pauseUntil(null);
  await on.running().refreshHalts();
  await queue(on);
  await shows(on, 'LIMIT_MAKER CANCELED', 'LIMIT_MAKER NEW');
  on.wheel.want = null;
  await kysely
    .updateTable('profiles')
    .set({ config: JSON.stringify({ other: 1 }) })
    .where('id', '=', profileId)
    .execute();
  await on.running().refreshProfiles();
  await on.tick();
  await shows(on, 'LIMIT_MAKER CANCELED', 'LIMIT_MAKER CANCELED');
});

test('it goes on waiting through a restart of the worker', async () => {
  await using on = await openGuarded();
  await queue(on);
  await on.stop();
  await on.start();
  await on.trade('1');
  await until('the buy to be known again', () => on.coin().view.waiting !== null);
  await shows(on, 'LIMIT_MAKER NEW');
});
