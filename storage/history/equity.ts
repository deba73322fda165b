import { sql } from 'kysely';
import type { ProfileId } from '#core/ids.ts';
import type { Database, Reader } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** Holdings and realised P&L of the profiles by coin, with their account. */
export const listHoldings = (database: Reader) =>
  database
    .selectFrom('profile_symbols as bound')
    .innerJoin('profiles', 'profiles.id', 'bound.profile_id')
    .leftJoin('runner_states as runner', (join) =>
      join.onRef('runner.profile_id', '=', 'bound.profile_id').onRef('runner.symbol', '=', 'bound.symbol'),
    )
    .select(['bound.profile_id as profileId', 'profiles.account_id as accountId', 'bound.symbol'])
    .select(sql<string>`coalesce(runner.quantity, 0)`.as('quantity'))
    .select(sql<string>`coalesce(runner.cost, 0)`.as('cost'))
    .orderBy('bound.profile_id')
    .execute();

interface EquitySpan {
  readonly profileId: ProfileId;
  readonly first: Date;
  readonly last: Date;
}

/** The times of the first and the newest snapshot of each profile that has one: two index probes each. */
export function listEquitySpans(database: Reader): Promise<EquitySpan[]> {
  const spans = sql<EquitySpan>`(select profiles.id as "profileId", first.at as first, last.at as last from profiles
    cross join lateral (select at from equity_snapshots where profile_id = profiles.id order by at limit 1) as first
    cross join lateral (select at from equity_snapshots where profile_id = profiles.id order by at desc limit 1) as last)`;
  return database.selectFrom(spans.as('spans')).selectAll().execute();
}

interface EquitySnapshot {
  readonly profileId: ProfileId;
  readonly at: Date;
  readonly positionValue: string;
  readonly positionCost: string;
  /** Price of every coin of the profile at that moment. */
  readonly prices: Readonly<Record<string, string>>;
}

/** Realised P&L of a profile until now: of each coin that it ever traded, the sum in the newest row. */
const realisedOf = (profileId: ProfileId) => sql`with recursive owner as (
    select account_id, id from profiles where id = ${profileId}), coins as (
    select owner.account_id, owner.id, first.symbol from owner cross join lateral (select symbol from position_history as row
      where row.account_id = owner.account_id and row.profile_id = owner.id order by symbol limit 1) as first
    union all
    select coins.account_id, coins.id, next.symbol from coins cross join lateral (select symbol from position_history as row
      where row.account_id = coins.account_id and row.profile_id = coins.id and row.symbol > coins.symbol
      order by symbol limit 1) as next)
  select coalesce(sum(newest.realised), 0) from coins cross join lateral (select realised from position_history as row
    where row.account_id = coins.account_id and row.profile_id = coins.id and row.symbol = coins.symbol
    order by at desc, version desc limit 1) as newest`;

/** Stores a snapshot with the profile's realised P&L until now; skips a second snapshot of the same moment. */
export async function saveEquity({ kysely }: Database, snapshot: EquitySnapshot): Promise<void> {
  await sql`
    insert into equity_snapshots (profile_id, at, realised, position_value, position_cost, prices)
    select id, ${snapshot.at}, (${realisedOf(snapshot.profileId)}),
      ${snapshot.positionValue}::numeric, ${snapshot.positionCost}::numeric, ${jsonText(snapshot.prices)}::jsonb
    from profiles where id = ${snapshot.profileId}
    on conflict do nothing`.execute(kysely);
}

/**
 * At most `limit` snapshots, oldest first. When there are more, the newest of each of so many equal times, and the first:
 * the snapshots of the first day are closer together than later ones.
 */
export async function listEquity(
  database: Reader,
  filter: {
    readonly profileId: ProfileId;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly limit: number;
  },
) {
  const { profileId, limit } = filter;
  const matching = sql`equity_snapshots where profile_id = ${profileId}
    and at >= coalesce(${filter.from ?? null}::timestamptz, '-infinity')
    and at <= coalesce(${filter.to ?? null}::timestamptz, 'infinity')`;
  // One index probe for the end of each of the equal times, when there are more snapshots than the limit.
  const shown = sql`(
    with few as materialized (select at from ${matching} order by at limit ${limit + 1}),
    span as (select (select count(*) from few) > ${limit} as sampled, (select min(at) from few) as first,
      (select at from ${matching} order by at desc limit 1) as last)
    select at from few where not (select sampled from span)
    union
    select newest.at from span cross join generate_series(0, ${limit - 1}) as slot
    cross join lateral (select at from ${matching}
      and at <= case slot when ${limit - 1} then span.last else span.first + (span.last - span.first) * slot / ${Math.max(limit - 1, 1)} end
      order by at desc limit 1) as newest where span.sampled) as shown`;
  return database
    .selectFrom('equity_snapshots')
    .select(['at', 'realised', 'position_value as positionValue', 'position_cost as positionCost', 'prices'])
    .where('profile_id', '=', profileId)
    .where(sql<boolean>`at = any(array(select at from ${shown}))`)
    .orderBy('at')
    .execute();
}
