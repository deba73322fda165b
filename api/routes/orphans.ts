import { venueOf } from '#core/account/account.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { AccountId } from '#core/ids.ts';
import { guessOwner, proveOwner } from '#core/account/orphan.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { isResting, listOrphans, type OrphanRow, readOrphan, resolveOrphan } from '#storage/trading/orphan-orders.ts';
import { loadProfilesToRun } from '#storage/trading/worker-profiles.ts';
import { configProblem } from '#strategies/config-problem.ts';
import { requestWorkerAction } from '#api/request-worker-action.ts';
import { announce } from '#api/frame/bus.ts';
import {
  adoptOrphanOrder,
  cancelOrphanOrder,
  detectOrphanOrders,
  leaveOrphanOrder,
  listOrphanOrders,
} from '#api/contract/orphans.ts';
import type { Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';

interface Target {
  readonly id: AccountId;
  readonly symbol: string;
  readonly orderId: string;
}

const orphanKeyOf = (row: OrphanRow) => ({ symbol: row.symbol, clientOrderId: row.client_order_id });
const plain = (text: string): string => formatDecimal(requireDecimal(text));
const priceOrNull = (text: string): string | null => (requireDecimal(text) === 0n ? null : plain(text));

const orphanView = (row: OrphanRow, profiles: readonly ProfileToRun[], marketMs: number) => {
  const { profile, proven, evidence } = guessOwner(orphanKeyOf(row), profiles, configProblem);
  return {
    symbol: row.symbol,
    orderId: row.exchange_order_id,
    clientOrderId: row.client_order_id,
    side: row.side,
    type: row.type,
    price: priceOrNull(row.price),
    stopPrice: priceOrNull(row.stop_price),
    quantity: plain(row.quantity),
    filledQuantity: plain(row.filled_quantity),
    listId: row.list_id,
    locked: row.locked_asset === null ? null : { asset: row.locked_asset, amount: plain(row.locked_amount) },
    placedAt: row.placed_at,
    ageSeconds: Math.max(0, Math.round((marketMs - row.placed_at.getTime()) / 1_000)),
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
    state: row.state,
    owner: { profileId: profile?.id ?? null, profileName: profile?.name ?? null, proven, evidence },
  };
};

async function requireResting(database: Reader, { id, symbol, orderId }: Target): Promise<OrphanRow> {
  const row = await readOrphan(database, { accountId: id, symbol, exchangeOrderId: orderId });
  if (row === undefined) throw new ApiProblem('not_found', `There is no orphan order ${orderId} of ${symbol}.`);
  if (isResting(row)) return row;
  throw new ApiProblem('conflict', `Order ${orderId} of ${symbol} is no longer an orphan order: it is ${row.state}.`);
}

export function mountOrphans(routes: Routes): void {
  const { context, handle } = routes;
  const { database, cache, venues } = context;

  handle(listOrphanOrders, async ({ account }) => {
    const rows = await listOrphans(database.kysely, account.id);
    const profiles = await loadProfilesToRun(database, account.id);
    const nowMs = context.now().getTime();
    const marketMs = (await venues.marketMs(venueOf(account), nowMs)) ?? nowMs;
    const checkedAt = (await cache.get(cacheKeys.orphansSeen(account.id))) ?? null;
    return { checkedAt, orphans: rows.map((row) => orphanView(row, profiles, marketMs)) };
  });

  handle(leaveOrphanOrder, async ({ commit, params }) => {
    const { id: accountId, symbol, orderId } = params;
    await commit(async ({ transaction }) => {
      const { state } = await requireResting(transaction, params);
      await resolveOrphan(transaction, { accountId, symbol, exchangeOrderId: orderId }, 'left');
      const subject = `account:${accountId}:${symbol}:${orderId}`;
      return { answer: undefined, subject, before: { state }, after: { state: 'left' } };
    });
    await announce(context, {
      command: 'profiles-changed',
      events: [{ topic: 'orphan', id: accountId, data: {} }],
    });
    return undefined;
  });

  mountOrphanActions(routes);
}

/** Actions of the worker that holds the account's lease. */
function mountOrphanActions({ context, handle }: Routes): void {
  const { database } = context;

  handle(detectOrphanOrders, ({ operator, commit }) =>
    commit(({ transaction, account }) =>
      requestWorkerAction(transaction, operator, { accountId: account.id, kind: 'orphan.detect' }),
    ),
  );

  handle(cancelOrphanOrder, ({ operator, commit, params }) =>
    commit(async ({ transaction, account }) => {
      const { symbol, orderId } = params;
      await requireResting(transaction, params);
      const request = { accountId: account.id, kind: 'orphan.cancel', payload: { symbol, orderId } };
      return requestWorkerAction(transaction, operator, request);
    }),
  );

  // The worker proves ownership again with the current order; a refusal that is certain now comes at once.
  handle(adoptOrphanOrder, async ({ operator, commit, params }) => {
    const { id: accountId, symbol, orderId } = params;
    const row = await requireResting(database.kysely, params);
    const ownership = proveOwner(orphanKeyOf(row), await loadProfilesToRun(database, accountId), configProblem);
    if (ownership.kind === 'refused') throw new ApiProblem('conflict', ownership.reason);
    const profileId = ownership.profile.id;
    const request = { accountId, profileId, symbol, kind: 'orphan.adopt', payload: { symbol, orderId } };
    return commit(({ transaction }) => requestWorkerAction(transaction, operator, request));
  });
}
