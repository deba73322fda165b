import { z } from 'zod';
import { venueOf } from '#core/account/account.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { type ActionOutcome, done, type OperatorAction, refused } from '#core/order/operator-action.ts';
import { isLiveOrder } from '#core/order/order.ts';
import { formOf, lockOf, type OrphanState, proveOwner } from '#core/account/orphan.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { readSymbolInfos } from '#core/market/symbol-codec.ts';
import type { RunningAccount } from '#engine/account/account-run.ts';
import { logRow } from '#engine/tick/settle.ts';
import {
  databaseTime,
  isResting,
  type OrphanKey,
  readOrphan,
  recordOrphans,
  resolveOrphan,
  trackedClientIds,
} from '#storage/trading/orphan-orders.ts';
import { loadProfilesToRun } from '#storage/trading/worker-profiles.ts';
import { configProblem } from '#strategies/config-problem.ts';
import type { AccountAction, ActionDeps } from './account-action.ts';
import { type AccountLoop, runnerOf } from './account-loop.ts';
import type { WorkerContext } from './context.ts';
import { notifyAccount } from './notify.ts';

const CONSEQUENCE = 'until you decide, the worker buys nothing of the same coin';
const NOT_READ = 'The open orders could not be read, so new orphan orders were not detected this time';
export const NOT_RUNNING = 'The account has no working API key, so the worker cannot reach the exchange for it.';

/**
 * Compares the open orders of an account with the orders that its profiles track; only the owner does. Returns the
 * number of resting orphans, or a sentence that says why it is not known.
 */
export async function detectOrphans(context: WorkerContext, { running, toRun }: AccountLoop): Promise<number | string> {
  if (running === null) return NOT_RUNNING;
  const { database, cache, announcer, log } = context;
  const { account } = toRun;
  const asOf = await databaseTime(database);
  // Read the exchange first: every own order that it shows was committed before it was sent.
  const list = await running.context.ports.trading.openOrders().catch((err: unknown) => {
    log.warn({ event: 'orphans_not_read', accountId: account.id, err }, NOT_READ);
    return undefined;
  });
  if (list === undefined) return `${NOT_READ}.`;
  const { orders: open, unread } = list;
  for (const { cause, ...marks } of unread)
    log.warn(
      { event: 'order_unreadable', accountId: account.id, ...marks },
      `An open order could not be read. ${cause}`,
    );
  const ids = open.map(({ clientOrderId }) => clientOrderId);
  const tracked = await trackedClientIds(database.kysely, account.id, ids);
  const infoOf = readSymbolInfos(await cache.get(cacheKeys.rules(venueOf(account))));
  const seen = open
    .filter(({ clientOrderId }) => !tracked.has(clientOrderId))
    .map((order) => {
      const info = infoOf(order.symbol);
      return { order, lock: lockOf(order, typeof info === 'string' ? undefined : info) };
    });
  for (const row of await recordOrphans(database, { accountId: account.id, asOf, seen })) {
    const { symbol, side, client_order_id: clientOrderId, exchange_order_id: exchangeOrderId } = row;
    const fields = { accountId: account.id, symbol, side, clientOrderId, exchangeOrderId, quantity: row.quantity };
    const title = `Order ${exchangeOrderId} of ${symbol} belongs to no profile`;
    log.warn({ event: 'orphan_found', ...fields }, `${title}: ${CONSEQUENCE}`);
    const text = `It ${side}s ${formatDecimal(requireDecimal(row.quantity))}. Adopt, cancel or leave it: ${CONSEQUENCE}.`;
    await notifyAccount(context.notifyDeps, account.id, { event: 'orphan-order', title, text });
  }
  await cache.set(cacheKeys.orphansSeen(account.id), asOf.toISOString());
  await running.refreshProfiles();
  announcer.announce({ topic: 'orphan', id: account.id, data: {} });
  return seen.length;
}

const target = z.object({ symbol: z.string(), orderId: z.string() });

interface Case extends ActionDeps {
  readonly running: RunningAccount;
  readonly key: OrphanKey;
  /** The order as the exchange reports it now. */
  readonly order: ExchangeOrder;
  readonly action: OperatorAction;
}

/** Reads the stored row and the exchange again before the action does anything. */
const onOrphan =
  (wanted: OrphanState, work: (on: Case) => Promise<ActionOutcome>): AccountAction =>
  async (deps, action) => {
    const { context, loop } = deps;
    const { symbol, orderId } = target.parse(action.payload);
    const key = { accountId: action.accountId, symbol, exchangeOrderId: orderId };
    if (loop.running === null) return refused(NOT_RUNNING);
    const row = await readOrphan(context.database.kysely, key);
    if (action.resumed && row?.state === wanted) return done();
    if (row === undefined || !isResting(row))
      return refused(
        `Order ${orderId} of ${symbol} is ${row === undefined ? 'not an orphan' : `no longer an orphan: ${row.state}`}.`,
      );
    const lookup = await loop.running.context.ports.trading.findOrder(symbol, { exchangeOrderId: orderId });
    if (lookup.kind === 'unreadable') return refused(`The order could not be read from the exchange: ${lookup.cause}`);
    const found = lookup.kind === 'found' ? lookup.order : null;
    const cancelled = found?.state === 'cancelled' && wanted === 'cancelled';
    if (cancelled && action.resumed) return settle({ ...deps, key }, 'cancelled');
    if (found === null || !isLiveOrder(found.state)) return settle({ ...deps, key }, 'gone', goneSentence(found));
    const tracked = await trackedClientIds(context.database.kysely, key.accountId, [found.clientOrderId]);
    const mine = action.resumed && wanted === 'adopted';
    if (tracked.size > 0) return settle({ ...deps, key }, 'adopted', mine ? undefined : 'A profile tracks it now.');
    return work({ ...deps, running: loop.running, key, order: found, action });
  };

const goneSentence = (order: ExchangeOrder | null): string =>
  `It no longer rests on the exchange: ${order === null ? 'the exchange does not know it' : `it is ${order.state}`}.`;

/** Stores the outcome and checks the whole account again, because a leg cancels its whole order list. */
async function settle(
  { context, loop, key }: ActionDeps & { readonly key: OrphanKey },
  state: OrphanState,
  refusal?: string,
): Promise<ActionOutcome> {
  await resolveOrphan(context.database.kysely, key, state);
  await detectOrphans(context, loop);
  return refusal === undefined ? done({ state }) : refused(refusal, { state });
}

const cancel = onOrphan('cancelled', async (on) => {
  const { symbol, exchangeOrderId } = on.key;
  const after = await on.running.context.ports.trading.cancelStray(symbol, exchangeOrderId);
  if (after.kind === 'unreadable')
    return refused(`The result of the cancel is not known (${after.cause}): check the list again in a moment.`);
  if (after.kind === 'absent') return settle(on, 'gone', goneSentence(null));
  if (isLiveOrder(after.order.state)) return refused('The exchange has not cancelled it: try again.');
  if (after.order.state === 'filled') return settle(on, 'gone', 'It was filled before it could be cancelled.');
  return settle(on, 'cancelled');
});

const adopt = onOrphan('adopted', async (on) => {
  const { context, running, order, key, loop } = on;
  const profiles = await loadProfilesToRun(context.database, key.accountId);
  const ownership = proveOwner(order, profiles, configProblem);
  if (ownership.kind === 'refused') return refused(ownership.reason, { code: ownership.code });
  if (order.listId !== undefined)
    return refused('It is a leg of an order list: no profile would track its other leg. Cancel it, or leave it.');
  if (formOf(order) === null)
    return refused(`This service does not support orders of the type ${order.type}: cancel it, or leave it.`);
  const { profile, own } = ownership;
  const runner = await runnerOf(running, { profileId: profile.id, symbol: order.symbol });
  if (runner === undefined) return refused(`${order.symbol} of "${profile.name}" cannot run: its log says why.`);
  const accountId = key.accountId;
  await runner.change(async (coin) => {
    const found = { accountId, profileId: profile.id, order, own, fencing: loop.fencing };
    await running.context.ports.store.adoptOwnOrder(found);
    coin.settled.delete(own.clientOrderId);
    const { clientOrderId } = own;
    const ids = { clientOrderId, exchangeOrderId: order.exchangeOrderId, quantity: formatDecimal(order.quantity) };
    const msg = `Adopted an order that this profile no longer tracked: ${own.purpose} of ${ids.quantity}.`;
    logRow(coin, { level: 'info', msg, ctx: { event: 'orphan_adopted', ...ids } });
  });
  runner.onOrder({ ...order, clientOrderId: own.clientOrderId }, null);
  return settle(on, 'adopted');
});

const detect: AccountAction = async ({ context, loop }) => {
  const resting = await detectOrphans(context, loop);
  return typeof resting === 'string' ? refused(resting) : done({ resting });
};

export const ORPHAN_ACTIONS = { 'orphan.adopt': adopt, 'orphan.cancel': cancel, 'orphan.detect': detect } as const;
