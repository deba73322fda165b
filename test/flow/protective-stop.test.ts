import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, formatRounded, requireDecimal } from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { engageHalt } from '#storage/trading/halts.ts';
import {
  assertLikeExchange,
  enter,
  flat,
  type Guarded,
  openGuarded,
  sales,
  SETTINGS,
  stopsOf,
  SYMBOL,
} from './guarded.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';

const pricesOf = (on: Guarded): string[] => stopsOf(on).map(({ stopPrice }) => formatDecimal(stopPrice));
const priceAt = (on: Guarded, share: string): string => formatDecimal(on.at(share));
async function steer(on: Guarded, share: string): Promise<void> {
  on.wheel.stop = on.ticks(share);
  await on.tick();
}

async function move(on: Guarded, share: string): Promise<void> {
  await steer(on, share);
  await until(`the stop to rest at ${share}`, () => pricesOf(on).join() === priceAt(on, share));
}

test('a stop rests as soon as something is held and follows the strategy up in one request, but not down', async () => {
  await using on = await openGuarded();
  const first = await enter(on);
  assert.deepEqual([first.type, formatDecimal(first.quantity)], ['STOP_LOSS_LIMIT', '0.00504']);
  assert.deepEqual(pricesOf(on), [priceAt(on, '0.97')]);
  await move(on, '0.98');
  assert.equal(first.status, 'CANCELED');
  await steer(on, '0.9805');
  await steer(on, '0.95');
  await on.tick();
  assert.deepEqual(pricesOf(on), [priceAt(on, '0.98')]);
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT CANCELED', 'STOP_LOSS_LIMIT NEW']);
  await assertLikeExchange(on);
});

test('it sells on the exchange, and the fill is booked like any other', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.trade('0.969');
  await flat(on);
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT FILLED']);
  const sold = on.logs.find(({ msg }) => /^Sold 0\.00504 BTC at [0-9.]+ for [0-9.]+ USDT \(stop loss\)\./.test(msg));
  assert.ok(sold !== undefined && isObject(sold.ctx));
  // The result is rounded as on every page, never cut off.
  const net = formatRounded(requireDecimal(String(sold.ctx['cycleNet'])), 2);
  assert.ok(sold.msg.endsWith(` The trade closed with ${net} USDT after fees.`), sold.msg);
  await assertLikeExchange(on);
});

test('a stop that moves to another level goes by that level, in its order, its message and the closed trade', async () => {
  await using on = await openGuarded();
  await enter(on);
  on.wheel.level = 'exit-trail';
  await on.trade('1.02');
  await move(on, '0.98');
  await on.trade('0.979');
  await flat(on);
  const orders = await on.database.kysely
    .selectFrom('orders')
    .select(['reason', 'state'])
    .orderBy('created_at')
    .execute();
  assert.deepEqual(
    orders.map(({ reason, state }) => `${reason} ${state}`),
    ['enter filled', 'exit-stop-loss cancelled', 'exit-trail filled'],
  );
  const cycles = await on.database.kysely.selectFrom('closed_cycles').select('exit_reason').execute();
  assert.deepEqual(cycles, [{ exit_reason: 'exit-trail' }]);
  assert.ok(on.logs.some(({ msg }) => msg.includes(' USDT (trailing stop).')));
});

test('while the worker is down the stop sells; the next start books it', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.stop();
  await on.trade('0.969');
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT FILLED']);
  await on.start();
  await flat(on);
  await assertLikeExchange(on);
});

test('a stop that went away while the worker was down is placed again; one that stayed is kept', async () => {
  await using on = await openGuarded();
  const { clientOrderId } = await enter(on);
  await on.stop();
  await on.start();
  await on.trade('1');
  await on.tick();
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT NEW']);
  await on.stop();
  const { clock } = createMarketReader({ restUrl: on.paper.url });
  await createTrading({ restUrl: on.paper.url, ...KEY, clock }).cancel(SYMBOL, clientOrderId, 'by-hand');
  await on.start();
  await on.trade('1');
  await until('a stop to rest again', () => stopsOf(on).length === 1);
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT CANCELED', 'STOP_LOSS_LIMIT NEW']);
  await assertLikeExchange(on);
});

test('an exit takes the stop down in the request that sells', async () => {
  await using on = await openGuarded();
  await enter(on);
  on.wheel.want = 'sell';
  await on.tick();
  await flat(on);
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT CANCELED', 'MARKET FILLED']);
  await assertLikeExchange(on);
});

test('when the price jumps below the limit, the stop has its time; then what is left is sold at the market', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.trade('0.95');
  await flat(on);
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT CANCELED', 'MARKET FILLED']);
  const waited = on.audits.find(({ approval }) => approval.kind === 'refused');
  assert.equal(waited?.approval.kind === 'refused' && waited.approval.reason, 'order-stop-triggered');
  await assertLikeExchange(on);
});

test('a stop that triggered without a sale is followed by a sale at the market, also where the strategy has lost its level', async () => {
  await using on = await openGuarded();
  await enter(on);
  await steer(on, '0.5');
  await on.trade('0.95');
  await flat(on);
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT CANCELED', 'MARKET FILLED']);
  const sold = on.audits.find(({ decision }) => decision.reason === 'exit-failed-stop');
  assert.match(
    sold?.decision.sentence ?? '',
    /^Selling at the market: the stop on the exchange was triggered at [0-9.]+/,
  );
});

test('a stop that has sold a part is left to sell, then taken down, and only the rest is sold', async () => {
  await using on = await openGuarded({ budget: '200000' });
  const stop = await enter(on);
  await on.trade('0.95');
  await on.trade('0.96515', '1');
  await until('a part to be sold', () => stop.status === 'PARTIALLY_FILLED');
  await flat(on);
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT CANCELED', 'MARKET FILLED']);
  assert.ok(stop.executed > 0n && stop.executed < stop.quantity);
  await assertLikeExchange(on);
});

test('buying more makes the stop larger, and lets it fall with the average price', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.trade('0.98');
  on.wheel.want = 'buy';
  await steer(on, '0.96');
  await until('the larger stop', () => pricesOf(on).join() === priceAt(on, '0.96'));
  assert.ok(stopsOf(on).every(({ quantity }) => quantity > requireDecimal('0.01')));
});

test('switching it off takes it down, switching it on brings it back; a disabled profile leaves it', async () => {
  await using on = await openGuarded();
  await enter(on);
  const configure = async (config: object, enabled = true): Promise<void> => {
    const change = { config: JSON.stringify(config), enabled };
    await on.database.kysely.updateTable('profiles').set(change).execute();
    await on.running().refreshProfiles();
  };
  on.wheel.settings = undefined;
  await configure({ on: false });
  await on.trade('1');
  await until('nothing to rest', () => stopsOf(on).length === 0);
  on.wheel.settings = SETTINGS;
  await configure({ on: true });
  await on.trade('1');
  await until('a stop to rest again', () => stopsOf(on).length === 1);
  await configure({ on: true }, false);
  await on.trade('0.969');
  await flat(on);
});

test('under a kill switch the stop moves on; under one that freezes it stays, and still sells', async () => {
  await using on = await openGuarded();
  await enter(on);
  const engage = async (freeze: boolean): Promise<void> => {
    const halt = { scope: 'profile', subject: on.owner.profileId, reason: 'drill', freeze, userId: null } as const;
    await on.database.transaction((transaction) => engageHalt(transaction, halt));
    await on.running().refreshHalts();
  };
  await engage(false);
  await move(on, '0.98');
  await on.database.kysely.deleteFrom('kill_switches').execute();
  await engage(true);
  await steer(on, '0.99');
  await on.tick();
  assert.deepEqual(pricesOf(on), [priceAt(on, '0.98')]);
  await on.trade('0.979');
  await flat(on);
  assert.equal(sales(on).at(-1), 'STOP_LOSS_LIMIT FILLED');
});

test('a stop too far away for the exchange is said once, and the time without it is counted', async () => {
  await using on = await openGuarded();
  on.wheel.stop = on.ticks('0.15');
  on.wheel.want = 'buy';
  await on.tick();
  const missing = () => on.logs.filter(({ ctx }) => JSON.stringify(ctx).includes('"stop_missing"'));
  await until('the warning', () => missing().length > 0);
  await until('time to be counted', () => on.audits.some(({ input }) => Number(input['unprotectedSeconds']) > 0));
  await on.tick();
  assert.equal(missing().length, 1);
  assert.match(
    missing()[0]?.msg ?? '',
    /^The position has no stop on the exchange\. The exchange accepts no order at /,
  );
  assert.ok((on.running().context.unprotectedMs.get(SYMBOL) ?? 0) > 0);
  assert.equal(stopsOf(on).length, 0);
});

for (const [onBandBlock, expected, fallTo] of [
  ['clamp', 'STOP_LOSS_LIMIT', '0.913'],
  ['native-trail', 'STOP_LOSS', '0.849'],
] as const) {
  test(`a stop too far away for the exchange rests in another form, where ${onBandBlock} is chosen, and sells`, async () => {
    await using on = await openGuarded();
    await on.stop();
    const listed = on.paper.venue.markets.get(SYMBOL)?.listing.rules;
    assert.ok(listed?.band != null);
    Object.assign(listed, { band: { ...listed.band, askDown: requireDecimal('0.9') } });
    on.wheel.settings = { ...SETTINGS, onBandBlock };
    await on.start();
    await on.trade('1');
    const stop = await enter(on, '0.85');
    assert.equal(stop.type, expected);
    await on.tick();
    await on.tick();
    assert.deepEqual(sales(on), [`${expected} NEW`]);
    on.wheel.stop = 1;
    await on.stop();
    await on.trade(fallTo);
    assert.equal(stop.status, 'FILLED');
    await on.start();
    await flat(on);
    await assertLikeExchange(on);
  });
}

const REPLACE = { method: 'POST', path: '/api/v3/order/cancelReplace' };
const HALF_DONE = { code: -2021, msg: 'Order cancel-replace partially failed.' };
const OVERLOADED = { code: -1008, msg: 'Server is currently overloaded with other requests.' };
/** Faults of a replacement. */
const FAULTS: readonly object[] = [
  { kind: 'reset' },
  { kind: 'reset', applied: true },
  { kind: 'fail-before', status: 504 },
  { kind: 'apply-then-fail', status: 504 },
  { kind: 'apply-then-fail', status: 200, body: '{' },
  { kind: 'apply-then-fail', status: 409, body: HALF_DONE },
  { kind: 'fail-before', status: 503, body: OVERLOADED },
  { kind: 'late', status: 504, delayMs: 300 },
  { kind: 'delay', delayMs: 100 },
];

test('whatever becomes of a replacement, one stop rests in the end, where it is wanted', async () => {
  await using on = await openGuarded();
  await enter(on, '0.9');
  for (const [index, fault] of FAULTS.entries()) {
    await on.control('/faults', [{ match: REPLACE, ...fault }]);
    await move(on, `0.91${index}`);
    await until('nothing to be open', () => on.coin().live.size === 1);
  }
  assert.equal(sales(on).filter((sale) => sale === 'STOP_LOSS_LIMIT NEW').length, 1);
  await assertLikeExchange(on);
});

test('whatever becomes of an exit in the place of a stop, everything is sold once', async () => {
  await using on = await openGuarded();
  for (const fault of FAULTS) {
    await enter(on, '0.97');
    await on.control('/faults', [{ match: REPLACE, ...fault }]);
    on.wheel.want = 'sell';
    await on.tick();
    await flat(on);
  }
  const ended = sales(on).toSorted();
  const each = (sale: string): string[] => FAULTS.map(() => sale);
  assert.deepEqual(ended, [...each('MARKET FILLED'), ...each('STOP_LOSS_LIMIT CANCELED')]);
  await assertLikeExchange(on);
});

test('a stop that fills while it is being replaced is booked, and nothing takes its place', async () => {
  await using on = await openGuarded({ patient: true });
  await enter(on);
  on.wheel.stop = on.ticks('0.975');
  await on.control('/faults', [{ match: REPLACE, kind: 'delay', delayMs: 500 }]);
  const ticked = on.tick();
  await until('the replacement to be on its way', () => on.coin().live.size === 2);
  await on.trade('0.969');
  await ticked;
  await flat(on);
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT FILLED']);
  await assertLikeExchange(on);
});

test('when the old stop is gone and the new one refused, another is placed, and the time between is counted', async () => {
  await using on = await openGuarded({ patient: true });
  await enter(on);
  on.wheel.stop = on.ticks('0.99');
  await on.control('/faults', [{ match: REPLACE, kind: 'delay', delayMs: 500 }]);
  const ticked = on.tick();
  await until('the replacement to be on its way', () => on.coin().live.size === 2);
  await on.trade('0.985');
  on.wheel.stop = on.ticks('0.98');
  await ticked;
  await until('a stop to rest again', () => pricesOf(on).join() === priceAt(on, '0.98'));
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT CANCELED', 'STOP_LOSS_LIMIT NEW']);
  assert.ok(on.logs.some(({ msg }) => msg.includes('Order would trigger immediately')));
  assert.ok((on.running().context.unprotectedMs.get(SYMBOL) ?? 0) > 500);
  await assertLikeExchange(on);
});
