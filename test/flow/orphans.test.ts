import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { adoptOrphanOrder, cancelOrphanOrder, leaveOrphanOrder, listOrphanOrders } from '#api/contract/orphans.ts';
import { createProfile, readCoin, setAverageEntryPrice, unbindCoin } from '#api/contract/profiles.ts';
import { formatDecimal, multiply, requireDecimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { detect, openOutside, type Outside, outcomeOf, ownId } from './outside.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

let stack: Stack;
let outside: Outside;
let profileId: ProfileId;

before(async () => {
  stack = await openStack({ source: { kind: 'synthetic' } });
  outside = openOutside(stack);
  const { accountId } = stack;
  const body = { accountId, name: 'Holder', strategyName: 'hold', symbols: ['BTCUSDT', 'ETHUSDT'], enabled: true };
  profileId = (await stack.call(createProfile, { body })).profile.id;
  await outside.send('order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.05' });
  await until('the coins to be ready', async () => {
    const { state, untracked } = (await coin('BTCUSDT')).coin;
    return state !== null && untracked !== null;
  });
});
after(() => stack[Symbol.asyncDispose]());

const coin = (symbol: string) => stack.call(readCoin, { params: { id: profileId, symbol } });
const paramsOf = ({ symbol, orderId }: { readonly symbol: string; readonly orderId: string }) => ({
  id: stack.accountId,
  symbol,
  orderId,
});
async function only(clientOrderId: string) {
  const found = (await detect(stack)).find((one) => one.clientOrderId === clientOrderId);
  return found ?? assert.fail(`${clientOrderId} is not listed`);
}

test('an order placed elsewhere is listed with what it locks; left it stays listed, cancelled it is gone', async () => {
  await outside.restBuy('web_left');
  const found = await only('web_left');
  const worth = formatDecimal(multiply(requireDecimal(found.price ?? ''), requireDecimal(found.quantity)));
  assert.deepEqual([found.state, found.locked], ['open', { asset: 'USDT', amount: worth }]);
  assert.equal(found.owner.evidence, 'The id does not come from this service; "Holder" trades BTCUSDT.');
  const jobs = await stack.database.pool.query(`select data from pgboss.job where name = 'notify'`);
  assert.match(JSON.stringify(jobs.rows), /"orphan-order".*of BTCUSDT belongs to no profile/);
  const [blocker] = (await coin('BTCUSDT')).coin.blockers;
  assert.deepEqual([blocker?.code, blocker?.numbers['orders']], ['base-locked-by-orphan', 1]);
  assert.match(
    blocker?.sentence ?? '',
    /^Not buying: 1 open order of BTC belongs to no profile\. Adopt, cancel or ignore it under/,
  );
  assert.deepEqual((await coin('ETHUSDT')).coin.blockers, []);
  const params = paramsOf(found);
  await assert.rejects(
    stack.call(adoptOrphanOrder, { params }),
    /409.*No profile of this account uses the id web_left/,
  );
  await stack.call(leaveOrphanOrder, { params });
  assert.equal((await only('web_left')).state, 'left');
  assert.match(
    (await coin('BTCUSDT')).coin.blockers[0]?.sentence ?? '',
    /^1 open order of BTC belongs to no profile and was left: 0 BTC cannot be sold/,
  );
  assert.equal((await outcomeOf(stack, await stack.call(cancelOrphanOrder, { params }))).state, 'done');
  assert.deepEqual(outside.resting(), []);
  assert.equal((await only('web_left')).state, 'cancelled');
  assert.deepEqual((await coin('BTCUSDT')).coin.blockers, []);
  await assert.rejects(stack.call(cancelOrphanOrder, { params }), /409.*no longer an orphan order: it is cancelled/);
  await assert.rejects(stack.call(leaveOrphanOrder, { params: { ...params, orderId: '999' } }), /404/);
});

test('an own order that only the exchange knew of is adopted by its owner, and watched from then on', async () => {
  const stop = { symbol: 'BTCUSDT', side: 'SELL', quantity: '0.02', newClientOrderId: ownId(profileId, 'stop') };
  const prices = { stopPrice: await outside.at('0.9'), price: await outside.at('0.89') };
  const before_ = (await coin('BTCUSDT')).coin.untracked;
  await outside.send('order', { ...stop, type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC', ...prices });
  const found = await only(stop.newClientOrderId);
  assert.deepEqual(
    [found.owner.proven, found.owner.profileName, found.locked],
    [true, 'Holder', { asset: 'BTC', amount: '0.02' }],
  );
  const { untracked, blockers } = (await coin('BTCUSDT')).coin;
  assert.ok(Math.abs(Number(before_) - Number(untracked) - 0.02) < 1e-9, 'what it locks cannot be sold');
  assert.equal(blockers[0]?.numbers['locked'], '0.02');
  const params = { id: profileId, symbol: 'BTCUSDT' };
  await stack.call(setAverageEntryPrice, { params, body: { averageEntryPrice: '50000' } });
  const held = await until('the price to be applied', async () => {
    const { quantity } = (await coin('BTCUSDT')).coin.position;
    return quantity !== '0' && Number(quantity);
  });
  assert.ok(Math.abs(held - Number(untracked)) < 1e-9, 'nor is it given to a position');
  const action = await outcomeOf(stack, await stack.call(adoptOrphanOrder, { params: paramsOf(found) }));
  assert.deepEqual([action.state, action.reason], ['done', null]);
  const shown = async () =>
    (await coin('BTCUSDT')).orders.find(({ clientOrderId }) => clientOrderId === stop.newClientOrderId);
  // The strategy wants no stop, so that the engine takes it down as it would one of its own.
  const order = await until('the engine to look after it', async () => {
    const now = await shown();
    return now?.state === 'cancelled' && now;
  });
  assert.deepEqual([order.type, order.purpose, order.stopPrice], ['stop-loss-limit', 'stop', prices.stopPrice]);
  assert.equal((await only(stop.newClientOrderId)).state, 'adopted');
  assert.deepEqual((await coin('BTCUSDT')).coin.blockers, []);
  assert.deepEqual(outside.resting(), []);
});

test('adopted orders keep their form; a leg of a list is not adopted', async () => {
  const trailing = {
    symbol: 'ETHUSDT',
    side: 'BUY',
    quantity: '0.01',
    newClientOrderId: ownId(profileId, 'exit', 'ETHUSDT'),
  };
  await outside.send('order', { ...trailing, type: 'STOP_LOSS', trailingDelta: '1500' });
  const plain = { ...trailing, newClientOrderId: trailing.newClientOrderId.replace(/.$/, '1') };
  await outside.send('order', { ...plain, type: 'STOP_LOSS', stopPrice: await outside.at('1.2', 'ETHUSDT') });
  const id = ownId(profileId, 'manual', 'ETHUSDT');
  await outside.restBuy(id, 'ETHUSDT');
  for (const clientOrderId of [trailing.newClientOrderId, plain.newClientOrderId, id]) {
    const params = paramsOf(await only(clientOrderId));
    assert.equal((await outcomeOf(stack, await stack.call(adoptOrphanOrder, { params }))).state, 'done');
  }
  const { orders } = await coin('ETHUSDT');
  assert.deepEqual(orders.map(({ type, state }) => `${state} ${type}`).toSorted(), [
    'open limit',
    'open stop-loss',
    'open trailing-stop',
  ]);
  const oco = { symbol: 'BTCUSDT', side: 'SELL', quantity: '0.01' };
  const above = { aboveType: 'LIMIT_MAKER', abovePrice: await outside.at('1.2') };
  const below = { belowType: 'STOP_LOSS', belowStopPrice: await outside.at('0.9') };
  const ids = { aboveClientOrderId: ownId(profileId, 'manual'), belowClientOrderId: 'leg-below' };
  await outside.send('orderList/oco', { ...oco, ...above, ...below, ...ids });
  const leg = await only(ids.aboveClientOrderId);
  assert.equal((await coin('BTCUSDT')).coin.blockers[0]?.numbers['locked'], '0.01');
  const params = paramsOf(leg);
  const refused = await outcomeOf(stack, await stack.call(adoptOrphanOrder, { params }));
  assert.match(refused.reason ?? '', /^It is a leg of an order list/);
  assert.equal((await outcomeOf(stack, await stack.call(cancelOrphanOrder, { params }))).state, 'done');
  const { orphans } = await stack.call(listOrphanOrders, { params: { id: stack.accountId } });
  const stateOf = (clientOrderId: string) => orphans.find((one) => one.clientOrderId === clientOrderId)?.state;
  assert.deepEqual([stateOf(ids.aboveClientOrderId), stateOf('leg-below')], ['cancelled', 'gone']);
});

test('a coin with live orders is unbound only with cancelOrders, and leaves none of its orders behind', async () => {
  await outside.restBuy('web_stays', 'ETHUSDT');
  await only('web_stays');
  const params = { id: profileId, symbol: 'ETHUSDT' };
  await assert.rejects(
    stack.call(unbindCoin, { params }),
    /409.*0 open positions and 3 live orders \(ETHUSDT 3 live orders\)/,
  );
  const asked = await stack.call(unbindCoin, { params, query: { cancelOrders: 'true' } });
  assert.deepEqual((await outcomeOf(stack, asked)).state, 'done');
  await assert.rejects(coin('ETHUSDT'), /404/);
  assert.deepEqual(outside.resting(), ['web_stays']);
  const live = stack.database.kysely.selectFrom('orders').select('id').where('state', '=', 'open').execute();
  assert.deepEqual(await live, []);
});
