import { sql } from 'kysely';
import { formatDecimal } from '#core/amount/decimal.ts';
import { newId, type OrderId } from '#core/ids.ts';
import { formOf, type FoundOrder } from '#core/account/orphan.ts';
import { listIdOf } from '#core/order/order.ts';
import type { Database } from '#storage/postgres/database.ts';
import { resolveOrphan } from './orphan-orders.ts';
import { lockRunner } from './runners.ts';

/**
 * Stores an own order that only the exchange lists. An order that is already recorded changes nothing. An order of an
 * unknown form is no longer open; it is kept for its fills.
 */
export const adoptOwnOrder = (db: Database, { accountId, profileId, order, own, fencing }: FoundOrder): Promise<void> =>
  db.transaction(async (transaction) => {
    await lockRunner(transaction, { profileId, symbol: order.symbol });
    const isLeg = own.purpose === 'target' || (own.purpose === 'stop' && order.listId !== undefined);
    const form = formOf(order) ?? ({ type: 'market' } as const);
    const account = transaction.selectFrom('accounts').select('epoch').where('id', '=', accountId);
    await transaction
      .insertInto('orders')
      .values((values) => ({
        id: newId<OrderId>(),
        account_id: accountId,
        epoch: values.fn.coalesce(account, sql<number>`1`),
        profile_id: profileId,
        symbol: order.symbol,
        side: order.side,
        purpose: own.purpose,
        type: form.type,
        quantity: formatDecimal(order.quantity),
        price: 'price' in form ? formatDecimal(form.price) : null,
        stop_price: 'stopPrice' in form ? formatDecimal(form.stopPrice) : null,
        trailing_delta: form.type === 'trailing-stop' ? form.deltaBips : null,
        client_order_id: own.clientOrderId,
        list_id: isLeg ? listIdOf(own.clientOrderId) : null,
        exchange_order_id: order.exchangeOrderId,
        state: 'open',
        reason: 'found-on-exchange',
        decision: '{}',
        fencing,
        halt_order: 0,
        send_before: order.updatedAt,
        created_at: order.updatedAt,
        updated_at: order.updatedAt,
      }))
      .onConflict((conflict) => conflict.columns(['account_id', 'client_order_id']).doNothing())
      .execute();
    await resolveOrphan(transaction, { accountId, ...order }, 'adopted');
    await transaction
      .updateTable('runner_states')
      .set({ order_sequence: sql<string>`greatest(order_sequence, ${own.sequence}::bigint)` })
      .where('profile_id', '=', profileId)
      .where('symbol', '=', order.symbol)
      .execute();
  });
