import { sql } from 'kysely';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { OPEN_STATES, type ResearchKind } from './research.ts';

/** A backtest or a sweep that has not ended. */
interface OpenResearch {
  readonly id: string;
  readonly profileId: ProfileId;
  readonly profileName: string;
}

/** The open ones of all profiles of an account, oldest first. */
export const listOpenResearch = (reader: Reader, kind: ResearchKind, accountId: AccountId): Promise<OpenResearch[]> =>
  reader
    .selectFrom('research')
    .innerJoin('profiles', 'profiles.id', 'research.profile_id')
    .select(['research.id', 'profiles.id as profileId', 'profiles.name as profileName'])
    .where('profiles.account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('research.state', 'in', OPEN_STATES)
    .orderBy('research.created_at')
    .execute();

/** Jobs of a name that wait or run. */
export async function countOpenJobs(reader: Reader, name: string): Promise<number> {
  const { count } = await reader
    .selectFrom(sql<{ name: string; state: string }>`pgboss.job`.as('job'))
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('name', '=', name)
    .where('state', 'in', ['created', 'retry', 'active'])
    .executeTakeFirstOrThrow();
  return count;
}

/** Deletes waiting jobs of an aborted sweep, which would delay other jobs. */
export const deleteWaitingUnits = (writer: Writer, sweepId: string): Promise<unknown> =>
  sql`delete from pgboss.job where name = 'run-sweep-unit' and state in ('created', 'retry')
    and data ->> 'sweepId' = ${sweepId}`.execute(writer);
