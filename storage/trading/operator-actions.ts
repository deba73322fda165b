import { sql } from 'kysely';
import { newId, type AccountId, type ProfileId, type UserId } from '#core/ids.ts';
import {
  ACTION_VALID_SECONDS,
  type ActionOutcome,
  type ActionState,
  EXPIRED,
  type OperatorAction,
} from '#core/order/operator-action.ts';
import type { Database, Reader, Transaction } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** Channel that publishes the account's id when a request commits. */
export const ACTION_CHANNEL = 'operator_actions';

export interface ActionRequest {
  /** Set by a caller that may retry: the same request is stored once. */
  readonly id?: string;
  readonly accountId: AccountId;
  readonly profileId?: ProfileId;
  readonly symbol?: string;
  readonly kind: string;
  readonly payload?: unknown;
  readonly requestedBy: UserId;
  readonly validSeconds?: number;
  /** The approved proposal that it carries out; a second action for it is refused. */
  readonly proposalId?: string;
}

interface ActionView {
  readonly id: string;
  readonly accountId: AccountId;
  readonly profileId: ProfileId | null;
  readonly symbol: string | null;
  readonly kind: string;
  readonly payload: unknown;
  readonly state: ActionState;
  readonly reason: string | null;
  readonly detail: unknown;
  readonly requestedAt: Date;
  readonly expiresAt: Date;
  readonly finishedAt: Date | null;
}

/**
 * Requests an action from the worker that owns the account, in the transaction that also writes the audit row. Returns the
 * action's id. `isNew` is false when this request is already stored, `null` when the id belongs to another request.
 */
export async function requestAction(
  transaction: Transaction,
  request: ActionRequest,
): Promise<{ readonly id: string; readonly isNew: boolean | null }> {
  const id = request.id ?? newId<string>();
  const { accountId, profileId = null, symbol = null, kind, payload = {}, requestedBy } = request;
  const validSeconds = request.validSeconds ?? ACTION_VALID_SECONDS;
  const inserted = await transaction
    .insertInto('operator_actions')
    .values({
      id,
      account_id: accountId,
      profile_id: profileId,
      symbol,
      kind,
      payload: jsonText(payload),
      requested_by: requestedBy,
      proposal_id: request.proposalId ?? null,
      expires_at: sql<Date>`clock_timestamp() + ${validSeconds} * interval '1 second'`,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (inserted.numInsertedOrUpdatedRows === 0n) {
    const before = await readAction(transaction, accountId, id);
    const same = before?.kind === kind && before.profileId === profileId && before.symbol === symbol;
    return { id, isNew: same ? false : null };
  }
  await sql`select pg_notify(${ACTION_CHANNEL}, ${accountId})`.execute(transaction);
  return { id, isNew: true };
}

const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/**
 * Claims the pending actions of an account, oldest first, and those that an earlier run claimed and did not finish, without
 * `inHand`. One statement: only the holder of the lease with this number claims actions. It also marks actions as expired
 * that were never started in time. A resumed cancel names its order: the earlier run may have cancelled it already.
 */
export async function claimActions(
  db: Database,
  owner: { readonly accountId: AccountId; readonly fencing: number; readonly inHand: readonly string[] },
): Promise<OperatorAction[]> {
  const { rows } = await sql<OperatorAction>`
    with open as (
      select id, state = 'taken' as resumed, state = 'pending' and expires_at <= clock_timestamp() as late
      from operator_actions
      where account_id = ${owner.accountId} and state in ('pending', 'taken') and not id = any(${owner.inHand}::uuid[])
        and exists (select 1 from account_leases where account_id = ${owner.accountId}
          and fencing = ${owner.fencing} and expires_at > clock_timestamp())
      for update
    ), taken as (
      update operator_actions as action set fencing = ${owner.fencing},
        state = case when late then 'expired' else 'taken' end,
        reason = case when late then ${EXPIRED.reason} end,
        finished_at = case when late then clock_timestamp() end
      from open where action.id = open.id
      returning action.*, open.resumed
    )
    select taken.id, taken.account_id as "accountId", taken.profile_id as "profileId", taken.symbol, taken.kind,
      taken.payload, requested_at as "requestedAt", resumed,
      coalesce(orders.client_order_id, (select cancelled.client_order_id from orders cancelled
        where resumed and taken.kind = 'cancel-order' and cancelled.account_id = taken.account_id
          and cancelled.id = case when taken.payload ->> 'orderId' ~ ${UUID} then (taken.payload ->> 'orderId')::uuid end
        )) as "clientOrderId",
      (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as "validMs",
      (select preview.detail ->> 'price' from proposals join operator_actions preview on preview.id = preview_id
        where proposals.id = taken.proposal_id) as "previewPrice"
    from taken left join orders on orders.action_id = taken.id
    where taken.state = 'taken' order by requested_at, taken.id`.execute(db.kysely);
  return rows;
}

/** Stores the outcome once; false when it is already decided or another owner has claimed the action. */
export async function finishAction(
  db: Database,
  { id, fencing }: { readonly id: string; readonly fencing: number },
  outcome: ActionOutcome,
): Promise<boolean> {
  const { numUpdatedRows } = await db.kysely
    .updateTable('operator_actions')
    .set({
      state: outcome.state,
      reason: outcome.reason,
      detail: jsonText(outcome.detail),
      finished_at: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .where('state', '=', 'taken')
    .where('fencing', '=', String(fencing))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** An action of an account. An action that was not claimed in time reads as expired, even while no worker runs. */
export async function readAction(database: Reader, accountId: AccountId, id: string): Promise<ActionView | undefined> {
  const late = sql<boolean>`state = 'pending' and expires_at <= clock_timestamp()`;
  const row = await database
    .selectFrom('operator_actions')
    .select(['id', 'account_id as accountId', 'profile_id as profileId', 'symbol', 'kind', 'payload', 'state'])
    .select(['reason', 'detail', 'requested_at as requestedAt', 'expires_at as expiresAt', late.as('late')])
    .select('finished_at as finishedAt')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { late: isLate, ...action } = row;
  return isLate ? { ...action, state: 'expired', reason: EXPIRED.reason, finishedAt: row.expiresAt } : action;
}
