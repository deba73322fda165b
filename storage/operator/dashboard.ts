import { sql } from 'kysely';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import type { Reader } from '#storage/postgres/database.ts';

interface Realised {
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

/** Orders of these profiles whose outcome is unknown, oldest first. */
export const listUnconfirmed = (database: Reader, profileIds: readonly ProfileId[]) =>
  database
    .selectFrom('orders')
    .select(['id', 'profile_id as profileId', 'symbol', 'created_at as createdAt'])
    .where('state', '=', 'unknown')
    .where('profile_id', 'in', [...profileIds])
    .orderBy('created_at')
    .execute();

/** Open orphan orders and positions of an account, and the holder of its lease. */
export function readOpen(database: Reader, accountId: AccountId) {
  const count = database.selectFrom('orders').select(sql<number>`count(*)::int`.as('count'));
  const ofAccount = count.where('account_id', '=', accountId);
  return database
    .selectFrom('accounts')
    .select([
      ofAccount.where('state', 'in', [...LIVE_ORDER_STATES]).as('live'),
      ofAccount.where('state', '=', 'unknown').as('unknown'),
      sql<number>`(select count(*)::int from orphan_orders where account_id = accounts.id and state = 'open')`.as(
        'orphans',
      ),
      sql<number>`(select count(*)::int from runner_states join profiles on profiles.id = profile_id
        where account_id = accounts.id and quantity > 0)`.as('positions'),
      sql<string | null>`(select holder from account_leases
        where account_id = accounts.id and expires_at > clock_timestamp())`.as('holder'),
    ])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
}
