import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NOT_HELD_NOTE } from '#core/position/cost-basis.ts';
import { formatDecimal, ZERO } from '#core/amount/decimal.ts';
import type { AdjustmentRequest, TradingStore } from '#core/ports/store.ts';
import { requestCostBasis, readLedgerRow } from './cost-basis.ts';
import { refoldPosition } from './fills.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import {
  AT,
  commitNext,
  d,
  exchangeIdOf,
  fillOf,
  type Owner,
  RULES,
  seedNextOwner,
  seedOwner,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from './trading-store.ts';

let base: TestDatabase;
let store: TradingStore;
before(async () => {
  base = await openTestDatabase();
  store = createTradingStore(base.database);
  await seedOwner(base.database);
});
after(() => base[Symbol.asyncDispose]());

const freshOwner = (): Promise<Owner> => seedNextOwner(base.database);
const keyOf = ({ profileId }: Owner) => ({ profileId, symbol: SYMBOL });

async function requestOf(owner: Owner, changes: Partial<AdjustmentRequest> = {}): Promise<AdjustmentRequest> {
  return {
    account: { id: owner.accountId, epoch: 1 },
    fencing: owner.fencing,
    profileId: owner.profileId,
    symbol: SYMBOL,
    baseAsset: 'BTC',
    reason: 'average-entry-price',
    averagePrice: d('90'),
    quantity: d('0.5'),
    held: true,
    note: null,
    at: AT,
    basis: await store.costBasis(owner.profileId, SYMBOL),
    ...changes,
  };
}

async function bookBuy(owner: Owner, amount: string): Promise<void> {
  const order = await commitNext(store, owner);
  const fill = fillOf('buy', amount, { exchangeOrderId: exchangeIdOf(order) });
  await store.applyFill({
    ...{ accountId: owner.accountId, epoch: 1, orderId: order.id, fill, rules: RULES, cooldownMs: 0, feeQuote: null },
  });
}

test('a request shows in the cost-basis ledger at once, and the position changes with the adjustment only', async () => {
  const owner = await freshOwner();
  assert.equal(await readLedgerRow(base.database.kysely, keyOf(owner)), undefined);
  await requestCostBasis(base.database.kysely, keyOf(owner), { price: d('90'), quantity: d('0.5') });
  const row = await readLedgerRow(base.database.kysely, keyOf(owner));
  assert.deepEqual([row?.average_price, row?.quantity], ['90', '0.5']);
  assert.equal((await store.loadRunner(owner.profileId, SYMBOL)).position.quantity, ZERO);
  await store.adjustPosition(await requestOf(owner));
  const basis = await store.costBasis(owner.profileId, SYMBOL);
  assert.deepEqual([basis.asked, formatDecimal(basis.position.quantity), basis.version], [null, '0.5', 1]);
});

test('adjustments and fills fold to the stored position, and the ledger rows of each balance', async () => {
  const owner = await freshOwner();
  await bookBuy(owner, '1 @ 100');
  await store.adjustPosition(await requestOf(owner, { quantity: d('0.75'), reason: 'drift' }));
  await bookBuy(owner, '0.25 @ 110');
  const { position } = await store.loadRunner(owner.profileId, SYMBOL);
  assert.deepEqual([formatDecimal(position.quantity), formatDecimal(position.averagePrice)], ['1', '95']);
  const folded = await refoldPosition(base.database.kysely, keyOf(owner), { rules: RULES, cooldownMs: 0 });
  assert.deepEqual(folded, position);
  const rows = await base.database.kysely
    .selectFrom('ledger_entries')
    .select(['book', 'asset', 'amount'])
    .where('profile_id', '=', owner.profileId)
    .where('reason', '=', 'drift')
    .orderBy('book')
    .execute();
  assert.deepEqual(rows, [
    { book: 'adjustments', asset: 'BTC', amount: '0.25' },
    { book: 'wallet', asset: 'BTC', amount: '-0.25' },
  ]);
});

test('an adjustment of something that has moved, or under a lost lease, changes nothing', async () => {
  const owner = await freshOwner();
  const request = await requestOf(owner);
  await bookBuy(owner, '1 @ 100');
  assert.deepEqual(await store.adjustPosition(request), { kind: 'moved' });
  const stale = await requestOf(owner, { fencing: owner.fencing - 1 });
  assert.deepEqual(await store.adjustPosition(stale), { kind: 'lost-lease' });
  assert.equal(formatDecimal((await store.loadRunner(owner.profileId, SYMBOL)).position.quantity), '1');
});

test('a request that arrives while another is applied stays pending', async () => {
  const owner = await freshOwner();
  await requestCostBasis(base.database.kysely, keyOf(owner), { price: d('90'), quantity: d('0.5') });
  const request = await requestOf(owner);
  await requestCostBasis(base.database.kysely, keyOf(owner), { price: d('80'), quantity: d('0.5') });
  assert.equal((await store.adjustPosition(request)).kind, 'adjusted');
  assert.equal((await store.costBasis(owner.profileId, SYMBOL)).asked?.price, d('80'));
});

test('note shown | buy fill on the symbol | note absent: in the transaction of the fill', async () => {
  const owner = await freshOwner();
  const marker = await requestOf(owner, { quantity: ZERO, held: false, note: NOT_HELD_NOTE });
  await store.adjustPosition(marker);
  assert.equal((await readLedgerRow(base.database.kysely, keyOf(owner)))?.note, NOT_HELD_NOTE);
  await bookBuy(owner, '1 @ 100');
  const row = await readLedgerRow(base.database.kysely, keyOf(owner));
  assert.deepEqual([row?.note, row?.average_price, row?.quantity], [null, '100', '1']);
});

test('a quantity whose asset is not known cannot change, and nothing is half written', async () => {
  const owner = await freshOwner();
  await assert.rejects(store.adjustPosition(await requestOf(owner, { baseAsset: null })), /base asset is not known/);
  assert.equal((await store.costBasis(owner.profileId, SYMBOL)).version, 0);
});
