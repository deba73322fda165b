import type { Account } from '#core/account/account.ts';
import { type Decimal, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { newId } from '#core/ids.ts';
import { type LedgerRow, outsideRowsOf } from '#core/position/ledger.ts';
import type { LedgerBalance, TradingStore } from '#core/ports/store.ts';
import type { Database, Reader, Writer } from '#storage/postgres/database.ts';
import { holdsLease } from '#storage/postgres/leases.ts';

type Owner = Pick<Account, 'id' | 'epoch'>;

/** Sums of the ledger of an account's current epoch by asset, without assets whose sum is zero. */
export async function walletSums(
  reader: Reader,
  { id, epoch }: Owner,
  books: readonly LedgerRow['book'][],
): Promise<{ asset: string; sum: Decimal }[]> {
  const rows = await reader
    .selectFrom('ledger_entries')
    .select((row) => ['asset', row.fn.sum<string>('amount').as('sum')])
    .where('account_id', '=', id)
    .where('epoch', '=', epoch)
    .where('book', 'in', [...books])
    .groupBy('asset')
    .having((row) => row(row.fn.sum('amount'), '!=', '0'))
    .orderBy('asset')
    .execute();
  return rows.map(({ asset, sum }) => ({ asset, sum: requireDecimal(sum) }));
}

/** Writes rows of the account itself, which belong to no profile. */
export async function insertLedgerRows(
  writer: Writer,
  rows: readonly LedgerRow[],
  { account, at }: { readonly account: Owner; readonly at: Date },
): Promise<void> {
  const owner = { account_id: account.id, epoch: account.epoch, profile_id: null, symbol: null, trade_id: null, at };
  await writer
    .insertInto('ledger_entries')
    .values(rows.map((row) => ({ ...row, ...owner, id: newId<string>(), amount: formatDecimal(row.amount) })))
    .execute();
}

export async function ledgerBalance(reader: Reader, account: Owner): Promise<LedgerBalance> {
  const outside = await reader
    .selectFrom('ledger_entries')
    .select('id')
    .where('account_id', '=', account.id)
    .where('epoch', '=', account.epoch)
    .where('book', '=', 'outside')
    .limit(1)
    .executeTakeFirst();
  return { begun: outside !== undefined, sums: await walletSums(reader, account, ['wallet', 'adjustments']) };
}

/** `moved` when a row was booked after `booked` was read: the wallet belongs to another moment then. */
export const bookOutside: (
  db: Database,
  request: Parameters<TradingStore['bookOutside']>[0],
) => ReturnType<TradingStore['bookOutside']> = (db, request) =>
  db.transaction(async (transaction) => {
    if (!(await holdsLease(transaction, request))) return 'lost-lease';
    const now = await ledgerBalance(transaction, request.account);
    const textOf = ({ begun, sums }: LedgerBalance): string =>
      [begun, ...sums.map(({ asset, sum }) => `${asset} ${formatDecimal(sum)}`)].join();
    if (textOf(now) !== textOf(request.booked)) return 'moved';
    await insertLedgerRows(transaction, request.changes.flatMap(outsideRowsOf), request);
    return 'booked';
  });
