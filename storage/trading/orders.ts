import { type Selectable, sql } from 'kysely';
import type { Account } from '#core/account/account.ts';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { AccountId, OrderId } from '#core/ids.ts';
import { LIVE_ORDER_STATES, type OrderForm, type OrderRecord, type OrderState } from '#core/order/order.ts';
import type { OrderUpdate } from '#core/ports/store.ts';
import type { Database } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import { statesBefore } from './order-moves.ts';
import type { Tables } from '#storage/postgres/tables.ts';

type OrderRow = Selectable<Tables['orders']>;

function formOf(row: Pick<OrderRow, 'id' | 'type' | 'price' | 'stop_price' | 'trailing_delta'>): OrderForm {
  const price = (text: string | null) => {
    if (text === null) throw new Error(`Order ${row.id} is stored as ${row.type} without a price.`);
    return requireDecimal(text);
  };
  if (row.type === 'market') return { type: 'market' };
  if (row.type === 'limit') return { type: 'limit', price: price(row.price) };
  if (row.type === 'trailing-stop') return { type: 'trailing-stop', deltaBips: row.trailing_delta ?? 0 };
  if (row.type === 'stop-loss') return { type: 'stop-loss', stopPrice: price(row.stop_price) };
  return { type: 'stop-loss-limit', price: price(row.price), stopPrice: price(row.stop_price) };
}

const recordOf = (row: OrderRow): OrderRecord => ({
  id: row.id,
  accountId: row.account_id,
  profileId: row.profile_id,
  symbol: row.symbol,
  side: row.side,
  purpose: row.purpose,
  form: formOf(row),
  quantity: requireDecimal(row.quantity),
  clientOrderId: row.client_order_id,
  listId: row.list_id,
  exchangeOrderId: row.exchange_order_id,
  state: row.state,
  reason: row.reason,
  decision: row.decision,
  filledQuantity: requireDecimal(row.filled_quantity),
  filledQuote: requireDecimal(row.filled_quote),
  fencing: Number(row.fencing),
  sendBeforeMs: row.send_before.getTime(),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  payload: row.payload,
});

/**
 * Moves an order to its next state in one statement. A move that order-moves.ts forbids changes only the cumulative
 * amounts, which never shrink, and a missing exchange id. The caller reads the state from the returned row.
 */
export async function updateOrder(db: Database, orderId: OrderId, update: OrderUpdate): Promise<OrderRecord> {
  const before = statesBefore(update.state);
  const moves = sql<boolean>`(state = any(${before}::text[]))`;
  const stays = sql<boolean>`(state = any(${before}::text[]) or state = ${update.state})`;
  const payload = update.payload === undefined ? null : jsonText(update.payload);
  const row = await db.kysely
    .updateTable('orders')
    .set({
      state: sql<OrderState>`case when ${moves} then ${update.state} else state end`,
      reason: sql<string>`case when ${stays} then coalesce(${update.reason ?? null}, reason) else reason end`,
      payload: sql<string>`case when ${stays} then coalesce(${payload}::jsonb, payload) else payload end`,
      exchange_order_id: sql<string>`coalesce(exchange_order_id, ${update.exchangeOrderId ?? null})`,
      filled_quantity: sql<string>`greatest(filled_quantity, ${formatOptional(update.filledQuantity)}::numeric)`,
      filled_quote: sql<string>`greatest(filled_quote, ${formatOptional(update.filledQuote)}::numeric)`,
      ...(update.freesAction && { action_id: null }),
      updated_at: sql<Date>`greatest(updated_at, ${update.at ?? null}::timestamptz)`,
    })
    .where('id', '=', orderId)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw new Error(`There is no order ${orderId} to move to ${update.state}.`);
  return recordOf(row);
}

const formatOptional = (value: OrderUpdate['filledQuantity']): string | null =>
  value === undefined ? null : formatDecimal(value);

/** Intent, open, partially filled and unknown orders of an account, oldest first. */
export async function liveOrders(db: Database, accountId: AccountId): Promise<OrderRecord[]> {
  const rows = await db.kysely
    .selectFrom('orders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', 'in', LIVE_ORDER_STATES)
    .orderBy('recorded_at')
    .orderBy('id')
    .execute();
  return rows.map(recordOf);
}

/** Orders of an epoch that have an exchange id and were sent before that time, newest first. */
export async function acknowledgedOrders(
  db: Database,
  { id, epoch }: Pick<Account, 'id' | 'epoch'>,
  { most, sentBeforeMs }: { readonly most: number; readonly sentBeforeMs: number },
): Promise<OrderRecord[]> {
  const rows = await db.kysely
    .selectFrom('orders')
    .selectAll()
    .where('account_id', '=', id)
    .where('epoch', '=', epoch)
    .where('exchange_order_id', 'is not', null)
    .where('send_before', '<', new Date(sentBeforeMs))
    .orderBy('created_at', 'desc')
    .limit(most)
    .execute();
  return rows.map(recordOf);
}

export async function findOrderByClientId(
  db: Database,
  accountId: AccountId,
  clientOrderId: string,
): Promise<OrderRecord | undefined> {
  const row = await db.kysely
    .selectFrom('orders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('client_order_id', '=', clientOrderId)
    .executeTakeFirst();
  return row === undefined ? undefined : recordOf(row);
}
