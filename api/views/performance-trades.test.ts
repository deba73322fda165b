import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import {
  type ClosedTrades,
  countTrades,
  readTradeGroups,
  readTradeSpread,
  type TradeGroup,
  type TradeSpread,
} from '#storage/history/performance-trades.ts';
import { openDice } from '#test/flow/random.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { seedNextOwner, seedOwner } from '#test/harness/test-trading.ts';
import { tradeEdges } from './performance-rows.ts';
import { MOST_NEW, tradeStatistics } from './performance-trades.ts';

const base = await openTestDatabase();
after(() => base[Symbol.asyncDispose]());
const { kysely, pool } = base.database;
const owners = [await seedOwner(base.database), await seedNextOwner(base.database)];
const profileIds = owners.map(({ profileId }) => profileId);
const [FROM, MARK] = ['2026-03-01T00:00:00.000Z', '2026-03-29T00:00:00.000Z'];
const dice = openDice(11);
let cycle = 0;

interface Span {
  readonly from: string;
  readonly hours: number;
}
const ENDED: Span = { from: FROM, hours: 28 * 24 };
const NEWEST: Span = { from: MARK, hours: 20 };

/** Trades at random moments of a span; some have equal nets and durations, some no exit reason. */
async function addTrades(count: number, { from, hours }: Span): Promise<void> {
  for (const [n, profileId] of profileIds.entries()) {
    const own = n === 0 ? count : Math.ceil(count / 10);
    await pool.query(
      `insert into closed_cycles (profile_id, symbol, cycle, opened_at, closed_at, net, exit_reason)
      select $1, 'C' || n % 5 || 'USDT', $2::int + n, at - make_interval(secs => (random() * random() * 90000)::int), at,
        case n % 4 when 0 then round((random() * 3)::numeric) - 1 else round(((random() - 0.45) * 7)::numeric, 8) end,
        (array['exit-trail', 'exit-stop', null])[1 + n % 3]
      from (select n, $3::timestamptz + random() * make_interval(hours => $4::int) as at from generate_series(1, $5::int) n) made`,
      [profileId, cycle, from, hours, own],
    );
  }
  cycle += count;
}

const plain = (text: string | null): string | null => (text === null ? null : formatDecimal(requireDecimal(text)));
const sorted = (groups: readonly TradeGroup[]): readonly string[] =>
  groups
    .map(({ grossProfit, grossLoss, ...group }) =>
      JSON.stringify([group.profileId, group.symbol, group, plain(grossProfit), plain(grossLoss)]),
    )
    .toSorted();
const plainSpread = ({ medianHeldMs, ...nets }: TradeSpread) => ({
  ...Object.fromEntries(Object.entries(nets).map(([name, net]) => [name, plain(net)])),
  medianHeldMs,
});

/** Compares the statistics with one read of every trade. */
async function check(filter: ClosedTrades, mark: string): Promise<number> {
  const found = await tradeStatistics(kysely, filter, mark);
  const groups = await readTradeGroups(kysely, filter);
  const spread = await readTradeSpread(kysely, filter);
  assert.deepEqual(plainSpread(found.spread), plainSpread(spread));
  assert.deepEqual(sorted(found.groups.map(({ ...group }) => group)), sorted(groups));
  const edges = tradeEdges(spread.low, spread.high);
  assert.deepEqual(found.edges, edges);
  assert.deepEqual(found.counts, edges.length === 0 ? [] : await countTrades(kysely, filter, edges));
  return groups.reduce((sum, group) => sum + group.count, 0);
}

const whole: ClosedTrades = { profileIds, without: [], from: FROM, to: 'infinity' };
const filters: readonly ClosedTrades[] = [
  whole,
  { ...whole, profileIds: profileIds.slice(1) },
  { ...whole, without: ['C1USDT', 'C3USDT'] },
];
const checkAll = async (): Promise<number> => {
  const counts = [];
  for (const filter of filters) counts.push(await check(filter, MARK));
  return Math.max(...counts);
};

test('statistics of closed trades equal one read of every trade, from no trade to more than are kept by rank', async () => {
  assert.equal(await checkAll(), 0);
  for (const count of [1, 1, 2, 3, 10, 60, 900]) {
    await addTrades(count, dice.chance(0.5) ? NEWEST : ENDED);
    await checkAll();
  }
  await addTrades(3 * MOST_NEW, ENDED);
  for (const count of [1, 200, MOST_NEW / 2]) {
    await addTrades(count, NEWEST);
    await checkAll();
  }
  await addTrades(MOST_NEW, NEWEST);
  assert.ok((await checkAll()) > 5 * MOST_NEW);
});

test('a trade that was closed before the mark and is changed, moved or deleted counts as it is now', async () => {
  for (const change of [
    `update closed_cycles set net = net - 1 where cycle % 97 = 1`,
    `update closed_cycles set exit_reason = 'exit-manual', net = net where cycle % 89 = 2`,
    `update closed_cycles set closed_at = closed_at + interval '29 days', net = net + 1 where cycle % 83 = 3 and closed_at < '${MARK}'`,
    `delete from closed_cycles where cycle % 79 = 4`,
    `delete from closed_cycles where closed_at >= '${MARK}'`,
  ]) {
    await pool.query(change);
    await checkAll();
  }
});

test('trades of other periods do not count', async () => {
  const some = { ...whole, from: '2026-03-10T00:00:00.000Z', to: '2026-03-20T00:00:00.000Z' };
  const count = await check(some, '2026-03-19T00:00:00.000Z');
  assert.ok(count > 0 && count < (await checkAll()));
});
