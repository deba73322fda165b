import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountId } from '#core/ids.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import { requestCostBasis, readLedgerRow } from './cost-basis.ts';
import { confirmReset } from './epochs.ts';
import { refoldPosition } from './fills.ts';
import { walletSums } from './ledger.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import {
  AT,
  commitNext,
  d,
  fillOf,
  intentOf,
  type Owner,
  RULES,
  seedOwner,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from './trading-store.ts';

let own: TestDatabase;
before(async () => {
  own = await openTestDatabase();
});
after(() => own[Symbol.asyncDispose]());

const request = ({ accountId, fencing }: Owner, epoch = 1) => ({ account: { id: accountId, epoch }, fencing, at: AT });
const epochOf = async (id: AccountId) =>
  (await own.database.kysely.selectFrom('accounts').select('epoch').where('id', '=', id).executeTakeFirstOrThrow())
    .epoch;

test('a new epoch voids orders, positions, requested prices and ledger of the old one, and halts entries until it is confirmed', async () => {
  const { kysely } = own.database;
  const store = createTradingStore(own.database);
  const owner = await seedOwner(own.database);
  const other = await seedOwner(own.database).catch(() => undefined);
  assert.equal(other, undefined, 'there is one operator');
  const bought = await commitNext(store, owner);
  const base = { accountId: owner.accountId, epoch: 1, rules: RULES, cooldownMs: 0, feeQuote: null };
  const fill = fillOf('buy', '1 @ 100', { feeAmount: d('0.001'), feeAsset: 'BTC', exchangeOrderId: '7' });
  await store.applyFill({ ...base, orderId: bought.id, fill });
  const resting = await commitNext(store, owner, { side: 'sell', purpose: 'stop' });
  await store.updateOrder(resting.id, { state: 'open', exchangeOrderId: '8' });
  await requestCostBasis(
    kysely,
    { profileId: owner.profileId, symbol: 'ETHUSDT' },
    { price: d('5'), quantity: d('2') },
  );

  assert.deepEqual(await store.closeEpoch({ ...request(owner), fencing: owner.fencing - 1 }), { kind: 'lost-lease' });
  assert.equal(await epochOf(owner.accountId), 1);
  const twice = await Promise.all([1, 2].map(() => store.closeEpoch(request(owner))));
  const closed = twice.filter(({ kind }) => kind === 'closed');
  assert.deepEqual(closed, [{ kind: 'closed', epoch: 2, orders: 1, positions: 2 }]);

  assert.deepEqual(await store.liveOrders(owner.accountId), []);
  const closedStop = await store.findOrderByClientId(owner.accountId, resting.clientOrderId);
  assert.partialDeepStrictEqual(closedStop, { state: 'expired', payload: { reason: 'exchange-reset' } });
  const key = { profileId: owner.profileId, symbol: SYMBOL };
  const { position } = await store.loadRunner(owner.profileId, SYMBOL);
  assert.deepEqual(await refoldPosition(kysely, key, { rules: RULES, cooldownMs: 0 }), position);
  assert.deepEqual([position.quantity, position.firstBuyAt], [0n, null]);
  for (const symbol of [SYMBOL, 'ETHUSDT'])
    assert.equal(await readLedgerRow(kysely, { ...key, symbol }), undefined, symbol);
  assert.deepEqual(await walletSums(kysely, { id: owner.accountId, epoch: 1 }, ['wallet']), []);
  const moved = await walletSums(kysely, { id: owner.accountId, epoch: 1 }, ['adjustments']);
  assert.deepEqual(
    moved.map(({ asset, sum }) => [asset, formatDecimal(sum)]),
    [
      ['BTC', '0.999'],
      ['USDT', '-100'],
    ],
  );

  const { version } = await store.loadRunner(owner.profileId, SYMBOL);
  const refused = await store.commitIntent(intentOf(owner, { expectedVersion: version }));
  assert.ok(refused.kind === 'halted' && refused.halt.reset === true && refused.halt.scope === 'account');
  assert.deepEqual(await store.halts(), [refused.halt]);
  const exit = intentOf(owner, { expectedVersion: version, order: { side: 'sell', purpose: 'exit' } });
  const sold = await store.commitIntent(exit);
  assert.equal(sold.kind, 'committed', 'exits live on');
  assert.ok((await confirmReset(kysely, owner.accountId)) instanceof Date);
  assert.equal(await confirmReset(kysely, owner.accountId), null, 'once');
  const again = await commitNext(store, owner);
  const stored = kysely.selectFrom('orders').select('epoch').where('id', '=', again.id);
  assert.equal((await stored.executeTakeFirstOrThrow()).epoch, 2);

  // The same ids mean other executions now.
  const result = await store.applyFill({ ...base, epoch: 2, orderId: again.id, fill });
  assert.equal(result.applied, true);
  assert.equal((await store.applyFill({ ...base, epoch: 2, orderId: again.id, fill })).applied, false);
});
