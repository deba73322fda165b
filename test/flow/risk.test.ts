import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setProfileKillSwitch } from '#api/contract/halts.ts';
import { listCoins, readCoin } from '#api/contract/profiles.ts';
import { changeAccountRisk, changeProfileRisk, pauseCoin, readProfileRisk } from '#api/contract/risk.ts';
import { type InsertObject, sql } from 'kysely';
import { floorToStep, formatDecimal, multiply, requireDecimal } from '#core/amount/decimal.ts';
import { newId, type OrderId, type ProfileId } from '#core/ids.ts';
import { clientOrderIdOf } from '#core/order/order.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import type { Tables } from '#storage/postgres/tables.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { startProfile } from './profile.ts';
import { KEY, openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const SYMBOLS = Array.from({ length: 20 }, (_, nth) => `C${String(nth).padStart(2, '0')}USDT`);
const POSITIONS = 3;
const EXPOSURE = 400;
const PER_MINUTE = 2;

const folder = mkdtempSync(join(tmpdir(), 'tradewind-risk-'));
let stack: Stack;
let profileId: ProfileId;
before(async () => {
  // One market under twenty names, ten seconds a swing: every coin wants to buy and to sell at the same moments.
  for (const symbol of SYMBOLS) writeSwingingCandles(folder, 60 * 24 * 4, { symbol, period: 20 });
  stack = await openStack({ source: { kind: 'replay', folder }, fromMs: MARKET_START + 3_600_000, speed: 120 });
  await stack.stopWorker();
  profileId = await startProfile(stack, SYMBOLS);
  const limits = { asset: 'USDT', openPositions: POSITIONS, exposure: String(EXPOSURE) };
  await stack.call(changeAccountRisk, { params: { id: stack.accountId }, body: limits });
  await stack.call(changeProfileRisk, { params: { id: profileId }, body: { entriesPerMinute: PER_MINUTE } });
  await stack.startWorker();
});
after(async () => {
  await stack[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const fillsInOrder = () =>
  stack.database.kysely.selectFrom('fills').selectAll().orderBy('recorded_at').orderBy('runner_version').execute();
const entriesInOrder = () =>
  stack.database.kysely.selectFrom('orders').selectAll().where('purpose', '=', 'entry').orderBy('created_at').execute();

/** The most that was open and the most that it had cost at any time, dust aside. */
async function peaks(): Promise<{ open: number; cost: number }> {
  const held = new Map<string, { quantity: number; cost: number }>();
  const peak = { open: 0, cost: 0 };
  for (const fill of await fillsInOrder()) {
    const { quantity, cost } = held.get(fill.symbol) ?? { quantity: 0, cost: 0 };
    const [bought, price] = [Number(fill.quantity), Number(fill.price)];
    if (fill.side === 'buy') held.set(fill.symbol, { quantity: quantity + bought, cost: cost + bought * price });
    else held.set(fill.symbol, { quantity: quantity - bought, cost: cost * (1 - bought / quantity) });
    const open = [...held.values()].filter((each) => each.cost > 5);
    peak.open = Math.max(peak.open, open.length);
    peak.cost = Math.max(
      peak.cost,
      open.reduce((sum, each) => sum + each.cost, 0),
    );
  }
  return peak;
}

const refusedFor = async (reason: string): Promise<boolean> =>
  (await stack.database.kysely
    .selectFrom('action_logs')
    .select('id')
    .where(sql<boolean>`ctx #>> '{approval,reason}' = ${reason}`)
    .executeTakeFirst()) !== undefined;

test('twenty coins that decide at once keep within positions, exposure and buys a minute', async () => {
  for (const reason of ['cap-open-positions', 'cap-entry-rate']) {
    await until(`a buy refused for ${reason}`, () => refusedFor(reason), 120_000);
  }
  await until('two swings', async () => (await entriesInOrder()).length > 2 * POSITIONS + 1, 120_000);
  const { open, cost } = await peaks();
  assert.equal(open, POSITIONS, 'as many positions as are allowed');
  // The market swings by 2 %: a fill may cost that much more or less than its decision reckoned. Uncapped it were 450.
  assert.ok(cost > EXPOSURE * 0.9 && cost < EXPOSURE * 1.045, `${cost} was exposed`);
  const times = (await entriesInOrder()).map((order) => order.created_at.getTime());
  for (const at of times) {
    const within = times.filter((each) => each > at - 60_000 && each <= at).length;
    assert.ok(within <= PER_MINUTE, `${within} buys within a minute`);
  }
  const { standings } = await stack.call(readProfileRisk, { params: { id: profileId } });
  assert.deepEqual(
    standings.map(({ scope, limit }) => `${scope} ${limit}`),
    ['account openPositions', 'account exposure', 'profile entriesPerMinute'],
  );
});

test('a paused coin buys nothing, and still sells', async () => {
  const [held] = await until('a coin is held', async () => {
    const { coins } = await stack.call(listCoins, { params: { id: profileId } });
    const some = coins.filter(({ position }) => Number(position.value) > 5);
    return some.length > 0 && some;
  });
  const symbol = held?.symbol ?? '';
  const params = { id: profileId, symbol };
  await stack.call(pauseCoin, { params, body: { until: new Date(Date.now() + 3_600_000).toISOString() } });
  const before = (await entriesInOrder()).filter((order) => order.symbol === symbol).length;
  await until('the coin is sold', async () => {
    const { coin } = await stack.call(readCoin, { params });
    return Number(coin.position.quantity) < 0.001;
  });
  // In the log, because the state of a coin is stored only every few seconds, and the market swings as fast.
  await until('its next buy is refused', () => refusedFor('halt-coin-paused'));
  assert.equal((await entriesInOrder()).filter((order) => order.symbol === symbol).length, before);
});

/** A buy that rests on the exchange and in the store, as a maker entry would. */
async function restBuy(symbol: string): Promise<string> {
  const market = createMarketReader({ restUrl: stack.paper.url });
  await market.clock.sync();
  const trading = createTrading({ restUrl: stack.paper.url, ...KEY, clock: market.clock });
  const clientOrderId = clientOrderIdOf({ profileId, symbol, purpose: 'entry', sequence: 1_000_000 });
  const price = floorToStep(multiply(await market.price(symbol), requireDecimal('0.9')), requireDecimal('0.01'));
  const order = orderOf({ profileId, symbol, form: { type: 'limit', price }, quantity: requireDecimal('0.002') });
  const sendBeforeMs = market.clock.protocolMs() + 5_000;
  const placed = await trading.place({ order, clientOrderId, sendBeforeMs, halted: () => false });
  assert.ok(placed.kind === 'accepted' && placed.order.state === 'open');
  const at = placed.order.updatedAt;
  const row: InsertObject<Tables, 'orders'> = {
    ...{ id: newId<OrderId>(), account_id: stack.accountId, epoch: 1, profile_id: profileId, symbol, fencing: 1 },
    ...({ side: 'buy', purpose: 'entry', type: 'limit', state: 'open' } as const),
    ...{ quantity: '0.002', price: formatDecimal(price) },
    ...{ client_order_id: clientOrderId, exchange_order_id: placed.order.exchangeOrderId, reason: 'entry-test' },
    ...{ decision: '{}', halt_order: 1, send_before: at, created_at: at, updated_at: at },
  };
  await stack.database.kysely.insertInto('orders').values(row).execute();
  return clientOrderId;
}

test('a kill switch that cancels buys takes a resting one off the exchange, also after a restart', async () => {
  const params = { id: profileId };
  await stack.stopWorker();
  const clientOrderId = await restBuy(SYMBOLS[19] ?? '');
  const body = { engaged: true, reason: 'drill', cancelEntryOrders: true };
  await stack.call(setProfileKillSwitch, { params, body });
  await stack.startWorker();
  const state = await until('the order is final', async () => {
    const order = (await entriesInOrder()).find((each) => each.client_order_id === clientOrderId);
    return order?.state !== 'open' && order?.state;
  });
  assert.equal(state, 'cancelled');
});
