import { sql } from 'kysely';
import { z } from 'zod';
import { newId } from '#core/ids.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import type { Retention } from '#core/installation/settings.ts';
import type { Database, Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** Rows per statement: a long statement would block writers. */
const ROWS_AT_ONCE = 10_000;

const deletedRows = z.record(z.string(), z.number());
type Pruned = z.output<typeof deletedRows>;

type Condition = ReturnType<typeof sql<boolean>>;

async function deleteWhere({ kysely }: Database, table: string, condition: Condition): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { numAffectedRows = 0n } = await sql`delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${condition} limit ${ROWS_AT_ONCE}))`.execute(kysely);
    deleted += Number(numAffectedRows);
    if (numAffectedRows < ROWS_AT_ONCE) return deleted;
  }
}

const olderThan = (column: string, days: number): Condition =>
  sql<boolean>`${sql.ref(column)} < now() - ${days} * interval '1 day'`;

/** Days that resolved orphan orders are kept. */
const ORPHAN_DAYS = 30;
/**
 * Orders that were cancelled before they executed anything. A stop that follows its price is such an order each time it is
 * moved: there are many of them, and they moved no money.
 */
export const NO_EXECUTION = "orders.state = 'cancelled' and orders.filled_quantity = 0";
/** Days that the evidence of such an order is kept. */
export const NO_EXECUTION_DAYS = 30;
/** Log rows of the stops among them. */
export const MOVED_STOP = `ctx ->> 'event' = 'stop_placed' and exists (select from orders
  where id = case when ctx ->> 'event' = 'stop_placed' then (ctx ->> 'orderId')::uuid end and ${NO_EXECUTION})`;
/** Days that signals are kept. */
const SIGNAL_DAYS = 30;
/** Days that operator actions, proposals and their outcomes are kept; the audit log holds the requests. */
const ACTION_DAYS = 90;

/** Deletes records past their retention and ended sessions; returns the number of deleted rows by kind. */
export async function pruneRecords(database: Database, retention: Retention): Promise<Pruned> {
  const { debugLogDays, actionLogDays, orderEvidenceDays, actionLogMaxRows, auditLogDays, equityDays } = retention;
  const isDetail = sql<boolean>`${olderThan('recorded_at', debugLogDays)}
    and (level = 'debug' or level = 'info' and ${sql.raw(MOVED_STOP)})`;
  const isResolved = sql<boolean>`state not in ('open', 'left') and ${olderThan('state_at', ORPHAN_DAYS)}`;
  // An unfinished action has no finished_at and is kept. An open order counts towards the budget of its token by its action.
  const isOldAction = sql<boolean>`${olderThan('finished_at', ACTION_DAYS)} and not exists (select from orders
    where action_id = operator_actions.id and state = any(${[...LIVE_ORDER_STATES]}::text[]))`;
  // A proposal without a decision ends with its expiry.
  const isOldProposal = sql<boolean>`coalesce(decided_at, expires_at) < now() - ${ACTION_DAYS} * interval '1 day'
    and not exists (select from operator_actions where proposal_id = proposals.id)`;
  const pruned: Pruned = {
    debugLogs: await deleteWhere(database, 'action_logs', isDetail),
    sessions: await deleteWhere(database, 'sessions', sql<boolean>`expires_at < now()`),
    orphans: await deleteWhere(database, 'orphan_orders', isResolved),
    signals: await deleteWhere(database, 'signals', olderThan('received_at', SIGNAL_DAYS)),
    operatorActions: await deleteWhere(database, 'operator_actions', isOldAction),
    proposals: await deleteWhere(database, 'proposals', isOldProposal),
  };
  const aged = [
    ['actionLogs', 'action_logs', 'recorded_at', actionLogDays],
    ['auditLogs', 'audit_logs', 'at', auditLogDays],
    ['equity', 'equity_snapshots', 'at', equityDays],
  ] as const;
  for (const [name, table, column, days] of aged)
    if (days !== null) pruned[name] = await deleteWhere(database, table, olderThan(column, days));
  if (orderEvidenceDays !== null) {
    // A live order keeps its whole evidence.
    const isOver = sql<boolean>`not exists (select from orders where id = order_id and state = any(${[...LIVE_ORDER_STATES]}::text[]))`;
    const isOld = sql<boolean>`${olderThan('at', orderEvidenceDays)} and ${isOver}`;
    const hasNoExecution = sql<boolean>`${olderThan('at', Math.min(NO_EXECUTION_DAYS, orderEvidenceDays))} and exists (
      select from orders where id = order_id and ${sql.raw(NO_EXECUTION)})`;
    pruned['orderEvidence'] =
      (await deleteWhere(database, 'order_evidence', hasNoExecution)) +
      (await deleteWhere(database, 'order_evidence', isOld));
  }
  if (actionLogMaxRows !== null) {
    // Ids rise with time: the newest rows are those at or above the id that many rows from the top.
    const beyond = sql<boolean>`id < (select id from action_logs order by id desc offset ${actionLogMaxRows - 1} limit 1)`;
    pruned['actionLogsBeyondMaximum'] = await deleteWhere(database, 'action_logs', beyond);
  }
  return pruned;
}

interface PruneReceipt {
  readonly ok: boolean;
  readonly error: string | null;
  readonly deleted: Pruned;
}

export async function savePruneReceipt(
  database: Writer,
  { ok, error, deleted, settings }: PruneReceipt & { readonly settings: Retention },
): Promise<void> {
  await database
    .insertInto('prune_receipts')
    .values({ id: newId(), ok, error, deleted: jsonText(deleted), settings: jsonText(settings) })
    .execute();
  await database.deleteFrom('prune_receipts').where(olderThan('at', 365)).execute();
}

/** Receipts of the last prunes, newest first. */
export async function listPruneReceipts(database: Reader, limit: number) {
  const rows = await database
    .selectFrom('prune_receipts')
    .select(['at', 'ok', 'error', 'deleted'])
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ deleted, ...row }) => ({ ...row, deleted: deletedRows.parse(deleted) }));
}
