import type { AccountId, OrderId, ProfileId, UserId } from '#core/ids.ts';
import type { Reader } from './database.ts';

export interface OrderOwner {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly symbol: string;
}

/** Whose an order is; undefined for one of another operator. */
export const readOrderOwner = (database: Reader, userId: UserId, id: OrderId): Promise<OrderOwner | undefined> =>
  database
    .selectFrom('orders')
    .innerJoin('accounts', 'accounts.id', 'orders.account_id')
    .select(['orders.account_id as accountId', 'orders.profile_id as profileId', 'orders.symbol'])
    .where('accounts.user_id', '=', userId)
    .where('orders.id', '=', id)
    .executeTakeFirst();
