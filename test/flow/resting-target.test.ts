import assert from 'node:assert/strict';
import { test } from 'node:test';
import { floorToStep, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { engageHalt } from '#storage/trading/halts.ts';
import {
  assertLikeExchange,
  enter,
  flat,
  type Guarded,
  openGuarded,
  ordersOf,
  sales,
  SETTINGS,
  stopsOf,
  SYMBOL,
} from './guarded.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';

/* A stop and a target that rest as one order list. */

const WITH_TARGET = { ...SETTINGS, restsTarget: true };
const LIST = { method: 'POST', path: '/api/v3/orderList/oco' };
const CANCEL_LIST = { method: 'DELETE', path: '/api/v3/orderList' };
const BOTH = ['LIMIT_MAKER NEW', 'STOP_LOSS_LIMIT NEW'];

/** The resting sales, by type and status. */
const resting = (on: Guarded): string[] => stopsOf(on).map(({ type, status }) => `${type} ${status}`);
/** Trigger of the stop and price of the target that rest. */
const pricesOf = (on: Guarded): string[] =>
  stopsOf(on)
    .map(({ type, stopPrice, price }) => formatDecimal(type === 'LIMIT_MAKER' ? price : stopPrice))
    .toSorted();
const pricesAt = (on: Guarded, ...shares: string[]): string[] =>
  shares.map((share) => formatDecimal(on.at(share))).toSorted();
const rests = (on: Guarded, ...shares: string[]) =>
  until(`orders to rest at ${shares.join(' and ')}`, () => pricesOf(on).join() === pricesAt(on, ...shares).join());
const logged = (on: Guarded, event: string): string[] =>
  on.logs.filter(({ ctx }) => JSON.stringify(ctx).includes(`"${event}"`)).map(({ msg }) => msg);

async function enterWithTarget(on: Guarded, target = '1.03'): Promise<void> {
  on.wheel.settings = WITH_TARGET;
  await on.stop();
  await on.start();
  await on.trade('1');
  on.wheel.target = on.ticks(target);
  await enter(on);
  await until('a target to rest', () => stopsOf(on).length === 2);
}

async function engage(on: Guarded, freeze: boolean): Promise<void> {
  const halt = { scope: 'profile', subject: on.owner.profileId, reason: 'drill', freeze, userId: null } as const;
  await on.database.transaction((transaction) => engageHalt(transaction, halt));
  await on.running().refreshHalts();
}

test('a stop and a target rest as one list of the whole position, and both legs are stored with it', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  assert.deepEqual(resting(on), BOTH);
  assert.deepEqual(pricesOf(on), pricesAt(on, '0.97', '1.03'));
  const [first, second] = stopsOf(on);
  assert.equal(first?.listId, second?.listId);
  assert.deepEqual(
    stopsOf(on).map(({ quantity }) => formatDecimal(quantity)),
    ['0.00504', '0.00504'],
  );
  const legs = on.database.kysely.selectFrom('orders').selectAll().where('list_id', 'is not', null);
  const rows = await legs.orderBy('purpose').execute();
  assert.deepEqual(
    rows.map(({ purpose, reason }) => `${purpose} ${reason}`),
    ['stop exit-stop-loss', 'target exit-take-profit'],
  );
  assert.equal(new Set(rows.map(({ list_id }) => list_id)).size, 1);
  await on.tick();
  await on.tick();
  assert.deepEqual(sales(on), BOTH);
  await assertLikeExchange(on);
});

test('the target sells on the exchange while the worker is down; the next start books it once', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  await on.stop();
  await on.trade('1.031');
  assert.deepEqual(sales(on), ['LIMIT_MAKER FILLED', 'STOP_LOSS_LIMIT EXPIRED']);
  await on.start();
  await flat(on);
  await assertLikeExchange(on);
  const cycles = await on.database.kysely.selectFrom('closed_cycles').select('exit_reason').execute();
  assert.deepEqual(cycles, [{ exit_reason: 'exit-take-profit' }]);
});

test('the stop of a list sells on the exchange while the worker is down, and ends the target', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  await on.stop();
  await on.trade('0.969');
  assert.deepEqual(sales(on), ['LIMIT_MAKER EXPIRED', 'STOP_LOSS_LIMIT FILLED']);
  await on.start();
  await flat(on);
  await assertLikeExchange(on);
});

test('a reached target is left to sell, and nothing is sold at the market', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  await on.trade('1.031');
  await flat(on);
  assert.deepEqual(sales(on), ['LIMIT_MAKER FILLED', 'STOP_LOSS_LIMIT EXPIRED']);
  assert.ok(on.logs.some(({ msg }) => /^Sold 0\.00504 BTC at .* \(take profit\)\./.test(msg)));
  await assertLikeExchange(on);
});

test('what a target has not sold in its time is sold at the market', async () => {
  await using on = await openGuarded({ budget: '200000' });
  await enterWithTarget(on);
  await on.trade('1.03', '1');
  await until('a part to be sold', () => sales(on)[0] === 'LIMIT_MAKER PARTIALLY_FILLED');
  await flat(on);
  assert.deepEqual(sales(on), ['LIMIT_MAKER CANCELED', 'STOP_LOSS_LIMIT EXPIRED', 'MARKET FILLED']);
  await assertLikeExchange(on);
});

test('what a target leaves when the price falls back gets a stop and a target again', async () => {
  await using on = await openGuarded({ budget: '200000' });
  await enterWithTarget(on);
  await on.trade('1.03', '1');
  await until('a part to be sold', () => sales(on)[0] === 'LIMIT_MAKER PARTIALLY_FILLED');
  await on.trade('1');
  await until('both to rest again', () => resting(on).join() === BOTH.join());
  assert.deepEqual(sales(on), ['LIMIT_MAKER CANCELED', 'STOP_LOSS_LIMIT EXPIRED', ...BOTH]);
  const [target] = stopsOf(on);
  const { position, rules } = on.coin();
  assert.equal(target?.quantity, floorToStep(position.quantity, rules.lot.step));
  assert.ok((on.running().context.unprotectedMs.get(SYMBOL) ?? 0) > 0);
  await assertLikeExchange(on);
});

test('a moved stop and a moved target replace the list, and the time between is counted', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  const bare = () => on.running().context.unprotectedMs.get(SYMBOL) ?? 0;
  await on.tick();
  const before = bare();
  on.wheel.stop = on.ticks('0.98');
  await on.tick();
  await rests(on, '0.98', '1.03');
  on.wheel.target = on.ticks('1.05');
  await on.tick();
  await rests(on, '0.98', '1.05');
  assert.deepEqual(sales(on).filter((sale) => sale.endsWith('CANCELED')).length, 4);
  assert.ok(bare() > before);
  await assertLikeExchange(on);
});

test('without a target the stop alone stays, in one request and without a gap', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  const bare = () => on.running().context.unprotectedMs.get(SYMBOL);
  await on.tick();
  const before = bare();
  on.wheel.target = 0;
  await on.tick();
  await rests(on, '0.97');
  assert.deepEqual(sales(on), ['LIMIT_MAKER CANCELED', 'STOP_LOSS_LIMIT CANCELED', 'STOP_LOSS_LIMIT NEW']);
  assert.equal(bare(), before);
  await assertLikeExchange(on);
});

test('a target that appears later replaces the stop by a list', async () => {
  await using on = await openGuarded();
  on.wheel.settings = WITH_TARGET;
  await on.stop();
  await on.start();
  await on.trade('1');
  await enter(on);
  assert.deepEqual(resting(on), ['STOP_LOSS_LIMIT NEW']);
  on.wheel.target = on.ticks('1.03');
  await on.tick();
  await rests(on, '0.97', '1.03');
  await assertLikeExchange(on);
});

test('an exit takes the whole list down in the request that sells', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  on.wheel.want = 'sell';
  await on.tick();
  await flat(on);
  assert.deepEqual(sales(on), ['LIMIT_MAKER CANCELED', 'STOP_LOSS_LIMIT CANCELED', 'MARKET FILLED']);
  await assertLikeExchange(on);
});

test('buying more makes both legs larger', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  on.wheel.want = 'buy';
  await on.tick();
  await until('the larger list', () => {
    const legs = stopsOf(on);
    return legs.length === 2 && legs.every(({ quantity }) => quantity > requireDecimal('0.01'));
  });
  await assertLikeExchange(on);
});

test('the list of a coin without lists is a stop alone, with a reason', async () => {
  await using on = await openGuarded();
  await on.control('/symbols', { symbol: SYMBOL, lacks: ['ocoAllowed'] });
  on.wheel.settings = WITH_TARGET;
  await on.stop();
  await on.start();
  await on.trade('1');
  on.wheel.target = on.ticks('1.03');
  await enter(on);
  await on.tick();
  assert.deepEqual(resting(on), ['STOP_LOSS_LIMIT NEW']);
  assert.match(
    logged(on, 'target_not_resting').join(),
    /^The exchange allows no order lists for this coin\.[^]*target\.$/,
  );
});

test('a refused list is followed by a stop alone, with the reason, and is not tried again at once', async () => {
  await using on = await openGuarded();
  const full = { code: -2010, msg: 'Filter failure: MAX_NUM_ORDER_LISTS' };
  await on.control('/faults', [{ match: LIST, kind: 'fail-before', status: 400, body: full, times: 9 }]);
  on.wheel.settings = WITH_TARGET;
  await on.stop();
  await on.start();
  await on.trade('1');
  on.wheel.target = on.ticks('1.03');
  await enter(on);
  for (let i = 0; i < 3; i++) await on.tick();
  assert.deepEqual(sales(on), ['STOP_LOSS_LIMIT NEW']);
  assert.match(logged(on, 'target_not_resting').join(), /MAX_NUM_ORDER_LISTS/);
  const rows = await on.database.kysely.selectFrom('orders').select(['purpose', 'state']).execute();
  assert.equal(rows.filter(({ purpose }) => purpose === 'target').length, 1);
  await assertLikeExchange(on);
});

test('under a freeze a list stays and still sells; a first one is a stop alone', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  await engage(on, true);
  on.wheel.stop = on.ticks('0.98');
  on.wheel.target = on.ticks('1.05');
  await on.tick();
  assert.deepEqual(pricesOf(on), pricesAt(on, '0.97', '1.03'));
  await on.stop();
  const { clock } = createMarketReader({ restUrl: on.paper.url });
  const [leg] = stopsOf(on);
  await createTrading({ restUrl: on.paper.url, ...KEY, clock }).cancel(SYMBOL, leg?.clientOrderId ?? '', 'by-hand');
  await on.start();
  await on.trade('1');
  await until('a stop to rest', () => stopsOf(on).length > 0);
  await on.tick();
  assert.deepEqual(resting(on), ['STOP_LOSS_LIMIT NEW']);
  assert.match(logged(on, 'target_not_resting').join(), /freezes/);
});

test('under a kill switch that freezes nothing the list moves on', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  await engage(on, false);
  on.wheel.stop = on.ticks('0.98');
  await on.tick();
  await rests(on, '0.98', '1.03');
});

test('a disabled profile leaves the list, and says when a part of the target has left the rest without a stop', async () => {
  await using on = await openGuarded({ budget: '200000' });
  await enterWithTarget(on);
  await on.database.kysely.updateTable('profiles').set({ enabled: false }).execute();
  await on.running().refreshProfiles();
  await on.trade('1.03', '1');
  await until('the reason', () => logged(on, 'stop_missing').length === 1);
  assert.deepEqual(resting(on), ['LIMIT_MAKER PARTIALLY_FILLED']);
  await assertLikeExchange(on);
});

test('switching targets off leaves the stop alone; switching the stop off takes the whole list down', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  const configure = async (config: object): Promise<void> => {
    await on.database.kysely
      .updateTable('profiles')
      .set({ config: JSON.stringify(config) })
      .execute();
    await on.running().refreshProfiles();
    await on.trade('1');
  };
  on.wheel.settings = SETTINGS;
  await configure({ on: 1 });
  await rests(on, '0.97');
  on.wheel.settings = WITH_TARGET;
  await configure({ on: 2 });
  await rests(on, '0.97', '1.03');
  on.wheel.settings = undefined;
  await configure({ on: 3 });
  await until('nothing to rest', () => stopsOf(on).length === 0);
  await until('both legs to be settled', () => on.coin().live.size === 0);
  await assertLikeExchange(on);
});

const OVERLOADED = { code: -1008, msg: 'Server is currently overloaded with other requests.' };
/** Faults of a request for a list. */
const FAULTS: readonly object[] = [
  { kind: 'reset' },
  { kind: 'reset', applied: true },
  { kind: 'fail-before', status: 504 },
  { kind: 'apply-then-fail', status: 504 },
  { kind: 'apply-then-fail', status: 200, body: '{' },
  { kind: 'apply-then-fail', status: 200, body: {} },
  { kind: 'fail-before', status: 200, body: {} },
  { kind: 'late', status: 504, delayMs: 300 },
  { kind: 'delay', delayMs: 100 },
];

for (const [name, match] of [
  ['the placement', LIST],
  ['the cancel', CANCEL_LIST],
] as const) {
  test(`whatever becomes of ${name} of a moved list, one list rests in the end, where it is wanted`, async () => {
    await using on = await openGuarded();
    await enterWithTarget(on);
    for (const [index, fault] of FAULTS.entries()) {
      await on.control('/faults', [{ match, ...fault }]);
      on.wheel.stop = on.ticks(`0.97${index + 1}`);
      await on.tick();
      await rests(on, `0.97${index + 1}`, '1.03');
      await until('nothing to be open', () => on.coin().live.size === 2);
    }
    await assertLikeExchange(on);
  });
}

test('an overloaded exchange takes no list, and a stop rests alone', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  await on.control('/faults', [{ match: LIST, kind: 'fail-before', status: 503, body: OVERLOADED }]);
  on.wheel.stop = on.ticks('0.98');
  await on.tick();
  await rests(on, '0.98');
  await assertLikeExchange(on);
});

test('a list that sells while it is being cancelled is booked, and nothing takes its place', async () => {
  await using on = await openGuarded({ patient: true });
  await enterWithTarget(on);
  on.wheel.stop = on.ticks('0.975');
  await on.control('/faults', [{ match: CANCEL_LIST, kind: 'delay', delayMs: 500 }]);
  const ticked = on.tick();
  await until('the replacement to be on its way', () => on.coin().live.size === 4);
  await on.trade('1.031');
  await ticked;
  await flat(on);
  assert.deepEqual(sales(on), ['LIMIT_MAKER FILLED', 'STOP_LOSS_LIMIT EXPIRED']);
  await assertLikeExchange(on);
});

test('a list that went away while the worker was down is placed again; one that stayed is kept', async () => {
  await using on = await openGuarded();
  await enterWithTarget(on);
  await on.stop();
  await on.start();
  await on.trade('1');
  await on.tick();
  assert.deepEqual(sales(on), BOTH);
  await on.stop();
  const { clock } = createMarketReader({ restUrl: on.paper.url });
  const [leg] = stopsOf(on);
  await createTrading({ restUrl: on.paper.url, ...KEY, clock }).cancel(SYMBOL, leg?.clientOrderId ?? '', 'by-hand');
  await on.start();
  await on.trade('1');
  await until('both to rest again', () => resting(on).length === 2);
  assert.equal(ordersOf(on).length, 5);
  await assertLikeExchange(on);
});
