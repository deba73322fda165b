import { sql } from 'kysely';
import type { OrderId, ProfileId } from '#core/ids.ts';
import type { Side } from '#core/order/order.ts';
import type { Reader } from '#storage/postgres/database.ts';

interface TradeKey {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly cycle: number;
}

interface TradeRow extends TradeKey {
  readonly openedAt: Date;
  /** Null while the position is open. */
  readonly closedAt: Date | null;
  readonly net: string | null;
  readonly exitReason: string | null;
}

interface TradeStep extends TradeKey {
  readonly at: Date;
  readonly orderId: OrderId;
  readonly side: Side;
  readonly quantity: string;
  readonly quote: string;
  readonly reason: string;
}

/** Open positions and the newest closed trades of these profiles, the open ones first. */
export async function newestTrades(
  database: Reader,
  profileIds: readonly ProfileId[],
  limit: number,
): Promise<TradeRow[]> {
  if (profileIds.length === 0) return [];
  const open = await database
    .selectFrom('runner_states')
    .select(['profile_id as profileId', 'symbol', 'cycle', sql<Date>`first_buy_at`.as('openedAt')])
    .where('profile_id', 'in', [...profileIds])
    .where('first_buy_at', 'is not', null)
    .where('quantity', '>', '0')
    .orderBy('last_fill_at', 'desc')
    .limit(limit)
    .execute();
  const closed = await database
    .selectFrom('closed_cycles')
    .select(['profile_id as profileId', 'symbol', 'cycle', 'opened_at as openedAt', 'closed_at as closedAt'])
    .select(['net', 'exit_reason as exitReason'])
    .where('profile_id', 'in', [...profileIds])
    .orderBy('closed_at', 'desc')
    .limit(limit)
    .execute();
  return [...open.map((row) => ({ ...row, closedAt: null, net: null, exitReason: null })), ...closed];
}

/** The filled orders of these trades, newest first. */
export async function tradeSteps(database: Reader, trades: readonly TradeKey[]): Promise<TradeStep[]> {
  if (trades.length === 0) return [];
  const wanted = sql<TradeKey>`(select * from unnest(${trades.map(({ profileId }) => profileId)}::uuid[],
    ${trades.map(({ symbol }) => symbol)}::text[], ${trades.map(({ cycle }) => cycle)}::int[])
    as keys ("profileId", symbol, cycle))`;
  return database
    .selectFrom('fills')
    .innerJoin('orders', 'orders.id', 'fills.order_id')
    .innerJoin(wanted.as('wanted'), (join) =>
      join
        .onRef('wanted.profileId', '=', 'fills.profile_id')
        .onRef('wanted.symbol', '=', 'fills.symbol')
        .onRef('wanted.cycle', '=', 'fills.cycle'),
    )
    .select(['fills.profile_id as profileId', 'fills.symbol', 'fills.cycle', 'fills.order_id as orderId'])
    .select(['fills.side', 'orders.reason', sql<Date>`max(fills.at)`.as('at')])
    .select((row) => [
      row.fn.sum<string>('fills.quantity').as('quantity'),
      row.fn.sum<string>('fills.quote_quantity').as('quote'),
    ])
    .groupBy(['fills.profile_id', 'fills.symbol', 'fills.cycle', 'fills.order_id', 'fills.side', 'orders.reason'])
    .orderBy(sql`max(fills.at)`, 'desc')
    .execute();
}
