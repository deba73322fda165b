import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import type { Reader } from '#storage/postgres/database.ts';
import type { Tables } from '#storage/postgres/tables.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { type Owner, seedNextOwner, seedOwner } from '#test/harness/test-trading.ts';
import { readCapital, readDeposits, readFirstMoment, readPastPrices, readPositionSteps } from './performance.ts';
import { countTrades, pageClosedTrades, readClosings, readTradeGroups, readTradeSpread } from './performance-trades.ts';

let base: TestDatabase;
let busy: Owner;
before(async () => {
  base = await openTestDatabase();
  busy = await seedOwner(base.database);
  for (const owner of [busy, await seedNextOwner(base.database)]) await addYear(owner, owner === busy ? 60_000 : 3_000);
  await base.database.pool.query('analyze');
});
after(() => base[Symbol.asyncDispose]());

/** A year of trades in ten coins; most rows of each table belong to the busy account. */
async function addYear({ accountId, profileId }: Owner, rows: number): Promise<void> {
  const at = `timestamptz '2025-01-01' + n * interval '365 days' / ${rows}`;
  const made = `from generate_series(1, ${rows}) as n`;
  for (const statement of [
    `insert into position_history select '${accountId}', '${profileId}', 'C' || n % 10 || 'USDT', ${at}, n, 1, 100, 100 * (1 - n / 10 % 2 * 2),
       n / 20, n / 10 % 2 = 0, 1 - n / 10 % 2 * 2, 0, n * 0.01, n * 0.001, 0 ${made}`,
    `insert into closed_cycles select '${profileId}', 'C' || n % 10 || 'USDT', n, ${at} - interval '1 hour', ${at}, n % 7 - 3, 'exit-trail' ${made}`,
    `insert into equity_snapshots select '${profileId}', ${at}, 0, 0, 0, '{"C1USDT": "100"}' ${made}`,
    `insert into ledger_entries (id, account_id, epoch, book, asset, amount, reason, at)
       select gen_random_uuid(), '${accountId}', 1, case n % 5000 when 0 then 'outside' else 'wallet' end, 'USDT', -1,
       case n % 5000 when 0 then 'unexplained' else 'fill' end, ${at} ${made}`,
  ])
    await base.database.pool.query(statement);
}

const YEAR = Array.from({ length: 365 }, (_, day) => new Date(Date.UTC(2025, 0, 1 + day)).toISOString());
const filterOf = ({ profileId }: Owner) => ({
  profileIds: [profileId],
  without: [],
  from: YEAR[0] ?? '',
  to: 'infinity',
});
const capitalOf = ({ accountId, profileId }: Owner, marks: readonly string[]) => ({
  ...{ accountId, profileIds: [profileId], without: [], marks, held: { cost: '0', open: 0 } },
});

const STATEMENTS: readonly (readonly [string, (reader: Reader) => Promise<unknown>])[] = [
  ['the first moment', (reader) => readFirstMoment(reader, busy.accountId)],
  ['positions', (reader) => readPositionSteps(reader, { accountId: busy.accountId, marks: [...YEAR, 'infinity'] })],
  ['past prices', (reader) => readPastPrices(reader, { profileIds: [busy.profileId], marks: YEAR })],
  ['capital', (reader) => readCapital(reader, capitalOf(busy, YEAR))],
  ['deposits', (reader) => readDeposits(reader, { accountId: busy.accountId, marks: YEAR })],
  ['trades by coin', (reader) => readTradeGroups(reader, filterOf(busy))],
  ['the spread of trades', (reader) => readTradeSpread(reader, filterOf(busy))],
  ['the distribution', (reader) => countTrades(reader, filterOf(busy), ['-2', '0', '2'])],
  ['a page of trades', (reader) => pageClosedTrades(reader, filterOf(busy), { limit: 50 })],
  [
    'a later page of trades',
    (reader) =>
      pageClosedTrades(reader, filterOf(busy), { limit: 50, cursor: { at: '2025-06-01T00:00:00.000000Z', id: 'x' } }),
  ],
  [
    'trades by key',
    (reader) => readClosings(reader, [{ profileId: busy.profileId, symbol: 'C1USDT', cycle: 11 }], 'infinity'),
  ],
];

for (const [name, run] of STATEMENTS) {
  test(`reading ${name} scans no growing table, also for an account that has most of its rows`, async () => {
    const sent: CompiledQuery[] = [];
    const dialect = new PostgresDialect({ pool: base.database.pool });
    await run(new Kysely<Tables>({ dialect, log: ({ query }) => void sent.push(query) }));
    const [query] = sent;
    assert.ok(query !== undefined);
    const { rows } = await base.database.pool.query(`explain ${query.sql}`, [...query.parameters]);
    const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    assert.match(plan, /Index/);
    assert.doesNotMatch(plan, /Seq Scan on (position_history|closed_cycles|equity_snapshots|ledger_entries)/, plan);
  });
}

test('positions of a year need two probes for each coin and day, not one for each fill', async () => {
  const reader = base.database.kysely;
  const steps = await readPositionSteps(reader, { accountId: busy.accountId, marks: [...YEAR, 'infinity'] });
  // Ten coins on 365 days; before the first day nothing was held.
  assert.equal(steps.length, 3650);
  assert.deepEqual(new Set(steps.map(({ symbol }) => symbol)).size, 10);
  assert.equal(steps.at(-1)?.period, 365);
});

test('a period without a change of a coin has no row of it', async () => {
  const reader = base.database.kysely;
  const marks = [YEAR[10] ?? '', new Date(Date.parse(YEAR[10] ?? '') + 1).toISOString(), YEAR[11] ?? ''];
  const steps = await readPositionSteps(reader, { accountId: busy.accountId, marks });
  assert.deepEqual([...new Set(steps.map(({ period }) => period))], [0, 2]);
});

test('capital is the most that was bound at one moment, and every second of a period counts', async () => {
  const owner = await seedNextOwner(base.database);
  const row = (at: string, symbol: string, change: number, open: number): string =>
    `('${owner.accountId}', '${owner.profileId}', '${symbol}', '2026-01-01T${at}Z', 1, 1, 1, ${change}, 1, true, ${open}, 0, 0, 0, 0)`;
  await base.database.pool.query(
    `insert into position_history values ${[
      row('01:00', 'AUSDT', 100, 1),
      row('02:00', 'BUSDT', 50, 1),
      row('03:00', 'AUSDT', -100, -1),
      row('03:00:01', 'CUSDT', 20, 1),
    ].join()}`,
  );
  const marks = ['2026-01-01T00:00:00Z', '2026-01-01T02:30:00Z', '2026-01-01T04:00:00Z'];
  const capital = await readCapital(base.database.kysely, { ...capitalOf(owner, marks), held: { cost: '7', open: 0 } });
  assert.deepEqual(
    capital.map(({ period, peak, openSeconds }) => [period, Number(peak), openSeconds]),
    [
      [1, 157, 5400],
      [2, 157, 5400],
    ],
  );
  const wanted = [3600 * 7 + 3600 * 107 + 1800 * 157, 1800 * 157 + 1 * 57 + 3599 * 77];
  assert.deepEqual(
    capital.map(({ costSeconds }) => costSeconds),
    wanted,
  );
});

test('deposits are summed up by period and asset, withdrawals count against them', async () => {
  const rows = await readDeposits(base.database.kysely, {
    accountId: busy.accountId,
    marks: [YEAR[0] ?? '', YEAR[180] ?? ''],
  });
  assert.deepEqual(rows.map(({ period, asset, amount }) => `${period} ${asset} ${amount}`).toSorted(), [
    '1 USDT 5',
    '2 USDT 7',
  ]);
});
