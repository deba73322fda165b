import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { add, type Decimal, multiply, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { newId, type OrderId } from '#core/ids.ts';
import type { OrderRecord } from '#core/order/order.ts';
import type { TradingStore } from '#core/ports/store.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { refoldPosition } from './fills.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import {
  AT,
  commitNext,
  d,
  exchangeIdOf,
  fillOf,
  intentOf,
  type Owner,
  requireCommitted,
  RULES,
  seedNextOwner,
  seedOwner,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from './trading-store.ts';

let test: TestDatabase;
let store: TradingStore;
before(async () => {
  test = await openTestDatabase();
  store = createTradingStore(test.database);
  await seedOwner(test.database);
});
after(() => test[Symbol.asyncDispose]());

const freshOwner = (): Promise<Owner> => seedNextOwner(test.database);
const REST = { epoch: 1, rules: RULES, cooldownMs: 60_000 };
const apply = (order: OrderRecord, fill: ExchangeFill, on = store, feeQuote: Decimal | null = null) =>
  on.applyFill({
    ...{ ...REST, accountId: order.accountId, orderId: order.id, feeQuote },
    fill: { ...fill, exchangeOrderId: exchangeIdOf(order) },
  });
const refold = ({ profileId }: Owner) =>
  refoldPosition(test.database.kysely, { profileId, symbol: SYMBOL }, { rules: RULES, cooldownMs: 60_000 });
const orderNow = (order: OrderRecord) => store.findOrderByClientId(order.accountId, order.clientOrderId);

const rowsOf = ({ id }: OrderRecord) =>
  test.database.kysely.selectFrom('fills').selectAll().where('order_id', '=', id).execute();
const cyclesOf = ({ profileId }: Owner) =>
  test.database.kysely.selectFrom('closed_cycles').selectAll().where('profile_id', '=', profileId).execute();

/** Balance per book and asset of one profile's ledger rows. */
async function ledgerOf({ profileId }: Owner): Promise<Map<string, Decimal>> {
  const rows = await test.database.kysely
    .selectFrom('ledger_entries')
    .select(['book', 'asset', sql<string>`sum(amount)`.as('sum')])
    .where('profile_id', '=', profileId)
    .groupBy(['book', 'asset'])
    .execute();
  return new Map(rows.map((row) => [`${row.book} ${row.asset}`, requireDecimal(row.sum)]));
}

describe('applyFill', () => {
  it('books a cycle: position, order states, ledger and the closed cycle', async () => {
    const owner = await freshOwner();
    const buy = await commitNext(store, owner, { quantity: d('2') });
    const first = await apply(buy, fillOf('buy', '0.5 @ 100', { feeAmount: d('0.05'), feeAsset: 'USDT' }));
    assert.deepEqual([first.applied, first.version], [true, 2]);
    assert.equal((await orderNow(buy))?.state, 'partially-filled');
    await apply(buy, fillOf('buy', '1.5 @ 104', { feeAmount: d('0.001'), feeAsset: 'BNB' }));
    const filled = await orderNow(buy);
    assert.deepEqual([filled?.state, filled?.filledQuantity, filled?.filledQuote], ['filled', d('2'), d('206')]);
    assert.equal(filled?.exchangeOrderId, exchangeIdOf(buy));
    const sell = await commitNext(store, owner, { quantity: d('2'), side: 'sell', purpose: 'exit' });
    const { position } = await apply(sell, fillOf('sell', '2 @ 110', { feeAmount: d('0.22'), feeAsset: 'USDT' }));
    assert.deepEqual([position.quantity, position.lastCycleNet], [ZERO, d('13.73')]);
    const cycles = await cyclesOf(owner);
    const { kysely } = test.database;
    const bought = await kysely
      .selectFrom('fills')
      .select('at')
      .where('order_id', '=', buy.id)
      .orderBy('runner_version')
      .execute();
    assert.deepEqual(
      cycles.map((row) => [row.cycle, row.net, row.opened_at]),
      [[1, '13.73', bought[0]?.at]],
    );
    const ledger = await ledgerOf(owner);
    assert.deepEqual(
      [ledger.get('wallet BTC'), ledger.get('wallet USDT'), ledger.get('wallet BNB')],
      [ZERO, d('13.73'), d('-0.001')],
    );
  });

  it('folds the same fill once, applied from eight connections at once', async () => {
    const owner = await freshOwner();
    const order = await commitNext(store, owner);
    const fill = fillOf('buy', '0.5 @ 100');
    await using other = openDatabase(test.url, { max: 8 });
    const elsewhere = createTradingStore(other);
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, i) => apply(order, fill, i % 2 === 0 ? store : elsewhere)),
    );
    assert.equal(results.filter((result) => result.applied).length, 1);
    assert.deepEqual(new Set(results.map((result) => result.version)), new Set([2]));
    assert.deepEqual(new Set(results.map((result) => result.position.quantity)), new Set([d('0.5')]));
    assert.deepEqual((await ledgerOf(owner)).get('wallet BTC'), d('0.5'));
    assert.deepEqual((await orderNow(order))?.filledQuantity, d('0.5'));
  });
});

describe('a fee in a third asset', () => {
  const fee = { feeAmount: d('0.001'), feeAsset: 'BNB' };

  it('lowers the net by its value at the fill, once, whatever it is worth when the fill comes again', async () => {
    const owner = await freshOwner();
    const buy = await commitNext(store, owner);
    const sell = await commitNext(store, owner, { side: 'sell', purpose: 'exit' });
    const sold = fillOf('sell', '1 @ 110', fee);
    await apply(buy, fillOf('buy', '1 @ 100', fee), store, d('0.6'));
    await apply(sell, sold, store, d('0.7'));
    const { applied, position } = await apply(sell, sold, store, d('0.9'));
    assert.deepEqual([applied, position.lastCycleNet], [false, d('8.7')]);
    assert.deepEqual(
      (await cyclesOf(owner)).map(({ net }) => net),
      ['8.7'],
    );
    const [{ fee_quote: value, realised } = assert.fail()] = await rowsOf(sell);
    assert.deepEqual([value, realised], ['0.7', '8.7']);
    assert.deepEqual(position, await refold(owner));
  });

  it('is booked without a value while none is known', async () => {
    const owner = await freshOwner();
    const buy = await commitNext(store, owner);
    const { applied, position } = await apply(buy, fillOf('buy', '1 @ 100', fee));
    assert.deepEqual([applied, position.cost], [true, d('100')]);
    assert.equal((await rowsOf(buy))[0]?.fee_quote, null);
    assert.deepEqual((await ledgerOf(owner)).get('wallet BNB'), d('-0.001'));
    assert.deepEqual(position, await refold(owner));
  });
});

describe('levelFills', () => {
  const entryOf = (level: number, plannedQuote: string) => ({ decision: { entry: { level, plannedQuote } } });
  const commitEntry = async (owner: Owner, decision: object) => {
    const { version } = await store.loadRunner(owner.profileId, SYMBOL);
    const intent = intentOf(owner, { ...decision, expectedVersion: version });
    return requireCommitted(await store.commitIntent(intent)).record;
  };

  it('returns the fills of each buy level in the current cycle', async () => {
    const owner = await freshOwner();
    const level = async (decision: object, amount: string) => {
      const order = await commitEntry(owner, decision);
      await apply(order, fillOf('buy', amount));
    };
    const levels = () => store.levelFills(owner.profileId, SYMBOL);
    assert.deepEqual(await levels(), []);
    await level(entryOf(0, '50'), '0.2 @ 100');
    await level(entryOf(0, '30'), '0.3 @ 100');
    await level(entryOf(1, '60'), '0.5 @ 100');
    await level({}, '0.1 @ 100');
    assert.deepEqual(await levels(), [
      { level: 0, plannedQuote: d('50'), filledQuote: d('50') },
      { level: 1, plannedQuote: d('60'), filledQuote: d('50') },
      { level: null, plannedQuote: ZERO, filledQuote: d('10') },
    ]);
    const sell = await commitNext(store, owner, { quantity: d('1.1'), side: 'sell', purpose: 'exit' });
    await apply(sell, fillOf('sell', '1.1 @ 110'));
    assert.deepEqual(await levels(), []);
    await level(entryOf(0, '40'), '0.4 @ 100');
    assert.deepEqual(await levels(), [{ level: 0, plannedQuote: d('40'), filledQuote: d('40') }]);
  });
});

describe('applyFill and the order', () => {
  it('makes an intent decided before the fill answer moved', async () => {
    const owner = await freshOwner();
    const order = await commitNext(store, owner);
    const before = await store.loadRunner(owner.profileId, SYMBOL);
    const { version } = await apply(order, fillOf('buy', '0.5 @ 100'));
    assert.equal(version, before.version + 1);
  });

  it('keeps a cancelled order cancelled and a larger reported amount', async () => {
    const owner = await freshOwner();
    const order = await commitNext(store, owner);
    await store.updateOrder(order.id, { state: 'cancelled', filledQuantity: d('0.7'), filledQuote: d('70') });
    await apply(order, fillOf('buy', '0.5 @ 100'));
    const now = await orderNow(order);
    assert.deepEqual([now?.state, now?.filledQuantity, now?.filledQuote], ['cancelled', d('0.7'), d('70')]);
    assert.deepEqual((await store.loadRunner(owner.profileId, SYMBOL)).position.quantity, d('0.5'));
  });

  it('corrects never-arrived by the proof of a fill', async () => {
    const owner = await freshOwner();
    const order = await commitNext(store, owner);
    await store.updateOrder(order.id, { state: 'never-arrived' });
    await apply(order, fillOf('buy', '1 @ 100'));
    assert.equal((await orderNow(order))?.state, 'filled');
  });

  it('books two sides of a self-trade under one trade id', async () => {
    const owner = await freshOwner();
    const buy = await commitNext(store, owner);
    const sell = await commitNext(store, owner, { side: 'sell', purpose: 'exit' });
    const fill = fillOf('buy', '1 @ 100');
    await apply(buy, fill);
    const result = await apply(sell, { ...fill, side: 'sell' });
    assert.deepEqual([result.applied, result.position.quantity], [true, ZERO]);
  });
});

describe('applyFill and the cycle', () => {
  it('amends the cycle by the fills that come after the one that closed it', async () => {
    const owner = await freshOwner();
    const buy = await commitNext(store, owner);
    await apply(buy, fillOf('buy', '1 @ 100'));
    const sell = await commitNext(store, owner, { side: 'sell', purpose: 'exit' });
    await apply(sell, fillOf('sell', '0.96 @ 90'));
    const { position } = await apply(sell, fillOf('sell', '0.04 @ 80'));
    assert.deepEqual([position.lastCycleNet, position.quantity, position.cycle], [d('-10.4'), ZERO, 1]);
    assert.deepEqual(
      (await cyclesOf(owner)).map((row) => row.net),
      ['-10.4'],
    );
  });

  it('refuses a fill of an order that is not there', async () => {
    const fill = fillOf('buy', '1 @ 100');
    const request = {
      accountId: (await freshOwner()).accountId,
      epoch: 1,
      orderId: newId<OrderId>(),
      fill,
      rules: RULES,
      cooldownMs: 0,
      feeQuote: null,
    };
    await assert.rejects(store.applyFill(request), /names the unknown order/);
  });
});

const anyFill = fc.record({
  buy: fc.boolean(),
  lots: fc.integer({ min: 1, max: 300_000 }),
  cents: fc.integer({ min: 1_000, max: 20_000_000 }),
  fee: fc.constantFrom('BTC', 'USDT', 'BNB', null),
  again: fc.boolean(),
});

describe('a random sequence of fills', () => {
  it('stores the fold of the fills; ledger rows balance and the wallet book is their sum', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFill, { minLength: 1, maxLength: 10 }), async (fills) => {
        const owner = await freshOwner();
        const buy = await commitNext(store, owner, { quantity: d('9000') });
        const sell = await commitNext(store, owner, { quantity: d('9000'), side: 'sell', purpose: 'exit' });
        const wallet = new Map<string, Decimal>();
        const book = (asset: string, amount: Decimal): void =>
          void wallet.set(asset, add(wallet.get(asset) ?? ZERO, amount));
        for (const [index, { buy: buying, lots, cents, fee, again }] of fills.entries()) {
          const quantity = multiply(d(String(lots)), d('0.00001'));
          const price = multiply(d(String(cents)), d('0.01'));
          const feeAmount = fee === null ? ZERO : multiply(quantity, d('0.001'));
          const fill = {
            ...fillOf(buying ? 'buy' : 'sell', '1 @ 1'),
            ...{ quantity, price, quoteQuantity: multiply(quantity, price), feeAmount, feeAsset: fee },
            at: new Date(AT.getTime() + index),
          };
          const order = buying ? buy : sell;
          await apply(order, fill);
          if (again) assert.equal((await apply(order, fill)).applied, false);
          book('BTC', buying ? quantity : subtract(ZERO, quantity));
          book('USDT', buying ? subtract(ZERO, fill.quoteQuantity) : fill.quoteQuantity);
          if (fee !== null) book(fee, subtract(ZERO, feeAmount));
        }
        assert.deepEqual((await store.loadRunner(owner.profileId, SYMBOL)).position, await refold(owner));
        const ledger = await ledgerOf(owner);
        for (const [asset, balance] of wallet) {
          const books = ['wallet', 'market', 'fees'].map((name) => ledger.get(`${name} ${asset}`) ?? ZERO);
          assert.equal(books[0], balance);
          assert.equal(books.reduce(add), ZERO);
        }
      }),
      { numRuns: 25 },
    );
  });
});
