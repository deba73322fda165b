// Two orders of one account meet: the exchange ends the resting one, and the engine continues from there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { clientOf } from '#test/paper/client.ts';
import { enter, type Guarded, openGuarded, ordersOf, SYMBOL } from './guarded.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';

const statuses = (on: Guarded, side: 'BUY' | 'SELL'): string[] =>
  ordersOf(on).flatMap((order) =>
    order.side === side && order.clientOrderId !== 'other' ? [`${order.type} ${order.status}`] : [],
  );
const states = async (on: Guarded): Promise<string[]> =>
  (await on.database.kysely.selectFrom('orders').select('state').orderBy('created_at').execute()).map(
    ({ state }) => state,
  );

/** An order as another profile of the account sends it, large enough to reach the price at `share`. */
async function meet(on: Guarded, side: 'BUY' | 'SELL', share: string): Promise<void> {
  await on.control('/balances', { account: 'a', balances: { USDT: '900000000', BTC: '20000' } });
  const sent = { symbol: SYMBOL, side, type: 'LIMIT', timeInForce: 'IOC', quantity: '140', newClientOrderId: 'other' };
  const price = formatDecimal(on.at(share));
  const { status, body } = await clientOf(on.paper.url)('POST /api/v3/order', { ...sent, price }, KEY);
  assert.equal(status, 200, JSON.stringify(body));
}

const isReported = (on: Guarded): boolean =>
  on.logs.some(({ ctx }) => JSON.stringify(ctx).includes('self_trade_prevented'));

test('a waiting buy that meets a sale of its own account ends, is reported, and is decided on again', async () => {
  await using on = await openGuarded();
  on.wheel.want = 'buy';
  on.wheel.form = { type: 'maker', limit: on.ticks('0.99') };
  await on.tick();
  await until('the buy to wait', () => statuses(on, 'BUY').join() === 'LIMIT_MAKER NEW');
  await meet(on, 'SELL', '0.99');
  await until('another buy', () => statuses(on, 'BUY').length > 1);
  assert.equal(statuses(on, 'BUY')[0], 'LIMIT_MAKER EXPIRED_IN_MATCH');
  assert.equal((await states(on))[0], 'expired');
  await until('the log row', () => isReported(on));
  assert.equal(on.coin().position.firstBuyAt, null, 'nothing was bought from itself');
});

test('a stop that meets a buy of its own account while it sells is replaced by a sale', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.trade('0.955');
  await until('the stop to sell', () => ordersOf(on).some(({ working, side }) => working && side === 'SELL'));
  await meet(on, 'BUY', '0.9655');
  await until('the position to be sold', () => on.coin().position.firstBuyAt === null && on.coin().live.size === 0);
  assert.equal(statuses(on, 'SELL')[0], 'STOP_LOSS_LIMIT EXPIRED_IN_MATCH');
  assert.equal(statuses(on, 'SELL').at(-1), 'MARKET FILLED');
  await until('the log row', () => isReported(on));
});
