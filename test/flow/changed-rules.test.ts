import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { enter, type Guarded, openGuarded, ordersOf, stopsOf, SYMBOL } from './guarded.ts';
import { until } from './until.ts';

const sold = (on: Guarded): string[] =>
  ordersOf(on).flatMap(({ side, type, status, executed }) =>
    side === 'SELL' && type === 'MARKET' && status === 'FILLED' ? [formatDecimal(executed)] : [],
  );

test('a position is sold within seconds after the exchange has changed the lot size', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.control('/symbols', { symbol: SYMBOL, step: '0.001' });
  on.wheel.want = 'sell';
  await on.tick();
  await until('the sale', () => sold(on).length > 0, 30_000);
  assert.deepEqual(sold(on), ['0.005']);
  assert.equal(formatDecimal(on.coin().rules.lot.step), '0.001');
});

test('a stop moves on to a changed tick; until then the one before keeps resting', async () => {
  await using on = await openGuarded();
  const before = await enter(on);
  await on.control('/symbols', { symbol: SYMBOL, tick: '10' });
  const seen = new Set<number>();
  on.wheel.stop = on.ticks('0.985');
  await on.tick();
  await until(
    'the coin to have the rules of now',
    () => {
      seen.add(stopsOf(on).length);
      return [...on.running().coins.all()].some(({ coin }) => formatDecimal(coin.rules.price.tick) === '10');
    },
    30_000,
  );
  // The steered strategy counts in ticks, which are a thousand times as large now.
  on.wheel.stop = Math.round(on.ticks('0.985') / 1_000);
  await until(
    'the stop to move',
    () => {
      seen.add(stopsOf(on).length);
      return stopsOf(on)[0]?.id !== before.id && stopsOf(on).length === 1;
    },
    30_000,
  );
  assert.deepEqual(seen, new Set([1]));
});

test('exits of an account start with the rules that were kept when the exchange does not answer with them', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.stop();
  const match = { path: '/api/v3/exchangeInfo' };
  await on.control('/faults', [{ match, kind: 'fail-before', status: 502, times: 2 }]);
  await on.start();
  on.wheel.want = 'sell';
  await on.tick();
  await until('the sale', () => sold(on).length === 1);
  await until('the rules to be read', () => !on.running().context.rules.doubted, 30_000);
});

test('rules that could not be read after a refusal are asked for again soon, not only ten seconds later', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.control('/symbols', { symbol: SYMBOL, step: '0.001' });
  await on.control('/faults', [
    { match: { path: '/api/v3/exchangeInfo' }, kind: 'fail-before', status: 502, times: 3 },
  ]);
  on.wheel.want = 'sell';
  await on.tick();
  await until('the sale', () => sold(on).length > 0, 25_000);
  assert.equal(formatDecimal(on.coin().rules.lot.step), '0.001');
});
