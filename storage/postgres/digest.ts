import { sql } from 'kysely';
import type { ProfileId } from '#core/ids.ts';
import type { Reader } from './database.ts';

export interface Digest {
  readonly profileId: ProfileId;
  readonly name: string;
  readonly enabled: boolean;
  readonly fills: number;
  readonly closed: number;
  readonly net: string;
  /** Number of closed positions by exit reason. */
  readonly exits: Readonly<Record<string, number>>;
  readonly held: number;
  readonly problems: number;
}

/** Summary of every profile since a moment. */
export const readDigests = (database: Reader, since: Date): Promise<Digest[]> =>
  database
    .selectFrom('profiles')
    .select(['id as profileId', 'name', 'enabled'])
    .select([
      sql<number>`(select count(*)::int from fills where profile_id = profiles.id and recorded_at >= ${since})`.as(
        'fills',
      ),
      sql<number>`(select count(*)::int from closed_cycles where profile_id = profiles.id and closed_at >= ${since})`.as(
        'closed',
      ),
      sql<string>`(select coalesce(sum(net), 0) from closed_cycles
        where profile_id = profiles.id and closed_at >= ${since})`.as('net'),
      sql<Record<string, number>>`(select coalesce(jsonb_object_agg(exit_reason, count), '{}') from (
        select exit_reason, count(*)::int as count from closed_cycles
        where profile_id = profiles.id and closed_at >= ${since} and exit_reason is not null group by exit_reason
      ) as exits)`.as('exits'),
      sql<number>`(select count(*)::int from runner_states where profile_id = profiles.id and quantity > 0)`.as('held'),
      sql<number>`(select count(*)::int from action_logs where profile_id = profiles.id
        and level in ('warn', 'error') and recorded_at >= ${since})`.as('problems'),
    ])
    .execute();
