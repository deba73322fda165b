import { sql } from 'kysely';
import type { AccountId, OrderId, UserId } from '#core/ids.ts';
import type { LedgerRow } from '#core/position/ledger.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { readEvidence } from './order-evidence.ts';
import { type FillView, type OrderView, selectFills, selectOrders } from './order-views.ts';

interface ProofOrder extends OrderView {
  readonly accountId: AccountId;
  readonly epoch: number;
  readonly decision: unknown;
  readonly payload: unknown;
  readonly fencing: string;
  /** Wall time of the commit, and until when it could be signed. */
  readonly recordedAt: Date;
  readonly sendBefore: Date;
  readonly actionId: string | null;
}

interface LedgerView {
  readonly book: LedgerRow['book'];
  readonly asset: string;
  readonly amount: string;
  readonly reason: LedgerRow['reason'];
  readonly tradeId: string;
  readonly at: Date;
}

export interface StoredProof {
  readonly order: ProofOrder;
  readonly fills: readonly (FillView & { readonly exchangeOrderId: string })[];
  readonly ledger: readonly LedgerView[];
  readonly evidence: Awaited<ReturnType<typeof readEvidence>>;
}

/** An order of the operator; undefined for an order of another user. */
export const readOrder = (database: Reader, userId: UserId, id: OrderId): Promise<ProofOrder | undefined> =>
  selectOrders(database)
    .select(['account_id as accountId', 'epoch', 'decision', 'payload', 'fencing', 'recorded_at as recordedAt'])
    .select(['send_before as sendBefore', 'action_id as actionId'])
    .where('id', '=', id)
    .where('account_id', 'in', database.selectFrom('accounts').select('id').where('user_id', '=', userId))
    .executeTakeFirst();

/** All records of an order: decision, request, outcome, fills and ledger rows. */
export async function readProof(database: Reader, userId: UserId, id: OrderId): Promise<StoredProof | undefined> {
  const order = await readOrder(database, userId, id);
  if (order === undefined) return undefined;
  const fills = await selectFills(database)
    .select('exchange_order_id as exchangeOrderId')
    .where('order_id', '=', id)
    .orderBy('runner_version')
    .execute();
  // Two indexes: the rows of a fill, and their corrections.
  const rows = (reason: ReturnType<typeof sql>) => sql`select row.* from own join ledger_entries as row
    on row.account_id = own.account_id and row.epoch = own.epoch and row.symbol = own.symbol
      and row.trade_id = own.trade_id and ${reason} where row.profile_id = own.profile_id`;
  const booked = sql<LedgerView & { id: string; recorded_at: Date }>`(
    with own as materialized (select account_id, epoch, symbol, profile_id, trade_id from fills where order_id = ${id})
    select id, book, asset, amount, reason, trade_id as "tradeId", at, recorded_at from (
      ${rows(sql`row.reason = 'fill'`)} union all ${rows(sql`row.reason <> 'fill' and row.trade_id is not null`)}) as booked)`;
  const ledger = await database
    .selectFrom(booked.as('booked'))
    .select(['book', 'asset', 'amount', 'reason', 'tradeId', 'at'])
    .orderBy('recorded_at')
    .orderBy('id')
    .execute();
  return { order, fills, ledger, evidence: await readEvidence(database, id) };
}
