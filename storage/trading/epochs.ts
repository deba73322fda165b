import { sql } from 'kysely';
import type { Account } from '#core/account/account.ts';
import { negate, ZERO } from '#core/amount/decimal.ts';
import { haltLockText } from '#core/account/halts.ts';
import type { AccountId } from '#core/ids.ts';
import { adjustmentRowsOf } from '#core/position/ledger.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import type { EpochResult } from '#core/ports/store.ts';
import { foldAdjustment } from '#core/position/position.ts';
import type { Database, Transaction, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import { insertLedgerRows, walletSums } from './ledger.ts';
import { positionColumns, positionOf } from './runners.ts';

interface EpochRequest {
  readonly account: Pick<Account, 'id' | 'epoch'>;
  readonly fencing: number;
  /** Market time. */
  readonly at: Date;
}

const VOID = jsonText({ reason: 'exchange-reset' });

/**
 * Starts a new epoch in one transaction. Open orders of the old epoch become void. Its positions and ledger are emptied,
 * with a reason. Entries are refused until the operator confirms. Waits for intents under way.
 */
export const closeEpoch = (db: Database, request: EpochRequest): Promise<EpochResult> =>
  db.transaction(async (transaction) => {
    const { id, epoch } = request.account;
    await sql`select pg_advisory_xact_lock(hashtextextended(${haltLockText('account', id)}, 0))`.execute(transaction);
    const { rows } = await sql`update accounts set epoch = epoch + 1, reset_at = clock_timestamp()
      where id = ${id} and epoch = ${epoch} and exists (select 1 from account_leases where account_id = ${id}
        and fencing = ${request.fencing} and expires_at > clock_timestamp()) returning id`.execute(transaction);
    if (rows.length === 0) return { kind: 'lost-lease' };
    const orders = await transaction
      .updateTable('orders')
      .set({ state: 'expired', payload: VOID, updated_at: sql<Date>`greatest(updated_at, ${request.at}::timestamptz)` })
      .where('account_id', '=', id)
      .where('state', 'in', LIVE_ORDER_STATES)
      .executeTakeFirst();
    const positions = await voidPositions(transaction, request);
    for (const { asset, sum } of await walletSums(transaction, request.account, ['wallet']))
      await insertLedgerRows(transaction, adjustmentRowsOf(asset, negate(sum), 'exchange-reset'), request);
    return { kind: 'closed', epoch: epoch + 1, orders: Number(orders.numUpdatedRows), positions };
  });

/** Recorded prices and quantities describe the wallet that is gone. Returns how many positions were voided. */
async function voidPositions(transaction: Transaction, { account, at }: EpochRequest): Promise<number> {
  const rows = await transaction
    .selectFrom('runner_states')
    .selectAll()
    .where((row) => row.or([row('average_price', '!=', '0'), row('quantity', '!=', '0'), row('asked_price', '>', '0')]))
    .where('profile_id', 'in', transaction.selectFrom('profiles').select('id').where('account_id', '=', account.id))
    .orderBy('profile_id')
    .orderBy('symbol')
    .forUpdate()
    .execute();
  for (const row of rows) {
    const { profile_id, symbol } = row;
    const version = Number(row.version) + 1;
    const nothing = { quantity: ZERO, averagePrice: ZERO, held: false, at };
    const zero = { quantity: '0', average_price: '0', held: false };
    await transaction
      .updateTable('runner_states')
      .set({ version, ...positionColumns(foldAdjustment(positionOf(row), nothing)) })
      .set({ asked_price: null, asked_quantity: null, cost_basis_note: null })
      .where('profile_id', '=', profile_id)
      .where('symbol', '=', symbol)
      .execute();
    await transaction
      .insertInto('position_adjustments')
      .values({ profile_id, symbol, runner_version: version, reason: 'exchange-reset', ...zero, at })
      .execute();
  }
  return rows.length;
}

/** The operator confirms the reset: entries are allowed again. Returns when the reset was found; null without a reset. */
export async function confirmReset(writer: Writer, id: AccountId): Promise<Date | null> {
  const { rows } = await sql<{ reset_at: Date }>`update accounts set reset_at = null
    from (select id, reset_at from accounts where id = ${id} and reset_at is not null for update) as old
    where accounts.id = old.id returning old.reset_at`.execute(writer);
  return rows[0]?.reset_at ?? null;
}
