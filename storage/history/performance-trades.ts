import { type SqlBool, sql } from 'kysely';
import type { ProfileId } from '#core/ids.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { type Page, type PageCursor, pageOf, placeOf } from '#storage/postgres/pages.ts';

/** Closed trades of several profiles. */
export interface ClosedTrades {
  readonly profileIds: readonly ProfileId[];
  /** Coins with another quote asset. */
  readonly without: readonly string[];
  /** Closed at or after `from` and before `to`. */
  readonly from: string;
  readonly to: string;
}

/** In the order of the index, so that it is read for each profile, however large its share of the table is. */
const closed = ({ profileIds, without, from, to }: ClosedTrades) => sql`
  unnest(${[...profileIds]}::uuid[]) as profile(id) cross join lateral (
    select trade.profile_id, trade.symbol, trade.exit_reason, trade.net, trade.closed_at - trade.opened_at as held
    from closed_cycles as trade
    where trade.profile_id = profile.id and trade.closed_at >= ${from}::timestamptz and trade.closed_at < ${to}::timestamptz
      and trade.symbol <> all(${[...without]}::text[]) order by trade.closed_at desc offset 0) as trade`;

export interface TradeGroup {
  readonly profileId: ProfileId;
  readonly symbol: string;
  /** Null for trades that earlier versions closed without one. */
  readonly exitReason: string | null;
  readonly count: number;
  readonly wins: number;
  readonly losses: number;
  readonly grossProfit: string;
  readonly grossLoss: string;
}

/** Closed trades summed up by profile, coin and exit reason. */
export async function readTradeGroups(reader: Reader, filter: ClosedTrades): Promise<TradeGroup[]> {
  const groups = sql<TradeGroup>`(select profile_id as "profileId", symbol, exit_reason as "exitReason",
    count(*)::int as count, (count(*) filter (where net > 0))::int as wins, (count(*) filter (where net < 0))::int as losses,
    coalesce(sum(net) filter (where net > 0), 0) as "grossProfit", coalesce(sum(net) filter (where net < 0), 0) as "grossLoss"
    from ${closed(filter)} group by 1, 2, 3)`;
  return reader.selectFrom(groups.as('groups')).selectAll().execute();
}

export interface TradeSpread {
  /** The net that one of twenty trades is below, and the one that one of twenty is above; null without a trade. */
  readonly low: string | null;
  readonly high: string | null;
  readonly best: string | null;
  readonly worst: string | null;
  readonly medianHeldMs: number | null;
}

export async function readTradeSpread(reader: Reader, filter: ClosedTrades): Promise<TradeSpread> {
  const spread = sql<TradeSpread>`(select percentile_disc(0.05) within group (order by net) as low,
    percentile_disc(0.95) within group (order by net) as high, max(net) as best, min(net) as worst,
    (extract(epoch from percentile_cont(0.5) within group (order by held)) * 1000)::float8 as "medianHeldMs"
    from ${closed(filter)})`;
  return reader.selectFrom(spread.as('spread')).selectAll().executeTakeFirstOrThrow();
}

/** How many trades lie between two edges: number 0 below the first edge, the last at or above the last edge. */
export async function countTrades(reader: Reader, filter: ClosedTrades, edges: readonly string[]): Promise<number[]> {
  const counts = sql<{ bar: number; count: number }>`(select width_bucket(net, ${[...edges]}::numeric[]) as bar,
    count(*)::int as count from ${closed(filter)} group by 1)`;
  const rows = await reader.selectFrom(counts.as('counts')).selectAll().execute();
  const byBar = new Map(rows.map(({ bar, count }) => [bar, count]));
  return Array.from({ length: edges.length + 1 }, (_, bar) => byBar.get(bar) ?? 0);
}

/** Differs after each change of a closed trade: PostgreSQL then writes the sums of its quarter of an hour as a new row. */
export async function readTradesVersion(reader: Reader, { profileIds, from, to }: ClosedTrades): Promise<string> {
  const version = sql<{ version: string }>`(select count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) as version
    from closed_totals where profile_id = any(${[...profileIds]}::uuid[]) and slot >= slot_of(${from}::timestamptz)
      and slot < ${to}::timestamptz)`;
  return (await reader.selectFrom(version.as('version')).selectAll().executeTakeFirstOrThrow()).version;
}

/** First and last rank of trades in order, both inclusive; the lowest rank is 1. */
export type RankRange = readonly [first: number, last: number];

const inRanges = (ranges: readonly RankRange[]) =>
  sql.join(
    ranges.map(([first, last]) => sql`rank between ${first} and ${last}`),
    sql` or `,
  );

/** The nets of trades at some ranks, the lowest first. */
export function readNetsByRank(
  reader: Reader,
  filter: ClosedTrades,
  ranges: readonly RankRange[],
): Promise<{ readonly rank: string; readonly net: string }[]> {
  const nets = sql<{ rank: string; net: string }>`(select rank, net from (
    select net, row_number() over (order by net) as rank from ${closed(filter)}) as ordered where ${inRanges(ranges)})`;
  return reader.selectFrom(nets.as('nets')).selectAll().orderBy('rank').execute();
}

const MICROSECONDS = sql`(extract(epoch from held) * 1000000)::float8`;

/** The durations of trades at some ranks, in microseconds, the shortest first. */
export function readHeldByRank(
  reader: Reader,
  filter: ClosedTrades,
  ranges: readonly RankRange[],
): Promise<{ readonly rank: string; readonly heldUs: number }[]> {
  const held = sql<{ rank: string; heldUs: number }>`(select rank, ${MICROSECONDS} as "heldUs" from (
    select held, row_number() over (order by held) as rank from ${closed(filter)}) as ordered where ${inRanges(ranges)})`;
  return reader.selectFrom(held.as('held')).selectAll().orderBy('rank').execute();
}

interface TradeResult {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly exitReason: string | null;
  readonly net: string;
  readonly heldUs: number;
}

/** Closed trades one by one, at most `limit`. */
export function readTradeResults(reader: Reader, filter: ClosedTrades, limit: number): Promise<TradeResult[]> {
  const trades = sql<TradeResult>`(select profile_id as "profileId", symbol, exit_reason as "exitReason", net,
    ${MICROSECONDS} as "heldUs" from ${closed(filter)} limit ${limit})`;
  return reader.selectFrom(trades.as('trades')).selectAll().execute();
}

interface TradeKey {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly cycle: number;
}

/** Which of these trades were closed before `to`, with their exit reason. */
export async function readClosings(
  reader: Reader,
  trades: readonly TradeKey[],
  to: string,
): Promise<(TradeKey & { readonly exitReason: string | null })[]> {
  if (trades.length === 0) return [];
  return reader
    .selectFrom('closed_cycles')
    .select(['profile_id as profileId', 'symbol', 'cycle', 'exit_reason as exitReason'])
    .where(
      sql<SqlBool>`(profile_id, symbol, cycle) in (select * from unnest(${trades.map(({ profileId }) => profileId)}::uuid[],
        ${trades.map(({ symbol }) => symbol)}::text[], ${trades.map(({ cycle }) => cycle)}::int[]))`,
    )
    .where(sql<SqlBool>`closed_at < ${to}::timestamptz`)
    .execute();
}

interface ClosedTrade extends TradeKey {
  readonly openedAt: Date;
  readonly closedAt: Date;
  readonly net: string;
  readonly exitReason: string | null;
}

interface TradeRow extends ClosedTrade {
  readonly id: string;
  readonly place: string;
}

/** One page of closed trades of all profiles, newest first, after `cursor`: the newest of each profile, then of all. */
export async function pageClosedTrades(
  reader: Reader,
  { profileIds, without, from, to }: ClosedTrades,
  { limit, cursor }: { readonly limit: number; readonly cursor?: PageCursor | undefined },
): Promise<Page<ClosedTrade>> {
  const id = sql`trade.profile_id::text || ':' || trade.symbol || ':' || lpad(trade.cycle::text, 10, '0')`;
  const after =
    cursor === undefined
      ? sql`true`
      : sql`trade.closed_at <= ${cursor.at}::timestamptz and (trade.closed_at, ${id}) < (${cursor.at}::timestamptz, ${cursor.id})`;
  const trades = sql<TradeRow>`(select newest.* from unnest(${[...profileIds]}::uuid[]) as profile(id) cross join lateral (
    select trade.profile_id as "profileId", trade.symbol, trade.cycle, trade.opened_at as "openedAt",
      trade.closed_at as "closedAt", trade.net, trade.exit_reason as "exitReason", ${id} as id, ${placeOf('trade.closed_at')}
    from closed_cycles as trade
    where trade.profile_id = profile.id and trade.closed_at >= ${from}::timestamptz and trade.closed_at < ${to}::timestamptz
      and trade.symbol <> all(${[...without]}::text[]) and ${after}
    order by trade.closed_at desc, ${id} desc limit ${limit + 1}) as newest)`;
  const rows = await reader
    .selectFrom(trades.as('trades'))
    .selectAll()
    .orderBy('closedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const { shown, next } = pageOf(rows, limit);
  return { rows: shown.map(({ id: _id, place: _place, ...row }) => row), next };
}
