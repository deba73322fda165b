import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { isOwnClientOrderId } from '#core/order/order.ts';
import type { IntentRequest, TradingStore } from '#core/ports/store.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { engageHalt, releaseHalt } from './halts.ts';
import { acquireLease } from '#storage/postgres/leases.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import {
  AT,
  commitNext,
  d,
  fillOf,
  intentOf,
  type Owner,
  requireCommitted,
  RULES,
  seedNextOwner,
  seedOwner,
  seedTradingProfile,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { CommitUnknown } from '#storage/postgres/statements.ts';
import { createTradingStore } from './trading-store.ts';

const countOrders = async (db: Database): Promise<number> => {
  const row = await db.kysely.selectFrom('orders').select(sql<string>`count(*)`.as('count')).executeTakeFirstOrThrow();
  return Number(row.count);
};

/** Commits one intent after the other until one is refused; answers with the refusal. */
async function commitUntilRefused(
  store: TradingStore,
  owner: Owner,
  symbol: string,
  onCommit: () => void,
): Promise<string> {
  for (let version = 0; ; ) {
    const result = await store.commitIntent(intentOf(owner, { order: { symbol }, expectedVersion: version }));
    if (result.kind !== 'committed') return result.kind;
    version = result.version;
    onCommit();
  }
}

const byId = (a: { id: string } | undefined, b: { id: string } | undefined): number =>
  (a?.id ?? '') < (b?.id ?? '') ? -1 : 1;

/** A stop with a target, of a quantity of 1. */
function listIntentOf(owner: Owner): IntentRequest {
  const draft = { side: 'sell', quantity: d('1') } as const;
  const form = { type: 'stop-loss-limit', price: d('96.5'), stopPrice: d('97') } as const;
  const above = intentOf(owner, { order: { ...draft, purpose: 'target', form: { type: 'limit', price: d('105') } } });
  const target = { order: above.order, orderId: above.orderId, reason: 'exit-take-profit' };
  return {
    ...intentOf(owner, { order: { ...draft, purpose: 'stop', form }, stopRests: true, expectedVersion: 1 }),
    target,
  };
}

describe('commitIntent', () => {
  it('writes order, strategy state and version together and numbers the orders', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    const form = { type: 'stop-loss-limit', price: d('99.5'), stopPrice: d('100.25') } as const;
    const request = intentOf(owner, { order: { form, side: 'sell', purpose: 'stop', quantity: d('0.00012') } });
    const { record, version } = requireCommitted(await store.commitIntent(request));
    assert.equal(version, 1);
    assert.ok(isOwnClientOrderId(record.clientOrderId, owner.profileId, SYMBOL));
    assert.deepEqual(await store.findOrderByClientId(owner.accountId, record.clientOrderId), record);
    assert.deepEqual(await store.liveOrders(owner.accountId), [record]);
    assert.deepEqual(record.decision, request.decision);
    const trailing = { form: { type: 'trailing-stop', deltaBips: 1500 }, side: 'sell', purpose: 'stop' } as const;
    const next = intentOf(owner, { expectedVersion: 1, order: trailing });
    const second = requireCommitted(await store.commitIntent(next));
    assert.deepEqual((await store.liveOrders(owner.accountId))[1]?.form, trailing.form);
    assert.notEqual(second.record.clientOrderId, record.clientOrderId);
    const runner = await store.loadRunner(owner.profileId, SYMBOL);
    assert.deepEqual([runner.version, runner.strategyState], [2, { high: '1' }]);
    assert.match(second.record.clientOrderId, /-s2$/);
  });

  it('commits no entry of a disabled profile or an unbound coin, but still an exit', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    const unbound = intentOf(owner, { order: { symbol: 'XRPUSDT' } });
    assert.equal((await store.commitIntent(unbound)).kind, 'moved');
    await test.database.kysely.updateTable('profiles').set({ enabled: false }).execute();
    assert.equal((await store.commitIntent(intentOf(owner))).kind, 'moved');
    assert.deepEqual(await store.liveOrders(owner.accountId), []);
    const exit = intentOf(owner, { order: { side: 'sell', purpose: 'exit' } });
    assert.equal((await store.commitIntent(exit)).kind, 'committed');
  });

  it('answers moved and writes nothing when the version differs, also for a runner without a row', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    assert.deepEqual(await store.commitIntent(intentOf(owner, { expectedVersion: 3 })), { kind: 'moved' });
    const results = await Promise.all(Array.from({ length: 8 }, () => store.commitIntent(intentOf(owner))));
    assert.deepEqual(results.map((result) => result.kind).toSorted(), ['committed', ...Array(7).fill('moved')]);
    assert.equal(await countOrders(test.database), 1);
  });

  it('keeps nothing when the order row cannot be written, and the connection stays usable', async () => {
    await using test = await openTestDatabase();
    await using one = openDatabase(test.url, { max: 1 });
    const store = createTradingStore(one);
    const owner = await seedOwner(test.database);
    const request = intentOf(owner);
    requireCommitted(await store.commitIntent(request));
    await assert.rejects(store.commitIntent({ ...request, expectedVersion: 1 }), /duplicate key/);
    assert.equal((await store.loadRunner(owner.profileId, SYMBOL)).version, 1);
    requireCommitted(await store.commitIntent(intentOf(owner, { expectedVersion: 1 })));
  });
});

describe('leases and intents', () => {
  it('refuses an old fencing number and an expired lease', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    const lease = { accountId: owner.accountId, holder: 'worker-1', ttlMs: 60_000 };
    const renewed = await acquireLease(test.database, lease);
    assert.deepEqual(await store.commitIntent(intentOf(owner)), { kind: 'lost-lease' });
    const fencing = renewed?.fencing ?? 0;
    await test.database.kysely.updateTable('account_leases').set({ expires_at: AT }).execute();
    assert.deepEqual(await store.commitIntent(intentOf({ ...owner, fencing })), { kind: 'lost-lease' });
    assert.equal(await countOrders(test.database), 0);
  });

  it('commits nothing under the old fencing number once a takeover has answered', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    let commits = 0;
    let takeover: Promise<number> | undefined;
    const takeOver = async (): Promise<number> => {
      await acquireLease(test.database, { accountId: owner.accountId, holder: 'worker-1', ttlMs: 60_000 });
      return countOrders(test.database);
    };
    const onCommit = (): void => {
      commits += 1;
      if (commits === 25) takeover = takeOver();
    };
    const symbols = Array.from({ length: 12 }, (_, index) => `C${index}USDT`);
    const ends = await Promise.all(symbols.map((symbol) => commitUntilRefused(store, owner, symbol, onCommit)));
    assert.deepEqual(new Set(ends), new Set(['lost-lease']));
    assert.equal(await countOrders(test.database), await takeover);
  });
});

describe('COMMIT', () => {
  it('throws CommitUnknown when the connection dies in COMMIT and a plain error when COMMIT is refused', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    const failAtCommit = (body: string) =>
      test.database.pool.query(
        `create or replace function fail_at_commit() returns trigger language plpgsql as $$ begin ${body} return null; end $$`,
      );
    await failAtCommit('perform pg_terminate_backend(pg_backend_pid());');
    await test.database.pool.query(
      'create constraint trigger fail after insert on orders deferrable initially deferred for each row execute function fail_at_commit()',
    );
    await assert.rejects(store.commitIntent(intentOf(owner)), CommitUnknown);
    await failAtCommit("raise exception 'refused at commit';");
    await assert.rejects(
      store.commitIntent(intentOf(owner)),
      (error) => error instanceof Error && !(error instanceof CommitUnknown),
    );
    assert.equal(await countOrders(test.database), 0);
  });
});

describe('halts and intents', () => {
  it('200 decisions at once race an engaging kill switch: no entry commits after it', async (context) => {
    await using test = await openTestDatabase();
    // The operator's call does not queue behind the worker's own connections.
    await using trading = openDatabase(test.url, { max: 8 });
    const store = createTradingStore(trading);
    const owner = await seedOwner(test.database);
    const owners = [owner];
    while (owners.length < 4) owners.push(await seedNextOwner(test.database));
    let commits = 0;
    let engaged: Promise<unknown> | undefined;
    const engage = async (): Promise<void> => {
      const sinceMs = performance.now();
      const halt = { scope: 'all', subject: 'all', reason: 'test', freeze: false, userId: null } as const;
      await engageHalt(test.database, halt);
      context.diagnostic(`engaged within ${Math.round(performance.now() - sinceMs)} ms under 200 deciding coins`);
    };
    const onCommit = (): void => {
      commits += 1;
      if (commits === 260) engaged = engage();
    };
    const symbols = Array.from({ length: 50 }, (_, index) => `C${index}USDT`);
    const coins = owners.flatMap((owner) => symbols.map((symbol) => ({ owner, symbol })));
    const ends = await Promise.all(coins.map((coin) => commitUntilRefused(store, coin.owner, coin.symbol, onCommit)));
    await engaged;
    assert.deepEqual(new Set(ends), new Set(['halted']));
    const { halt } = await test.database.kysely
      .selectFrom('kill_switches')
      .select('halt_order as halt')
      .executeTakeFirstOrThrow();
    const orders = await test.database.kysely.selectFrom('orders').select('halt_order').execute();
    assert.equal(orders.length, commits);
    assert.ok(orders.length >= 260);
    assert.deepEqual(
      orders.filter((order) => BigInt(order.halt_order) > BigInt(halt)),
      [],
    );
    const exit = await commitNext(store, owner, { side: 'sell', purpose: 'exit', symbol: 'C0USDT' });
    assert.equal(exit.state, 'intent');
  });
});

const purposes = [
  { order: { purpose: 'entry', side: 'buy' }, halted: true, frozen: true },
  { order: { purpose: 'manual', side: 'buy' }, halted: true, frozen: true },
  { order: { purpose: 'manual', side: 'sell' }, halted: false, frozen: true },
  { order: { purpose: 'exit', side: 'sell' }, halted: false, frozen: true },
  { order: { purpose: 'stop', side: 'sell' }, stopRests: true, halted: false, frozen: true },
  { order: { purpose: 'stop', side: 'sell' }, stopRests: false, halted: false, frozen: false },
] as const;

describe('halts by purpose', () => {
  it('refuses by purpose, scope and freeze', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    const symbol = 'SOLUSDT';
    const other = await seedTradingProfile(test.database, owner.accountId, { name: 'Other', symbols: [symbol] });
    const scopes = [
      { scope: 'profile', subject: owner.profileId },
      { scope: 'account', subject: owner.accountId },
      { scope: 'all', subject: 'all' },
    ] as const;
    for (const subject of scopes) {
      for (const freeze of [false, true]) {
        await engageHalt(test.database, { ...subject, reason: 'why', freeze, userId: null });
        for (const { halted, frozen, ...given } of purposes) {
          const version = (await store.loadRunner(owner.profileId, SYMBOL)).version;
          const request: IntentRequest = intentOf(owner, { ...given, expectedVersion: version });
          const result = await store.commitIntent(request);
          assert.equal(
            result.kind,
            (freeze ? frozen : halted) ? 'halted' : 'committed',
            `${subject.scope} ${given.order.purpose}`,
          );
          if (result.kind === 'halted')
            assert.deepEqual([result.halt.scope, result.halt.freeze], [subject.scope, freeze]);
        }
      }
      if (subject.scope === 'profile') await commitNext(store, { ...owner, profileId: other }, { symbol });
      assert.equal(await releaseHalt(test.database, subject), true);
      await commitNext(store, owner);
    }
  });

  it('refuses every intent of a coin that is not bound any more, exits and stops too', async () => {
    await using test = await openTestDatabase();
    const owner = await seedOwner(test.database);
    const store = createTradingStore(test.database);
    await test.database.kysely.deleteFrom('profile_symbols').where('symbol', '=', SYMBOL).execute();
    for (const purpose of ['entry', 'exit', 'stop', 'manual'] as const) {
      const result = await store.commitIntent(intentOf(owner, { order: { purpose, side: 'sell' } }));
      assert.equal(result.kind, 'moved', purpose);
    }
  });

  it('names the widest of several halts', async () => {
    await using test = await openTestDatabase();
    const owner = await seedOwner(test.database);
    const engage = { reason: '', freeze: false, userId: null };
    await engageHalt(test.database, { scope: 'profile', subject: owner.profileId, ...engage });
    await engageHalt(test.database, { scope: 'account', subject: owner.accountId, ...engage });
    const result = await createTradingStore(test.database).commitIntent(intentOf(owner));
    assert.equal(result.kind === 'halted' && result.halt.scope, 'account');
  });
});

describe('commitIntent of an order list', () => {
  it('commits both legs of an order list, or none', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    const list = listIntentOf(owner);
    const entry = await commitNext(store, owner);
    const { record, target, version } = requireCommitted(await store.commitIntent(list));
    const live = await store.liveOrders(owner.accountId);
    assert.deepEqual(live.toSorted(byId), [entry, record, target].toSorted(byId));
    assert.match(`${record.clientOrderId} ${target?.clientOrderId} ${record.listId}`, /-s2 tw1-.*-t2 tw1-.*-l2$/);
    assert.deepEqual([version, target?.purpose, target?.listId], [2, 'target', record.listId]);
    // The version has moved: neither leg is written.
    const again = { ...listIntentOf(owner), expectedVersion: 7 };
    assert.equal((await store.commitIntent(again)).kind, 'moved');
    assert.equal(await countOrders(test.database), 3);
  });

  it('refuses a list under a freeze, which a first stop alone passes', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    await commitNext(store, owner);
    const halt = { scope: 'all', subject: 'all', reason: 'drill', freeze: true, userId: null } as const;
    await test.database.transaction((transaction) => engageHalt(transaction, halt));
    const list = listIntentOf(owner);
    assert.equal((await store.commitIntent(list)).kind, 'halted');
    const { target: _, ...alone } = list;
    assert.equal((await store.commitIntent({ ...alone, stopRests: false })).kind, 'committed');
  });

  it('lets the legs of a list sell no more than the list holds', async () => {
    await using test = await openTestDatabase();
    const store = createTradingStore(test.database);
    const owner = await seedOwner(test.database);
    await commitNext(store, owner);
    const { record, target } = requireCommitted(await store.commitIntent(listIntentOf(owner)));
    const sell = (orderId: string, tradeId: string, quantity: string) => {
      const fill = fillOf('sell', `${quantity} @ 100`, { tradeId, exchangeOrderId: orderId });
      return store.applyFill({
        ...{ accountId: owner.accountId, epoch: 1, rules: RULES, cooldownMs: 0, feeQuote: null, fill },
        orderId: orderId === '1' ? record.id : (target?.id ?? record.id),
      });
    };
    await sell('1', '1', '0.7');
    await assert.rejects(sell('2', '2', '0.7'), /sold more than the list holds/);
    await sell('2', '3', '0.3');
  });
});
