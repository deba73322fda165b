import { type Selectable, sql } from 'kysely';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { OrphanLock, OrphanState } from '#core/account/orphan.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import type { Database, Reader, Writer } from '#storage/postgres/database.ts';
import type { Tables } from '#storage/postgres/tables.ts';

export type OrphanRow = Selectable<Tables['orphan_orders']>;

export interface OrphanKey {
  readonly accountId: AccountId;
  readonly symbol: string;
  readonly exchangeOrderId: string;
}

/** Those that the operator may still decide about. */
const RESTING = ['open', 'left'] as const satisfies OrphanState[];

const RESOLVED_SHOWN = 50;

const now = sql<Date>`clock_timestamp()`;

/** Clock of the database: orders seen after it are newer than decisions made before it. */
export async function databaseTime({ kysely }: Database): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(kysely);
  return rows[0]?.at ?? new Date();
}

/** The client ids among these that a profile tracks: the order is recorded and the profile still has the coin. */
export async function trackedClientIds(
  database: Reader,
  accountId: AccountId,
  clientOrderIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (clientOrderIds.length === 0) return new Set();
  const rows = await database
    .selectFrom('orders')
    .innerJoin('profile_symbols as bound', (join) =>
      join.onRef('bound.profile_id', '=', 'orders.profile_id').onRef('bound.symbol', '=', 'orders.symbol'),
    )
    .select('client_order_id')
    .where('account_id', '=', accountId)
    .where('client_order_id', 'in', [...clientOrderIds])
    .execute();
  return new Set(rows.map((row) => row.client_order_id));
}

/** The orders among these that are recorded as the profile's own, live or not. */
export async function recordedClientIds(
  database: Reader,
  { id, accountId }: { readonly id: ProfileId; readonly accountId: AccountId },
  orders: readonly Pick<ExchangeOrder, 'clientOrderId'>[],
): Promise<ReadonlySet<string>> {
  if (orders.length === 0) return new Set();
  const ids = orders.map(({ clientOrderId }) => clientOrderId);
  const own = database.selectFrom('orders').select('client_order_id').where('profile_id', '=', id);
  const rows = await own.where('account_id', '=', accountId).where('client_order_id', 'in', ids).execute();
  return new Set(rows.map((row) => row.client_order_id));
}

interface SeenOrphan {
  readonly order: ExchangeOrder;
  readonly lock: Omit<OrphanLock, 'left'>;
}

interface OpenOrphans {
  readonly accountId: AccountId;
  /** Time before the open orders were read: decisions made since then win. */
  readonly asOf: Date;
  readonly seen: readonly SeenOrphan[];
}

const valuesOf = (accountId: AccountId, { order, lock }: SeenOrphan) => ({
  account_id: accountId,
  symbol: order.symbol,
  exchange_order_id: order.exchangeOrderId,
  client_order_id: order.clientOrderId,
  side: order.side,
  type: order.trailingBips === undefined ? order.type : `${order.type} (trailing)`,
  price: formatDecimal(order.price),
  stop_price: formatDecimal(order.stopPrice),
  quantity: formatDecimal(order.quantity),
  filled_quantity: formatDecimal(order.filledQuantity),
  list_id: lock.listId,
  base_asset: lock.baseAsset,
  locked_asset: lock.asset,
  locked_amount: formatDecimal(lock.amount),
  placed_at: order.placedAt ?? order.updatedAt,
});

/**
 * Records the orphan orders that are open on the exchange; the others become gone. An order that the operator left stays
 * left while it is the same order. Returns the new rows.
 */
export const recordOrphans = (db: Database, { accountId, asOf, seen }: OpenOrphans): Promise<OrphanRow[]> =>
  db.transaction(async (transaction) => {
    const fresh: OrphanRow[] = [];
    for (const orphan of seen) {
      const row = await transaction
        .insertInto('orphan_orders')
        .values(valuesOf(accountId, orphan))
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'symbol', 'exchange_order_id']).doUpdateSet({
            client_order_id: sql<string>`excluded.client_order_id`,
            filled_quantity: sql<string>`excluded.filled_quantity`,
            base_asset: sql<string>`coalesce(excluded.base_asset, orphan_orders.base_asset)`,
            locked_asset: sql<string>`coalesce(excluded.locked_asset, orphan_orders.locked_asset)`,
            locked_amount: sql<string>`excluded.locked_amount`,
            last_seen_at: now,
            state: sql<OrphanState>`case
              when orphan_orders.state = 'left' and orphan_orders.client_order_id = excluded.client_order_id then 'left'
              when orphan_orders.state in ('adopted', 'cancelled', 'gone') and orphan_orders.state_at > ${asOf} then orphan_orders.state
              else 'open' end`,
          }),
        )
        .returningAll()
        .returning(sql<boolean>`xmax = 0`.as('isNew'))
        .executeTakeFirstOrThrow();
      if (row.isNew) fresh.push(row);
    }
    await transaction
      .updateTable('orphan_orders')
      .set({ state: 'gone', state_at: now })
      .where('account_id', '=', accountId)
      .where('state', 'in', RESTING)
      .where('last_seen_at', '<', asOf)
      .execute();
    return fresh;
  });

export const readOrphan = (database: Reader, key: OrphanKey): Promise<OrphanRow | undefined> =>
  database
    .selectFrom('orphan_orders')
    .selectAll()
    .where('account_id', '=', key.accountId)
    .where('symbol', '=', key.symbol)
    .where('exchange_order_id', '=', key.exchangeOrderId)
    .executeTakeFirst();

export const isResting = ({ state }: Pick<OrphanRow, 'state'>): boolean => RESTING.some((orphan) => orphan === state);

/** Open orphans, oldest first, then the newest resolved ones. */
export async function listOrphans(database: Reader, accountId: AccountId): Promise<OrphanRow[]> {
  const rows = database.selectFrom('orphan_orders').selectAll().where('account_id', '=', accountId);
  const resting = await rows.where('state', 'in', RESTING).orderBy('placed_at').orderBy('exchange_order_id').execute();
  const resolved = rows.where('state', 'not in', RESTING).orderBy('state_at', 'desc').limit(RESOLVED_SHOWN);
  return [...resting, ...(await resolved.execute())];
}

/** Amounts that the open orphans of an account lock. */
export async function orphanLocks(database: Reader, accountId: AccountId): Promise<OrphanLock[]> {
  const rows = await database
    .selectFrom('orphan_orders')
    .select(['exchange_order_id', 'base_asset', 'locked_asset', 'locked_amount', 'list_id', 'state'])
    .where('account_id', '=', accountId)
    .where('state', 'in', RESTING)
    .execute();
  return rows.map((row) => ({
    exchangeOrderId: row.exchange_order_id,
    baseAsset: row.base_asset,
    asset: row.locked_asset,
    amount: requireDecimal(row.locked_amount),
    listId: row.list_id,
    left: row.state === 'left',
  }));
}

/** Resolves an open orphan; false when it is already resolved. */
export async function resolveOrphan(database: Writer, key: OrphanKey, state: OrphanState): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('orphan_orders')
    .set({ state, state_at: now })
    .where('account_id', '=', key.accountId)
    .where('symbol', '=', key.symbol)
    .where('exchange_order_id', '=', key.exchangeOrderId)
    .where('state', 'in', RESTING)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
