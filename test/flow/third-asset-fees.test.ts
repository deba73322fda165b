import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add, formatDecimal, multiply, requireDecimal as d, subtract, ZERO } from '#core/amount/decimal.ts';
import type { Side } from '#core/order/order.ts';
import { NO_LIMITS } from '#core/account/risk.ts';
import { baseFeeRate } from '#engine/state/base-fee.ts';
import { execute } from '#engine/tick/execute.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { realisedSince } from '#storage/operator/dashboard.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { readRisk, saveRiskLimits } from '#storage/trading/risk.ts';
import { type AccountBench, openAccountBench, SYMBOL } from './account-bench.ts';
import { until } from './until.ts';

const START_MS = Date.UTC(2026, 0, 5);

/** Sends a market order and answers its executions once it is filled. */
async function trade({ running, database }: AccountBench, side: Side) {
  const [runner] = running.coins.of(SYMBOL);
  assert.ok(runner !== undefined);
  const { profile, context, symbol } = runner.coin;
  const owner = { accountId: context.account.id, profileId: profile.id, symbol };
  const purpose = side === 'buy' ? 'entry' : 'exit';
  const order = orderOf({ ...owner, side, purpose, quantity: d('0.01') });
  await runner.change(async () => void (await execute(runner.coin, { reason: 'test', numbers: {}, order })));
  await until('the order is filled', () => runner.coin.live.size === 0);
  const of = database.kysely.selectFrom('orders').selectAll().where('side', '=', side);
  const { id, filled_quote: quote } = await of.executeTakeFirstOrThrow();
  const fills = await database.kysely.selectFrom('fills').selectAll().where('order_id', '=', id).execute();
  return { quote: d(quote), fills };
}

test('fees paid in BNB count in the result of a round trip, in quote', async () => {
  await using on = await openAccountBench({
    clock: { kind: 'virtual', startMs: START_MS },
    account: { balances: { USDT: '100000', BNB: '10' }, feesInBnb: true },
  });
  const { kysely } = on.database;
  const { account, feePrices } = on.running.context;
  const assets = { baseAsset: 'BTC', quoteAsset: 'USDT' };
  const one = { feeAsset: 'BNB', feeAmount: d('1'), at: new Date(START_MS) };
  // The market clock is stopped: the price does not change.
  const price = await on.market.price('BNBUSDT');
  await until('the price of BNB is known', () => feePrices.valueOf(one, assets) !== null);
  const limits = { ...NO_LIMITS, asset: 'USDT', dailyLoss: '10' };
  await saveRiskLimits(kysely, { scope: 'account', subject: account.id }, limits);
  const { context } = on.running;
  assert.equal(baseFeeRate(context, assets), 0.001, 'no fill has shown yet what fees are paid in');
  const [bought, sold] = [await trade(on, 'buy'), await trade(on, 'sell')];
  assert.equal(baseFeeRate(context, assets), 0, 'bought coins stay whole');
  assert.equal(baseFeeRate(context, { baseAsset: 'BNB', quoteAsset: 'USDT' }), 0.001, 'but those of the asset itself');
  assert.equal(await createTradingStore(on.database).newestThirdFee(account.id), 'BNB', 'a restart knows it, too');
  context.wallet.merge({ BNB: { free: '0.0001', locked: '0' } }, new Date(START_MS));
  assert.equal(baseFeeRate(context, assets), 0.001, 'too little is left of it: the exchange takes coins instead');
  for (const fill of [...bought.fills, ...sold.fills]) {
    assert.equal(fill.fee_asset, 'BNB');
    assert.equal(d(fill.fee_quote ?? ''), multiply(d(fill.fee_amount), price));
  }
  const feesOf = (side: typeof sold) => side.fills.reduce((sum, fill) => add(sum, d(fill.fee_quote ?? '')), ZERO);
  assert.ok(feesOf(bought) > 0n && feesOf(sold) > 0n);
  const proceeds = subtract(sold.quote, feesOf(sold));
  const net = formatDecimal(subtract(proceeds, add(bought.quote, feesOf(bought))));
  const [cycle] = await kysely.selectFrom('closed_cycles').select('net').execute();
  assert.equal(cycle?.net, net);
  const { gains } = await readRisk(kysely, account.id, new Date(START_MS));
  const counted = gains.reduce((sum, gain) => add(sum, gain.net), ZERO);
  assert.equal(formatDecimal(counted), net, 'the daily loss counts both fees');
  const [today] = await realisedSince(kysely, account.id, new Date(0));
  assert.equal(formatDecimal(d(today?.realised ?? '')), net, 'and so does what the pages show');
});
