import { type Selectable, sql } from 'kysely';
import { haltLockText } from '#core/account/halts.ts';
import { type Decimal, formatDecimal, requireDecimal, subtract } from '#core/amount/decimal.ts';
import { type AccountId, newId } from '#core/ids.ts';
import { adjustmentRowsOf } from '#core/position/ledger.ts';
import type { AdjustmentRequest, AdjustmentResult, CostBasis } from '#core/ports/store.ts';
import { FLAT, foldAdjustment } from '#core/position/position.ts';
import type { Database, Reader, Transaction, Writer } from '#storage/postgres/database.ts';
import { lockRunner, positionColumns, positionOf, type RunnerKey } from './runners.ts';
import type { Tables } from '#storage/postgres/tables.ts';

export async function readCostBasis(db: Database, key: RunnerKey): Promise<CostBasis> {
  const row = await db.kysely
    .selectFrom('runner_states')
    .selectAll()
    .where('profile_id', '=', key.profileId)
    .where('symbol', '=', key.symbol)
    .executeTakeFirst();
  if (row === undefined) return { version: 0, position: FLAT, note: null, asked: null };
  const { asked_price: price, asked_quantity: quantity } = row;
  return {
    version: Number(row.version),
    position: positionOf(row),
    note: row.cost_basis_note,
    asked:
      price === null || quantity === null ? null : { price: requireDecimal(price), quantity: requireDecimal(quantity) },
  };
}

/** The row of the cost-basis ledger. A requested price and quantity replace the recorded ones. */
export const readLedgerRow = (reader: Reader, key: RunnerKey): Promise<Selectable<Tables['cost_basis']> | undefined> =>
  reader
    .selectFrom('cost_basis')
    .selectAll()
    .where('profile_id', '=', key.profileId)
    .where('symbol', '=', key.symbol)
    .executeTakeFirst();

/** Coins of an account with a requested cost basis that no worker has applied yet. */
export const listRequestedCostBasis = (reader: Reader, accountId: AccountId): Promise<RunnerKey[]> =>
  reader
    .selectFrom('runner_states')
    .innerJoin('profiles', 'profiles.id', 'runner_states.profile_id')
    .select(['profile_id as profileId', 'symbol'])
    .where('account_id', '=', accountId)
    .where('asked_price', 'is not', null)
    .execute();

/** Stores the price and quantity that the operator requests. The worker that owns the account applies them. */
export async function requestCostBasis(
  writer: Writer,
  key: RunnerKey,
  asked: { readonly price: Decimal; readonly quantity: Decimal },
): Promise<void> {
  const columns = { asked_price: formatDecimal(asked.price), asked_quantity: formatDecimal(asked.quantity) };
  await writer
    .insertInto('runner_states')
    .values({ profile_id: key.profileId, symbol: key.symbol, ...columns })
    .onConflict((conflict) => conflict.columns(['profile_id', 'symbol']).doUpdateSet(columns))
    .execute();
}

/** Takes the locks of account and profile, like an intent: a worker that has lost the account or the coin is refused. */
async function readStanding(
  transaction: Transaction,
  { account, fencing, profileId, symbol }: AdjustmentRequest,
): Promise<{ leased: boolean; bound: boolean } | undefined> {
  for (const lock of [haltLockText('account', account.id), haltLockText('profile', profileId)])
    await sql`select pg_advisory_xact_lock_shared(hashtextextended(${lock}, 0))`.execute(transaction);
  const { rows } = await sql<{ leased: boolean; bound: boolean }>`select
    exists (select 1 from account_leases where account_id = ${account.id} and fencing = ${fencing}
      and expires_at > clock_timestamp()) as leased,
    exists (select 1 from profile_symbols where profile_id = ${profileId} and symbol = ${symbol}) as bound`.execute(
    transaction,
  );
  return rows[0];
}

async function insertRows(transaction: Transaction, request: AdjustmentRequest, version: number): Promise<void> {
  const { account, profileId, symbol, baseAsset, reason, at } = request;
  await transaction
    .insertInto('position_adjustments')
    .values({
      profile_id: profileId,
      symbol,
      runner_version: version,
      reason,
      average_price: formatDecimal(request.averagePrice),
      quantity: formatDecimal(request.quantity),
      held: request.held,
      at,
    })
    .execute();
  const change = subtract(request.quantity, request.basis.position.quantity);
  if (change === 0n) return;
  if (baseAsset === null) {
    throw new Error(
      `The quantity of ${symbol} cannot change, because its base asset is not known: wait until the trading rules are loaded.`,
    );
  }
  const owner = { account_id: account.id, epoch: account.epoch, profile_id: profileId, symbol, trade_id: null, at };
  const rows = adjustmentRowsOf(baseAsset, change, reason);
  await transaction
    .insertInto('ledger_entries')
    .values(rows.map((row) => ({ ...row, ...owner, id: newId<string>(), amount: formatDecimal(row.amount) })))
    .execute();
}

/**
 * Sets position and note in one transaction with their adjustment and ledger rows. `moved` when a fill, an intent,
 * another adjustment or an unbinding came in between: the caller reads the row again.
 */
export const adjustPosition = (db: Database, request: AdjustmentRequest): Promise<AdjustmentResult> =>
  db.transaction(async (transaction) => {
    const { basis } = request;
    const standing = await readStanding(transaction, request);
    if (standing?.leased !== true) return { kind: 'lost-lease' };
    const row = await lockRunner(transaction, request);
    if (!standing.bound || Number(row.version) !== basis.version) return { kind: 'moved' };
    const position = foldAdjustment(positionOf(row), request);
    const version = basis.version + 1;
    const same = (stored: string | null, seen: Decimal | undefined): boolean =>
      stored !== null && requireDecimal(stored) === seen;
    const done = same(row.asked_price, basis.asked?.price) && same(row.asked_quantity, basis.asked?.quantity);
    await transaction
      .updateTable('runner_states')
      .set({
        version,
        ...positionColumns(position),
        cost_basis_note: request.note,
        ...(done ? { asked_price: null, asked_quantity: null } : {}),
      })
      .where('profile_id', '=', request.profileId)
      .where('symbol', '=', request.symbol)
      .execute();
    await insertRows(transaction, request, version);
    return { kind: 'adjusted', position, version };
  });
