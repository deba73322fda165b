import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { newId, type TokenId, type UserId } from '#core/ids.ts';
import type { OrderDraft } from '#core/order/order.ts';
import { RETENTION } from '#core/installation/settings.ts';
import { pruneRecords } from '#storage/history/prune.ts';
import type { Database } from '#storage/postgres/database.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import {
  d,
  intentOf,
  type Owner,
  requireCommitted,
  seedNextOwner,
  seedOwner,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { requestAction } from '#storage/trading/operator-actions.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { decideProposal, insertProposal } from './proposals.ts';
import { createToken, revokeTokens } from './tokens.ts';

interface Given {
  readonly db: Database;
  readonly owner: Owner;
  readonly userId: UserId;
  readonly tokenId: TokenId;
}

const BUDGET = { asset: 'USDT', perOrder: '50', perDay: '100' };

async function seedToken(db: Database, userId: UserId, maxOpenProposals = 50): Promise<TokenId> {
  const at = new Date();
  const expiresAt = new Date(at.getTime() + 3_600_000);
  const token = { userId, name: 'A program', tokenHash: randomBytes(32), hint: 'abcdef', scopes: ['trade'] as const };
  return createToken(db.kysely, { ...token, accountIds: null, at, expiresAt, budget: BUDGET, maxOpenProposals });
}

async function seed(db: Database, maxOpenProposals?: number): Promise<Given> {
  const owner = await seedOwner(db);
  const { user_id: userId } = await db.kysely.selectFrom('accounts').select('user_id').executeTakeFirstOrThrow();
  return { db, owner, userId, tokenId: await seedToken(db, userId, maxOpenProposals) };
}

const buyOf = (quoteAmount: string) => ({ side: 'buy', type: 'market', quoteAmount });

interface Wanted {
  readonly quote?: string;
  readonly symbol?: string;
  readonly validSeconds?: number;
  readonly quoteAsset?: string;
}

async function propose({ db, owner, tokenId }: Given, wanted: Wanted = {}): Promise<string> {
  const { quote = '40', symbol = SYMBOL, validSeconds = 60, quoteAsset = 'USDT' } = wanted;
  const id = newId<string>();
  const payload = buyOf(quote);
  const { accountId, profileId } = owner;
  const intent = { id, accountId, profileId, symbol, kind: 'manual-order', payload } as const;
  const intentHash = createHash('sha256').update(id).digest();
  const more = { tokenId, intentHash, quoteAsset, quote, reason: 'A dip', previewId: newId<string>(), validSeconds };
  await db.transaction((transaction) => insertProposal(transaction, { ...intent, ...more }));
  return id;
}

interface Approval {
  readonly quote?: string;
  readonly symbol?: string;
}

/** Approves a proposal and requests its action, in one transaction; returns the id of the action. */
function approve({ db, owner, userId }: Given, id: string, { quote = '40', symbol = SYMBOL }: Approval = {}) {
  return db.transaction(async (transaction) => {
    if (!(await decideProposal(transaction, { id, userId }, 'approved'))) return undefined;
    const { accountId, profileId } = owner;
    const action = { accountId, profileId, symbol, kind: 'manual-order', payload: buyOf(quote), requestedBy: userId };
    return (await requestAction(transaction, { ...action, proposalId: id })).id;
  });
}

const commit = (
  { db, owner }: Pick<Given, 'db' | 'owner'>,
  actionId: string | undefined,
  { expectedVersion = 0, ...order }: Partial<OrderDraft> & { expectedVersion?: number } = {},
) => {
  const manual = { purpose: 'manual', quantity: d('0.0004'), ...order } as const;
  const intent = intentOf(owner, { expectedVersion, order: manual });
  return createTradingStore(db).commitIntent({ ...intent, ...(actionId !== undefined && { actionId }) });
};

const reasonOf = (result: Awaited<ReturnType<typeof commit>>) =>
  result.kind === 'refused' ? [result.reason, result.numbers] : result.kind;

test('an approved proposal is committed as one order', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const actionId = await approve(given, await propose(given));
  requireCommitted(await commit(given, actionId));
  await assert.rejects(commit(given, actionId, { expectedVersion: 1 }), /orders_by_action/);
});

test('eight approvals at once make one action', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const id = await propose(given);
  const made = await Promise.all(Array.from({ length: 8 }, () => approve(given, id)));
  assert.equal(made.filter((action) => action !== undefined).length, 1);
});

test('the schema refuses a second action for a proposal', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const id = await propose(given);
  await approve(given, id);
  const { rows } = await given.db.pool.query('select * from operator_actions where proposal_id = $1', [id]);
  await assert.rejects(
    given.db.pool.query(`insert into operator_actions select (json_populate_record(null::operator_actions, $1)).*`, [
      JSON.stringify({ ...rows[0], id: newId() }),
    ]),
    /operator_actions_by_proposal/,
  );
});

const CHANGES: readonly [string, string, RegExp][] = [
  [
    'the order of a proposal',
    `update proposals set payload = '{"side":"buy","quoteAmount":"41"}'`,
    /keeps what it asks for/,
  ],
  ['the cost of a proposal', `update proposals set quote = 1`, /keeps what it asks for/],
  [
    'the expiry of a proposal',
    `update proposals set expires_at = expires_at + interval '1 day'`,
    /keeps what it asks for/,
  ],
  ['an approval into a denial', `update proposals set state = 'denied'`, /is decided once/],
  ['an approval into an open proposal', `update proposals set state = 'open', decided_at = null`, /is decided once/],
  ['the order of an action', `update operator_actions set payload = '{}'`, /what the operator approved/],
  ['the coin of an action', `update operator_actions set symbol = 'ETHUSDT'`, /what the operator approved/],
  ['the proposal of an action', `update operator_actions set proposal_id = null`, /keeps its proposal/],
];

test('the schema refuses to change what was proposed or approved', async (t) => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  await approve(given, await propose(given));
  for (const [name, statement, refusal] of CHANGES)
    await t.test(name, () => assert.rejects(given.db.pool.query(statement), refusal));
});

test('the schema refuses an approval without its action', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const id = await propose(given);
  const { db, userId } = given;
  await assert.rejects(
    db.transaction((transaction) => decideProposal(transaction, { id, userId }, 'approved')),
    /An approved proposal has an action/,
  );
  assert.notEqual(await approve(given, id), undefined);
});

test('the schema refuses an action of a proposal that is open, denied or cancelled', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const { db, owner, userId } = given;
  const { accountId, profileId } = owner;
  const action = {
    accountId,
    profileId,
    symbol: SYMBOL,
    kind: 'manual-order',
    payload: buyOf('40'),
    requestedBy: userId,
  };
  for (const state of ['open', 'denied', 'cancelled'] as const) {
    const proposalId = await propose(given);
    if (state !== 'open')
      await db.transaction((transaction) => decideProposal(transaction, { id: proposalId, userId }, state));
    await assert.rejects(
      db.transaction((transaction) => requestAction(transaction, { ...action, proposalId })),
      /what the operator approved/,
      state,
    );
  }
});

test('an expired proposal is not approved, and the schema refuses it too', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const id = await propose(given, { validSeconds: 0 });
  assert.equal(await approve(given, id), undefined);
  const statement = `update proposals set state = 'approved', decided_at = clock_timestamp()`;
  await assert.rejects(given.db.pool.query(statement), /not approved after its expiry/);
});

test('an approval with another hash approves nothing', async () => {
  await using opened = await openTestDatabase();
  const { db, userId, ...given } = await seed(opened.database);
  const id = await propose({ db, userId, ...given });
  const decided = db.transaction((transaction) =>
    decideProposal(transaction, { id, userId, hash: Buffer.alloc(32) }, 'approved'),
  );
  assert.equal(await decided, false);
});

test('a proposal of a revoked token is not approved', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const id = await propose(given);
  await revokeTokens(given.db.kysely, given.userId, { at: new Date() });
  assert.equal(await approve(given, id), undefined);
});

test('an order of a token that was revoked after the approval is refused', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const actionId = await approve(given, await propose(given));
  await revokeTokens(given.db.kysely, given.userId, { at: new Date() });
  assert.deepEqual(reasonOf(await commit(given, actionId)), ['token-ended', {}]);
});

test('an order that differs from its proposal is refused', async (t) => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const actionId = await approve(given, await propose(given));
  const price = d('100');
  const others: readonly [string, Partial<OrderDraft>][] = [
    ['another coin', { symbol: 'ETHUSDT' }],
    ['the other side', { side: 'sell' }],
    ['a higher cost', { form: { type: 'limit', price }, quantity: d('0.41') }],
  ];
  for (const [name, order] of others)
    await t.test(name, async () =>
      assert.deepEqual(reasonOf(await commit(given, actionId, order)), ['proposal-differs', {}]),
    );
  requireCommitted(await commit(given, actionId, { form: { type: 'limit', price }, quantity: d('0.4') }));
});

test('an action whose proposal is not in the backup places no order', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const actionId = await approve(given, await propose(given));
  await given.db.pool.query('truncate proposals');
  assert.deepEqual(reasonOf(await commit(given, actionId)), ['proposal-differs', {}]);
});

test('a proposal beyond the budget of one order, or in another asset, is refused', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  await assert.rejects(propose(given, { quote: '50.01' }), /token-order-budget/);
  await assert.rejects(propose(given, { quoteAsset: 'BTC' }), /token-no-budget/);
  assert.ok(await propose(given, { quote: '50' }));
});

test('a token without a budget proposes no buy', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  await given.db.pool.query('update api_tokens set budget_asset = null, budget_order = null, budget_day = null');
  await assert.rejects(propose(given), /token-no-budget/);
});

test('of fifty proposals at once a token keeps as many open as it may', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database, 5);
  const all = await Promise.allSettled(Array.from({ length: 50 }, () => propose(given)));
  assert.equal(all.filter(({ status }) => status === 'fulfilled').length, 5);
  assert.ok(all.every((one) => one.status === 'fulfilled' || /token-open-proposals/.test(String(one.reason))));
});

test('of fifty intents at once on two accounts those within the budget of the day commit', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const other = { ...given, owner: await seedNextOwner(given.db) };
  const made = [];
  for (let i = 0; i < 50; i++) {
    const side = i % 2 === 0 ? given : other;
    const symbol = `C${i}USDT`;
    made.push({
      side,
      symbol,
      actionId: await approve(side, await propose(side, { quote: '15', symbol }), { quote: '15', symbol }),
    });
  }
  const results = await Promise.all(made.map(({ side, symbol, actionId }) => commit(side, actionId, { symbol })));
  assert.equal(results.filter(({ kind }) => kind === 'committed').length, 6, '6 of 15 fit in 100');
  assert.equal(results.filter((one) => one.kind === 'refused' && one.reason === 'token-day-budget').length, 44);
});

const finish = ({ db }: Given, state: string, filledQuote: string) =>
  db.pool.query(`update orders set state = $1, filled_quote = $2 where state <> $1`, [state, filledQuote]);

test('a finished order counts with what it has spent, a live one with all it may cost', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const orderOf = async (quote: string, expectedVersion: number) => {
    const actionId = await approve(given, await propose(given, { quote }), { quote });
    return reasonOf(await commit(given, actionId, { expectedVersion }));
  };
  assert.equal(await orderOf('50', 0), 'committed');
  assert.equal(await orderOf('50', 1), 'committed');
  const day = (wanted: string, used: string) => ['token-day-budget', { wanted, used, most: '100' }];
  assert.deepEqual(await orderOf('1', 2), day('1', '100'));
  await finish(given, 'cancelled', '30');
  assert.deepEqual(await orderOf('40.5', 2), day('40.5', '60'));
  assert.equal(await orderOf('40', 2), 'committed');
});

test('orders of the operator and of strategies do not count', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  requireCommitted(await commit(given, undefined));
  requireCommitted(await commit(given, newId<string>(), { expectedVersion: 1, quantity: d(formatDecimal(d('1'))) }));
  const actionId = await approve(given, await propose(given));
  requireCommitted(await commit(given, actionId, { expectedVersion: 2 }));
});

test('the prune removes proposals 90 days after their end, unless their order is open', async () => {
  await using opened = await openTestDatabase();
  const given = await seed(opened.database);
  const { db, userId } = given;
  const [old, recent, denied, live] = [
    await propose(given, { validSeconds: 0 }),
    await propose(given, { validSeconds: 0 }),
    await propose(given),
    await propose(given),
  ];
  await db.transaction((transaction) => decideProposal(transaction, { id: denied, userId }, 'denied'));
  const actionId = await approve(given, live);
  const { record } = requireCommitted(await commit(given, actionId));
  const age = async (ids: readonly string[], days: number): Promise<void> => {
    await db.pool.query(
      `update proposals set expires_at = now() - $2 * interval '1 day',
        decided_at = case when state <> 'open' then now() - $2 * interval '1 day' end where id = any($1)`,
      [ids, days],
    );
  };
  await db.pool.query('alter table proposals disable trigger proposal_stays');
  await age([old, denied, live], 91);
  await age([recent], 89);
  await db.pool.query(`update operator_actions set state = 'done', finished_at = now() - interval '91 days'`);
  const left = async () => (await db.kysely.selectFrom('proposals').select('id').execute()).map(({ id }) => id);

  assert.equal((await pruneRecords(db, RETENTION.defaults))['proposals'], 2);
  assert.deepEqual(new Set(await left()), new Set([recent, live]));
  await db.kysely.updateTable('orders').set({ state: 'cancelled' }).where('id', '=', record.id).execute();
  const pruned = await pruneRecords(db, RETENTION.defaults);
  assert.deepEqual([pruned['operatorActions'], pruned['proposals']], [1, 1]);
  assert.deepEqual(await left(), [recent]);
});
