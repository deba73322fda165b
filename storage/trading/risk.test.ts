import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Decimal, formatDecimal } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { NO_LIMITS, type RiskLimits } from '#core/account/risk.ts';
import { lockRiskLimits, pauseCoin, readRisk, type RiskTarget, saveRiskLimits } from './risk.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import {
  AT,
  commitNext,
  d,
  exchangeIdOf,
  fillOf,
  intentOf,
  type Owner,
  RULES,
  seedNextOwner,
  seedOwner,
  seedTradingProfile,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from './trading-store.ts';

const LIMITS: RiskLimits = { ...NO_LIMITS, asset: 'USDT', dailyLoss: '10', exposure: '100' };
const later = (ms: number): Date => new Date(AT.getTime() + ms);

async function openDesk() {
  const on = await openTestDatabase();
  const store = createTradingStore(on.database);
  const owner = await seedOwner(on.database);
  const limit = (target: RiskTarget) => saveRiskLimits(on.database.kysely, target, LIMITS);
  const trade = async (who: Owner, fill: ExchangeFill, feeQuote: Decimal | null = null) => {
    const { side, symbol, quantity } = fill;
    const order = await commitNext(store, who, { side, symbol, quantity, purpose: side === 'buy' ? 'entry' : 'exit' });
    await store.applyFill({
      accountId: who.accountId,
      epoch: 1,
      orderId: order.id,
      fill: { ...fill, exchangeOrderId: exchangeIdOf(order) },
      rules: RULES,
      cooldownMs: 0,
      feeQuote,
    });
  };
  const facts = (now = later(3_600_000)) => readRisk(on.database.kysely, owner.accountId, now);
  return { on, store, owner, limit, trade, facts, [Symbol.asyncDispose]: () => on[Symbol.asyncDispose]() };
}

test('nothing but pauses and buys is read while nothing is limited', async () => {
  await using desk = await openDesk();
  await desk.trade(desk.owner, fillOf('buy', '1 @ 100', { at: later(0) }));
  const facts = await desk.facts();
  assert.deepEqual([facts.gains, facts.closings, facts.holdings], [[], [], []]);
  assert.deepEqual(
    facts.limits.map(({ scope, subject, limits }) => [scope, subject, limits]),
    [
      ['account', desk.owner.accountId, NO_LIMITS],
      ['profile', desk.owner.profileId, NO_LIMITS],
    ],
  );
});

test('a fee in a third asset counts by its value, and not at all while that is unknown', async () => {
  await using desk = await openDesk();
  const { owner } = desk;
  await desk.limit({ scope: 'account', subject: owner.accountId });
  const fee = (ms: number) => ({ feeAmount: d('0.001'), feeAsset: 'BNB', at: later(ms) });
  await desk.trade(owner, fillOf('buy', '1 @ 100', fee(1_000)), d('0.6'));
  await desk.trade(owner, fillOf('sell', '0.5 @ 90', fee(2_000)), d('0.7'));
  await desk.trade(owner, fillOf('sell', '0.5 @ 90', fee(3_000)));
  const { gains } = await desk.facts();
  assert.deepEqual(
    gains.map(({ net }) => formatDecimal(net)),
    ['0', '-6', '-5.3'],
  );
});

test('results count every fee, positions cost what was paid, of this account only', async () => {
  await using desk = await openDesk();
  const { owner, on } = desk;
  await desk.limit({ scope: 'account', subject: owner.accountId });
  const symbol = 'BTCUSDC';
  const profile = { name: 'Second', symbols: [symbol] };
  const second = { ...owner, profileId: await seedTradingProfile(on.database, owner.accountId, profile) };
  const foreign = await seedNextOwner(on.database);
  const fee = (feeAmount: string, feeAsset: string, ms: number) => ({
    feeAmount: d(feeAmount),
    feeAsset,
    at: later(ms),
  });
  await desk.trade(owner, fillOf('buy', '1 @ 100', fee('0.1', 'USDT', 1_000)));
  await desk.trade(owner, fillOf('sell', '1 @ 90', fee('0.2', 'USDT', 2_000)));
  await desk.trade(second, fillOf('buy', '2.0000001 @ 100.00000000003', { ...fee('0.001', 'BTC', 3_000), symbol }));
  await desk.trade(foreign, fillOf('buy', '1 @ 100', fee('0', 'USDT', 4_000)));
  const { gains, closings, holdings } = await desk.facts();
  assert.deepEqual(
    gains.map(({ profileId, at, net }) => [profileId, at.getTime() - AT.getTime(), formatDecimal(net)]),
    [
      [owner.profileId, 1_000, '0'],
      [owner.profileId, 2_000, '-10.3'],
      [second.profileId, 3_000, '0'],
    ],
  );
  assert.deepEqual(
    closings.map(({ net }) => formatDecimal(net)),
    ['-10.3'],
  );
  assert.deepEqual(
    holdings.map(({ profileId, symbol, cost, open }) => [profileId, symbol, formatDecimal(cost), open]),
    [[second.profileId, symbol, '200.000010000060000003', true]],
  );
  const tomorrow = await desk.facts(later(24 * 3_600_000));
  assert.deepEqual(tomorrow.gains, []);
});

test('buys of the last minute count, and older ones that may still spend', async () => {
  await using desk = await openDesk();
  const { owner, store } = desk;
  const decision = { entry: { level: 0, plannedQuote: '150' } };
  const commit = async (symbol: string, at: Date) => {
    const result = await store.commitIntent(intentOf(owner, { order: { symbol }, decision, at }));
    assert.ok(result.kind === 'committed');
    return result.record;
  };
  const old = await commit('C1USDT', AT);
  await store.updateOrder(old.id, { state: 'rejected', at: AT });
  const recent = await commit('C2USDT', later(1_000));
  await store.updateOrder(recent.id, { state: 'cancelled', at: later(1_000) });
  await commit('C3USDT', AT);
  const limitForm = { type: 'limit', price: d('20') } as const;
  const resting = intentOf(owner, { order: { symbol: 'C4USDT', form: limitForm, quantity: d('2') }, at: AT });
  assert.equal((await store.commitIntent(resting)).kind, 'committed');
  const { entries } = await desk.facts(later(60_500));
  assert.deepEqual(entries.map(({ symbol, live, quote }) => `${symbol} ${live} ${formatDecimal(quote)}`).toSorted(), [
    'C2USDT false 150',
    'C3USDT true 150',
    'C4USDT true 40',
  ]);
});

test('limits are kept whole; a pause refuses the commit of an entry, not of an exit, and ends', async () => {
  await using desk = await openDesk();
  const { owner, store, on } = desk;
  const target = { scope: 'profile', subject: owner.profileId } as const;
  await desk.limit(target);
  assert.deepEqual(await lockRiskLimits(on.database.kysely, target), LIMITS);
  const pause = (until: Date | null) =>
    pauseCoin(on.database.kysely, { profileId: owner.profileId, symbol: SYMBOL, until, why: 'news' });
  await pause(new Date(Date.now() + 60_000));
  const [first] = (await desk.facts()).pauses;
  await pause(new Date(Date.now() + 120_000));
  const [again] = (await desk.facts()).pauses;
  assert.equal(again?.why, 'news');
  assert.deepEqual(again?.since, first?.since);
  assert.equal((await store.commitIntent(intentOf(owner))).kind, 'moved');
  const exit = intentOf(owner, { order: { side: 'sell', purpose: 'exit' } });
  assert.equal((await store.commitIntent(exit)).kind, 'committed');
  await pause(new Date(Date.now() - 1));
  assert.deepEqual((await desk.facts()).pauses, []);
  assert.equal((await store.commitIntent(intentOf(owner, { expectedVersion: 1 }))).kind, 'committed');
});
