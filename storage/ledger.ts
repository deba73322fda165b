import type { Account } from '#core/account.ts';
import { type Decimal, formatDecimal, requireDecimal } from '#core/decimal.ts';
import { newId } from '#core/ids.ts';
import type { LedgerRow } from '#core/ledger.ts';
import type { Reader, Writer } from './database.ts';

type Owner = Pick<Account, 'id' | 'epoch'>;

/** What the books of an account's present epoch add up to, by asset, without assets that come to nothing. */
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

/** Rows of the account itself, which belong to no profile. */
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
