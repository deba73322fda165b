import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import { openDice } from '#test/flow/random.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { pageLogs } from './logs.ts';
import { cycleTotals, type TradeFilter } from './trades.ts';

const base = await openTestDatabase();
after(() => base[Symbol.asyncDispose]());
const { kysely, pool } = base.database;
const profileId = newId<ProfileId>();
await pool.query(`insert into users (id, email, password_hash) values ($1, 'a@example.org', 'x')`, [newId()]);
const accountId = newId<AccountId>();
await pool.query(`insert into accounts (id, user_id, name, binance_mode) select $1, id, 'A', 'testnet' from users`, [
  accountId,
]);
await pool.query(
  `insert into profiles (id, account_id, name, strategy_name, config) values ($1, $2, 'P', 'trailing-trade', '{}')`,
  [profileId, accountId],
);

const START = Date.parse('2026-03-27T22:00:00Z');
const dice = openDice(7);
const momentOf = (): string => new Date(START + Math.round(dice.between(0, 5 * 86_400_000))).toISOString();
const COINS = ['BTCUSDT', 'ETHUSDT'] as const;
for (let cycle = 1; cycle <= 400; cycle += 1) {
  const net = Math.round(dice.between(-500, 500)) / 100;
  const at = momentOf();
  await pool.query(
    `insert into closed_cycles (profile_id, symbol, cycle, opened_at, closed_at, net) values ($1, $2, $3, $4, $4, $5)`,
    [profileId, dice.pick(COINS), cycle, at, net],
  );
}
await pool.query(`update closed_cycles set net = net - 1 where cycle % 7 = 0`);
await pool.query(`delete from closed_cycles where cycle % 11 = 0`);

type By = Parameters<typeof cycleTotals>[2];

/** The same sums from the trades themselves. */
async function recounted({ symbol, from, to }: TradeFilter, { period, timezone }: By) {
  const start = period === 'all' ? 'null::timestamptz' : `date_trunc('${period}', closed_at, '${timezone}')`;
  const { rows } = await pool.query(
    `select ${start} as "from", count(*)::int as count, (count(*) filter (where net > 0))::int as wins,
      (count(*) filter (where net < 0))::int as losses, sum(net) as net, coalesce(sum(net) filter (where net > 0), 0) as "grossProfit",
      coalesce(sum(net) filter (where net < 0), 0) as "grossLoss"
    from closed_cycles where profile_id = $1 and ($2::text is null or symbol = $2)
      and ($3::timestamptz is null or closed_at >= $3) and ($4::timestamptz is null or closed_at <= $4)
    group by 1 order by 1 desc`,
    [profileId, symbol ?? null, from ?? null, to ?? null],
  );
  return rows;
}

const plain = (rows: readonly object[]): unknown =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([key, value]) => [key, typeof value === 'string' ? String(Number(value)) : value]),
    ),
  );

test('sums of closed trades equal a recount of every trade', async () => {
  for (let run = 0; run < 60; run += 1) {
    const [first = '', second = ''] = [momentOf(), momentOf()].toSorted();
    const to = dice.chance(0.2) ? new Date(Date.parse(first) + 200_000).toISOString() : second;
    const filter: TradeFilter = {
      profileId,
      ...(dice.chance(0.3) && { symbol: dice.pick(COINS) }),
      ...(dice.chance(0.7) && { from: first }),
      ...(dice.chance(0.7) && { to }),
    };
    const by: By = {
      period: dice.pick(['day', 'week', 'month', 'all']),
      timezone: dice.pick(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns']),
    };
    assert.deepEqual(
      plain(await cycleTotals(kysely, filter, by)),
      plain(await recounted(filter, by)),
      JSON.stringify({ filter, by }),
    );
  }
});

test('a search of a long log goes on page after page and finds its row', async () => {
  await pool.query(
    `insert into action_logs (id, profile_id, level, msg, first_at, last_at)
    select gen_random_uuid(), $1, 'info', case n when 24000 then 'The needle' else 'Hay' end, at, at
    from (select n, now() - n * interval '1 second' as at from generate_series(1, 25000) n) made`,
    [profileId],
  );
  const found: string[] = [];
  let pages = 0;
  for (let cursor: Parameters<typeof pageLogs>[2]['cursor']; ; ) {
    const page = await pageLogs(kysely, { profileIds: [profileId], q: 'needle' }, { limit: 10, cursor });
    pages += 1;
    found.push(...page.rows.map(({ msg }) => msg));
    if (page.next === null) break;
    cursor = page.next;
  }
  assert.deepEqual([found, pages], [['The needle'], 3]);
});
