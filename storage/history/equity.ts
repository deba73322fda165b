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

interface EquitySnapshot {
  readonly profileId: ProfileId;
  readonly at: Date;
  readonly positionValue: string;
  readonly positionCost: string;
  /** Price of every coin of the profile at that moment. */
  readonly prices: Readonly<Record<string, string>>;
}

/** Stores a snapshot with the profile's realised P&L until now; skips a second snapshot of the same moment. */
export async function saveEquity({ kysely }: Database, snapshot: EquitySnapshot): Promise<void> {
  await sql`
    insert into equity_snapshots (profile_id, at, realised, position_value, position_cost, prices)
    select id, ${snapshot.at}, (select coalesce(sum(realised), 0) from fills where fills.profile_id = profiles.id),
      ${snapshot.positionValue}::numeric, ${snapshot.positionCost}::numeric, ${jsonText(snapshot.prices)}::jsonb
    from profiles where id = ${snapshot.profileId}
    on conflict do nothing`.execute(kysely);
}

/** At most `limit` snapshots, evenly spread over time, oldest first, including the first and the newest. */
export async function listEquity(
  database: Reader,
  filter: {
    readonly profileId: ProfileId;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
    readonly limit: number;
  },
) {
  const numbered = database
    .selectFrom('equity_snapshots')
    .select(['at', 'realised', 'position_value as positionValue', 'position_cost as positionCost', 'prices'])
    .select([sql<string>`row_number() over (order by at) - 1`.as('n'), sql<string>`count(*) over ()`.as('total')])
    .where('profile_id', '=', filter.profileId)
    .where(sql<boolean>`at >= coalesce(${filter.from ?? null}::timestamptz, '-infinity')`)
    .where(sql<boolean>`at <= coalesce(${filter.to ?? null}::timestamptz, 'infinity')`);
  return database
    .selectFrom(numbered.as('numbered'))
    .select(['at', 'realised', 'positionValue', 'positionCost', 'prices'])
    .where(sql<boolean>`n = total - 1 or n % greatest(1, ceil((total - 1)::numeric / ${filter.limit - 1})::bigint) = 0`)
    .orderBy('at')
    .execute();
}
