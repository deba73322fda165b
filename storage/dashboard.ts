import type { AccountId } from '#core/ids.ts';
import type { Reader } from './database.ts';

export interface Realised {
  readonly accountId: AccountId;
  readonly symbol: string;
  readonly realised: string;
}

/** Gains per account and coin since `since`, in the coin's quote asset. */
export async function realisedSince(database: Reader, accountId: AccountId, since: Date): Promise<Realised[]> {
  const rows = await database
    .selectFrom('fills')
    .select((row) => ['account_id as accountId', 'symbol', row.fn.sum<string>('realised').as('realised')])
    .where('account_id', '=', accountId)
    .where('at', '>=', since)
    .groupBy(['account_id', 'symbol'])
    .execute();
  return rows;
}
