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

export interface StoredProof {
  readonly order: ProofOrder;
  readonly fills: readonly (FillView & { readonly exchangeOrderId: string })[];
  readonly ledger: readonly {
    readonly book: LedgerRow['book'];
    readonly asset: string;
    readonly amount: string;
    readonly reason: LedgerRow['reason'];
    readonly tradeId: string;
    readonly at: Date;
  }[];
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
  const ledger = await database
    .selectFrom('ledger_entries')
    .innerJoin('fills', (join) =>
      join
        .onRef('fills.account_id', '=', 'ledger_entries.account_id')
        .onRef('fills.epoch', '=', 'ledger_entries.epoch')
        .onRef('fills.symbol', '=', 'ledger_entries.symbol')
        .onRef('fills.profile_id', '=', 'ledger_entries.profile_id')
        .onRef('fills.trade_id', '=', 'ledger_entries.trade_id'),
    )
    .select(['book', 'asset', 'amount', 'reason', 'fills.trade_id as tradeId', 'ledger_entries.at'])
    .where('fills.order_id', '=', id)
    .orderBy('ledger_entries.recorded_at')
    .orderBy('ledger_entries.id')
    .execute();
  return { order, fills, ledger, evidence: await readEvidence(database, id) };
}
