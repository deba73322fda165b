import { sql } from 'kysely';
import type { WorkerContext } from '../context.ts';

/** Rows at debug say what was not done and grow fast; everything at info and above stays. */
const DEBUG_DAYS = 30;

/** Orphan orders that are resolved, for looking back. */
const ORPHAN_DAYS = 30;

/** Removes what nobody can use any more: old debug rows and sessions that have ended. */
export async function prune({ database, log }: WorkerContext): Promise<void> {
  const { kysely } = database;
  const rows = await kysely
    .deleteFrom('action_logs')
    .where('level', '=', 'debug')
    .where('recorded_at', '<', sql<Date>`now() - ${DEBUG_DAYS} * interval '1 day'`)
    .executeTakeFirst();
  const sessions = await kysely.deleteFrom('sessions').where('expires_at', '<', sql<Date>`now()`).executeTakeFirst();
  await kysely
    .deleteFrom('orphan_orders')
    .where('state', 'not in', ['open', 'left'])
    .where('state_at', '<', sql<Date>`now() - ${ORPHAN_DAYS} * interval '1 day'`)
    .execute();
  const removed = { logRows: Number(rows.numDeletedRows), sessions: Number(sessions.numDeletedRows) };
  log.info(
    { event: 'pruned', ...removed },
    `Removed ${removed.logRows} old log rows and ${removed.sessions} ended sessions`,
  );
}
