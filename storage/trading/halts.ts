import { sql } from 'kysely';
import { type Halt, type HaltScope, haltLockText } from '#core/account/halts.ts';
import type { UserId } from '#core/ids.ts';
import { type Database, inTransaction, type Reader, readerOf, type Writer } from '#storage/postgres/database.ts';

/*
 * The kill switch, in order. This is the one full account of it; other files point here.
 *
 * A kill switch (a halt) stops buys for everything, for one account or for one profile. With `freeze` it also stops
 * exits. With `cancelEntries` it also cancels resting buys. core/account/halts.ts says which order each halt refuses:
 *    - entries and manual buys: every halt;
 *    - exits, manual sales and changes of a resting stop: only a halt with `freeze`;
 *    - a protective stop where none rests: no halt, because it only lowers risk.
 *
 * 1. Engage. The api (api/routes/kill-switch.ts) calls `engageHalt`. It takes the advisory lock of the subject
 *    exclusively, so it waits for the intents that hold the lock shared. Then it writes the row of `kill_switches`.
 * 2. Bind. `commitIntent` (intents.ts) takes the locks of all three scopes shared. Its next statement has a snapshot
 *    that is younger than the locks, so it sees every engagement that committed before. A halt that refuses the order
 *    makes the statement write nothing, and the result is `halted`. This is the only place that binds without a gap:
 *    once `engageHalt` has committed, no order that it refuses can commit. Both draw `halt_order` under the locks:
 *    every entry that committed before the engagement has a lower number.
 * 3. Inform. The api sends the command `halts-changed`; the worker reads the halts again at once (worker/commands.ts).
 *    It also reads them every 2 s (engine/account/run-account.ts), so a lost command only delays steps 4 to 6.
 * 4. Refuse early. approve.ts refuses decisions under the halts in memory, with a reason that the operator can read.
 * 5. Stop before the signature. An intent that committed just before the engagement may not be sent yet. The gate of
 *    the exchange client (exchange/order-request.ts) checks the halts in memory right before it signs, and the intent
 *    ends as not sent. A buy that the worker signs before it has read the halt still goes out, at most 2 s after its
 *    decision.
 * 6. Cancel resting buys. With `cancelEntries` the coin runner cancels the buys that rest
 *    (engine/runner/cancel-entries.ts), and tries again at each read until the exchange confirms. Without it, resting
 *    buys stay on the exchange and may fill.
 * 7. Protect. Stops continue to work under a halt: they are placed, moved and cancelled. Under `freeze` a resting stop
 *    stays as it is, and a missing one is still placed. A stop on the exchange sells without the worker.
 * 8. Release. `releaseHalt` deletes the row under the same lock. The next decision is approved again.
 *
 * The view `halts` adds resets of a test exchange that the operator has not confirmed (`accounts.reset_at`). They
 * refuse entries and manual buys like an engaged switch. A restore engages the switch for everything with `freeze`
 * (storage/backup/restore.ts).
 */

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
