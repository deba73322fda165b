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

/** The times of the first and the newest snapshot of each profile that has one. */
export const listEquitySpans = (database: Reader) =>
  database
    .selectFrom('equity_snapshots')
    .select((eb) => ['profile_id as profileId', eb.fn.min('at').as('first'), eb.fn.max('at').as('last')])
    .groupBy('profile_id')
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

/** Unrealised P&L of each profile at its last snapshot until `at`; profiles without one are left out. */
export async function unrealisedBefore(
  database: Reader,
  profileIds: readonly ProfileId[],
  at: Date,
): Promise<ReadonlyMap<ProfileId, string>> {
  if (profileIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('equity_snapshots')
    .distinctOn('profile_id')
    .select(['profile_id as profileId', sql<string>`position_value - position_cost`.as('unrealised')])
    .where('profile_id', 'in', [...profileIds])
    .where('at', '<=', at)
    .orderBy('profile_id')
    .orderBy('at', 'desc')
    .execute();
  return new Map(rows.map(({ profileId, unrealised }) => [profileId, unrealised]));
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
  const second = sql`extract(epoch from at)`;
  const all = sql`over (partition by profile_id)`;
  const since = sql`${second} - min(${second}) ${all}`;
  const span = sql`nullif(max(${second}) ${all} - min(${second}) ${all}, 0)`;
  const found = database
    .selectFrom('equity_snapshots')
    .select(['at', 'realised', 'position_value as positionValue', 'position_cost as positionCost', 'prices'])
    .select(sql<number>`count(*) over ()`.as('total'))
    .select(sql<number>`ceil((${since}) * ${filter.limit - 1} / ${span})`.as('slot'))
    .where('profile_id', '=', filter.profileId)
    .where(sql<boolean>`at >= coalesce(${filter.from ?? null}::timestamptz, '-infinity')`)
    .where(sql<boolean>`at <= coalesce(${filter.to ?? null}::timestamptz, 'infinity')`);
  const numbered = database
    .selectFrom(found.as('found'))
    .select(['at', 'realised', 'positionValue', 'positionCost', 'prices', 'total'])
    .select(sql<boolean>`at = max(at) over (partition by slot)`.as('newest'));
  return database
    .selectFrom(numbered.as('numbered'))
    .select(['at', 'realised', 'positionValue', 'positionCost', 'prices'])
    .where(sql<boolean>`newest or total <= ${filter.limit}`)
    .orderBy('at')
    .execute();
}
