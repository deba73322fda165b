import { sql } from 'kysely';
import { type Halt, type HaltScope, haltLockText } from '#core/account/halts.ts';
import type { UserId } from '#core/ids.ts';
import { type Database, inTransaction, type Reader, readerOf, type Writer } from '#storage/postgres/database.ts';

export interface HaltSubject {
  readonly scope: HaltScope;
  /** The account or profile id; `all` for scope all. */
  readonly subject: string;
}

interface HaltRequest extends HaltSubject {
  readonly reason: string;
  readonly freeze: boolean;
  readonly cancelEntries?: boolean;
  readonly userId: UserId | null;
}

const COLUMNS = [
  'scope',
  'subject',
  'reason',
  'freeze_exits as freeze',
  'cancel_entries as cancelEntries',
  'engaged_at as since',
] as const;

const lockSubject = (writer: Writer, { scope, subject }: HaltSubject): Promise<unknown> =>
  sql`select pg_advisory_xact_lock(hashtextextended(${haltLockText(scope, subject)}, 0))`.execute(writer);

/**
 * Engages a kill switch. Waits for the intents under way (they hold the lock shared): every entry intent that commits
 * has a lower `halt_order` than the engagement. Engaging again changes the options, not the time since when.
 */
export function engageHalt(on: Database | Writer, request: HaltRequest): Promise<Halt> {
  return inTransaction(on, async (writer) => {
    await lockSubject(writer, request);
    const { scope, subject, reason, freeze, cancelEntries = false, userId } = request;
    const wish = { reason, freeze_exits: freeze, cancel_entries: cancelEntries, engaged_by: userId };
    return writer
      .insertInto('kill_switches')
      .values({
        scope,
        subject,
        ...wish,
        engaged_at: sql<Date>`clock_timestamp()`,
        halt_order: sql<string>`nextval('halt_order')`,
      })
      .onConflict((conflict) => conflict.columns(['scope', 'subject']).doUpdateSet(wish))
      .returning(COLUMNS)
      .executeTakeFirstOrThrow();
  });
}

/** Releases a kill switch; false when it was not engaged. */
export function releaseHalt(on: Database | Writer, request: HaltSubject): Promise<boolean> {
  return inTransaction(on, async (writer) => {
    await lockSubject(writer, request);
    const { numDeletedRows } = await writer
      .deleteFrom('kill_switches')
      .where('scope', '=', request.scope)
      .where('subject', '=', request.subject)
      .executeTakeFirst();
    return numDeletedRows > 0n;
  });
}

/** Everything that stops entries, oldest first: engaged kill switches and unconfirmed resets. */
export async function listHalts(on: Database | Reader): Promise<Halt[]> {
  const query = readerOf(on)
    .selectFrom('halts')
    .select([...COLUMNS, 'is_reset as reset']);
  const rows = await query.orderBy('engaged_at').execute();
  return rows.map(({ reset, ...halt }) => (reset ? { ...halt, reset } : halt));
}

export interface HaltView extends Halt {
  /** E-mail address of the operator who engaged it last. */
  readonly by: string | null;
}

export const readHalt = (on: Database | Reader, { scope, subject }: HaltSubject): Promise<HaltView | undefined> =>
  readerOf(on)
    .selectFrom('kill_switches')
    .leftJoin('users', 'users.id', 'engaged_by')
    .select([...COLUMNS, 'email as by'])
    .where('scope', '=', scope)
    .where('subject', '=', subject)
    .executeTakeFirst();
