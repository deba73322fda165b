// Lease and fencing are described in worker/leases.ts.
import { sql } from 'kysely';
import type { Account } from '#core/account/account.ts';
import { haltLockText } from '#core/account/halts.ts';
import type { AccountId } from '#core/ids.ts';
import type { Database, Transaction } from './database.ts';

interface LeaseRequest {
  readonly accountId: AccountId;
  /** The worker's slot: a restarted worker of the same slot gets its lease again at once, with a new number. */
  readonly holder: string;
  readonly ttlMs: number;
}

interface HeldLease {
  readonly accountId: AccountId;
  readonly fencing: number;
}

const expiry = (ttlMs: number) => sql<Date>`clock_timestamp() + ${ttlMs} * interval '1 millisecond'`;

const isHeldByOther = async (db: Database, { accountId, holder }: LeaseRequest): Promise<boolean> => {
  const row = await db.kysely
    .selectFrom('account_leases')
    .select('holder')
    .where('account_id', '=', accountId)
    .where('holder', '!=', holder)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return row !== undefined;
};

/** Accounts that a worker holds, or held until it died. */
export async function leasedAccounts(db: Database): Promise<Set<AccountId>> {
  const rows = await db.kysely.selectFrom('account_leases').select('account_id').execute();
  return new Set(rows.map((row) => row.account_id));
}

export interface WriteState {
  readonly readOnly: boolean;
  /** End of the last lease, if that was more than 10 s ago: its worker died or could not renew it. */
  readonly leaseEndedAt: Date | null;
}

/** Whether the database accepts writes and the workers' writes arrive. This check only reads. */
export async function readWriteState({ kysely }: Database): Promise<WriteState> {
  const { rows } = await sql<WriteState>`
    select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "readOnly", (
      select max(expires_at) from account_leases having max(expires_at) < clock_timestamp() - interval '10 seconds'
    ) as "leaseEndedAt"`.execute(kysely);
  return rows[0] ?? { readOnly: false, leaseEndedAt: null };
}

const DISK_FULL = '53100';

/**
 * Whether the disk of the database is full. It sorts more than it may keep in memory, which needs a temporary file of a
 * megabyte; nothing is stored.
 */
export async function isDiskFull(db: Database): Promise<boolean> {
  try {
    await db.transaction(async (transaction) => {
      await sql`select set_config('work_mem', '64kB', true)`.execute(transaction);
      await sql`select count(distinct md5(g::text)) from generate_series(1, 20000) g`.execute(transaction);
    });
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === DISK_FULL) return true;
    throw error;
  }
}

/** Number of accounts that each worker holds now, by slot; a worker without an account is absent. */
export async function countLeases(db: Database): Promise<Map<string, number>> {
  const rows = await db.kysely
    .selectFrom('account_leases')
    .select(({ fn }) => ['holder', fn.countAll<string>().as('accounts')])
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .groupBy('holder')
    .execute();
  return new Map(rows.map(({ holder, accounts }) => [holder, Number(accounts)]));
}

/**
 * Acquires the lease of an account when it is absent, expired or held by the same slot. Holds the account's halt lock
 * exclusively: an intent with an older fencing number has committed before, or can no longer commit.
 */
export async function acquireLease(db: Database, request: LeaseRequest): Promise<{ fencing: number } | undefined> {
  // First checked without the lock: waiting for the lock would delay the intents of the account's owner.
  if (await isHeldByOther(db, request)) return undefined;
  const { accountId, holder, ttlMs } = request;
  return db.transaction(async (transaction) => {
    const lock = haltLockText('account', accountId);
    await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(transaction);
    const row = await transaction
      .insertInto('account_leases')
      .values({
        account_id: accountId,
        holder,
        fencing: sql<string>`nextval('fencing_number')`,
        expires_at: expiry(ttlMs),
      })
      .onConflict((conflict) =>
        conflict
          .column('account_id')
          .doUpdateSet((values) => ({
            holder: values.ref('excluded.holder'),
            fencing: values.ref('excluded.fencing'),
            expires_at: values.ref('excluded.expires_at'),
          }))
          .where((where) =>
            where.or([
              where('account_leases.holder', '=', holder),
              where('account_leases.expires_at', '<=', sql<Date>`clock_timestamp()`),
            ]),
          ),
      )
      .returning('fencing')
      .executeTakeFirst();
    return row === undefined ? undefined : { fencing: Number(row.fencing) };
  });
}

/** Extends a lease that still carries this fencing number; false means that another worker has taken the account. */
export async function renewLease(db: Database, lease: HeldLease & { readonly ttlMs: number }): Promise<boolean> {
  const { numUpdatedRows } = await db.kysely
    .updateTable('account_leases')
    .set({ expires_at: expiry(lease.ttlMs) })
    .where('account_id', '=', lease.accountId)
    .where('fencing', '=', String(lease.fencing))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Releases the account for the next worker. A lease that another worker has acquired meanwhile is unchanged. */
export async function releaseLease(db: Database, lease: HeldLease): Promise<void> {
  await db.kysely
    .deleteFrom('account_leases')
    .where('account_id', '=', lease.accountId)
    .where('fencing', '=', String(lease.fencing))
    .execute();
}

/** Takes the account's lock, so that a takeover happens before or after the whole transaction. */
export async function holdsLease(
  transaction: Transaction,
  { account, fencing }: { readonly account: Pick<Account, 'id'>; readonly fencing: number },
): Promise<boolean> {
  const lock = haltLockText('account', account.id);
  await sql`select pg_advisory_xact_lock_shared(hashtextextended(${lock}, 0))`.execute(transaction);
  const row = await transaction
    .selectFrom('account_leases')
    .select('fencing')
    .where('account_id', '=', account.id)
    .where('fencing', '=', String(fencing))
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return row !== undefined;
}
