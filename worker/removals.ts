import { z } from 'zod';
import { formatDecimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { type ActionOutcome, done, type OperatorAction, refused } from '#core/order/operator-action.ts';
import { isLiveOrder, isServiceOrderId } from '#core/order/order.ts';
import { claimsOn } from '#core/account/orphan.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import { isSellable } from '#core/position/position.ts';
import { cancelOrder } from '#engine/tick/cancel.ts';
import { isCertain } from '#engine/state/coin.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import { openCoin } from '#engine/runner/recover.ts';
import type { RunningAccount } from '#engine/account/account-run.ts';
import { wait } from '#engine/state/wait.ts';
import { writeAuditLog } from '#storage/operator/audit-logs.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import { forgetProfile } from '#storage/operator/forget-profile.ts';
import { recordedClientIds } from '#storage/trading/orphan-orders.ts';
import { countLiveOrders, listPositions, unbindSymbol } from '#storage/operator/profile-symbols.ts';
import { deleteProfile, blockIntents } from '#storage/operator/profiles.ts';
import { loadProfilesToRun } from '#storage/trading/worker-profiles.ts';
import { configProblem } from '#strategies/config-problem.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AccountAction, ActionDeps } from './account-action.ts';
import { detectOrphans, NOT_RUNNING } from './orphans.ts';

/**
 * Longest time for a removal. An unknown outcome is certain after 20 s; a cancel that fails is tried again as long.
 */
const TIMEOUT_MS = 40_000;
const RETRY_MS = 300;

interface Removal extends ActionDeps {
  readonly running: RunningAccount;
  readonly profile: ProfileToRun;
  /** The coin to remove; null to remove the profile. */
  readonly symbol: string | null;
  readonly endMs: number;
}

/** Loads the profile or coin to remove. A resumed removal of a missing one counts as done. */
async function open({ context, loop }: ActionDeps, action: OperatorAction): Promise<Removal | ActionOutcome> {
  const profiles = await loadProfilesToRun(context.database, action.accountId);
  const profile = profiles.find(({ id }) => id === action.profileId);
  const { symbol } = action;
  if (profile === undefined) return action.resumed ? done() : refused('The profile no longer exists.');
  if (symbol !== null && !profile.symbols.some((coin) => coin.symbol === symbol))
    return action.resumed ? done() : refused(`${symbol} no longer belongs to "${profile.name}".`);
  if (loop.running === null) return refused(`${NOT_RUNNING} The orders cannot be cancelled.`);
  return { context, loop, running: loop.running, profile, symbol, endMs: performance.now() + TIMEOUT_MS };
}

/**
 * Cancels every recorded order of the profile, or of its one coin. Then runs `commit` in a transaction that excludes
 * new intents. Orders that may still rest prevent the commit.
 */
async function clearThen(
  removal: Removal,
  commit: (transaction: Transaction) => Promise<void>,
): Promise<string | null> {
  const { context, profile, symbol, endMs, running } = removal;
  const liveIn = async (transaction: Transaction): Promise<string[]> =>
    [...(await countLiveOrders(transaction, profile.id)).keys()].filter((one) => symbol === null || one === symbol);
  for (;;) {
    const left = await context.database.transaction(async (transaction) => {
      await blockIntents(transaction, profile.id);
      const live = await liveIn(transaction);
      if (live.length === 0) await commit(transaction);
      return live;
    });
    if (left.length === 0) return null;
    if (performance.now() > endMs || running.context.signal.aborted)
      return `Orders of ${left.join(' and ')} could not be cancelled yet: see the log of the profile. Try again.`;
    for (const one of left) {
      const problem = await clearCoin(removal, one);
      if (problem !== null) return problem;
    }
    await wait(RETRY_MS, running.context.signal);
  }
}

/** Tries once to cancel the certain orders of a coin; the others are being looked up. */
async function clearCoin(removal: Removal, symbol: string): Promise<string | null> {
  const { running, profile } = removal;
  const clear = (runner: CoinRunner): Promise<void> =>
    runner.change(async (coin) => {
      // No decisions from here on, so that no cancelled order is placed again.
      coin.profile = { ...coin.profile, enabled: false };
      for (const live of [...coin.live.values()])
        if (live.record.exchangeOrderId !== null && isCertain(live)) await cancelOrder(coin, live);
    });
  const runner = running.coins.of(symbol).find(({ coin }) => coin.profile.id === profile.id);
  if (runner !== undefined) return clear(runner).then(() => null);
  const opened = await openUnbound(removal, symbol);
  if (opened.kind !== 'run') return `The orders of ${symbol} cannot be cancelled: ${opened.reason}`;
  await clear(opened.runner);
  await wait(RETRY_MS, running.context.signal);
  await opened.runner.close();
  return null;
}

/** Opens a coin that does not run, from its stored state. */
async function openUnbound({ running, profile }: Removal, symbol: string) {
  const { market, store } = running.context.ports;
  const rules = (await market.rules()).find((each) => each.symbol === symbol);
  const liveOrders = await store.liveOrders(profile.accountId);
  const strategy = STRATEGIES.get(profile.strategyName);
  return openCoin(running.context, { profile, symbol, rules, strategy, liveOrders });
}

async function finish({ context, loop, running, profile }: Removal): Promise<void> {
  await running.refreshProfiles();
  await detectOrphans(context, loop);
  context.announcer.announce({ topic: 'profile', id: profile.id, data: {} });
}

const unbind: AccountAction = async (deps, action) => {
  const removal = await open(deps, action);
  if ('state' in removal) return removal;
  const { symbol, profile } = removal;
  if (symbol === null) return refused('No coin was named.');
  const problem = await clearThen(removal, (transaction) => unbindSymbol(transaction, profile.id, symbol));
  await finish(removal);
  return problem === null ? done() : refused(problem);
};

interface Strays {
  readonly cancelled: readonly string[];
  /** Left as orphans, because the config proves no ownership. */
  readonly left: readonly ExchangeOrder[];
  readonly problem: string | null;
}

/**
 * Handles orders that only the exchange knows. Cancels orders that provably belong to the profile. With a config that
 * cannot be parsed they stay. They are reported when the profile has the coin or holds a position of it.
 */
async function clearStrays({ context, running, profile }: Removal): Promise<Strays> {
  const { kysely } = context.database;
  const { trading } = running.context.ports;
  const profiles = await loadProfilesToRun(context.database, profile.accountId);
  const { orders: found, unread } = await trading.openOrders();
  const recorded = await recordedClientIds(kysely, profile, found);
  const held = (await listPositions(kysely, profile.id)).map(({ symbol }) => symbol);
  const concerned = new Set([...held, ...profile.symbols.map(({ symbol }) => symbol)]);
  const unclear = unread.find(
    ({ symbol, clientOrderId }) =>
      (symbol === null || concerned.has(symbol)) && (clientOrderId === null || isServiceOrderId(clientOrderId)),
  );
  if (unclear !== undefined) {
    const problem = `An open order of ${unclear.symbol ?? 'an unnamed coin'} may belong to the profile, but could not be read: ${unclear.cause}`;
    return { cancelled: [], left: [], problem };
  }
  const cancelled: string[] = [];
  const left: ExchangeOrder[] = [];
  for (const order of found) {
    const claims = claimsOn(order, profiles, configProblem);
    const claim = claims.find((one) => one.profile.id === profile.id);
    if (claim === undefined) continue;
    const proven = claim.problem === null && claims.length === 1;
    if (!proven && !recorded.has(order.clientOrderId)) {
      if (concerned.has(order.symbol)) left.push(order);
      continue;
    }
    const after = await trading.cancelStray(order.symbol, order.exchangeOrderId);
    if (after.kind === 'unreadable' || (after.kind === 'found' && isLiveOrder(after.order.state))) {
      const why = after.kind === 'unreadable' ? after.cause : 'it still rests';
      return {
        cancelled,
        left,
        problem: `Order ${order.exchangeOrderId} of ${order.symbol} is not cancelled: ${why}.`,
      };
    }
    cancelled.push(order.exchangeOrderId);
  }
  return { cancelled, left, problem: null };
}

const options = z.object({ leavePositions: z.boolean().default(false) });
const STAYS = 'The profile is kept and stays disabled.';

const removeProfile: AccountAction = async (deps, action) => {
  const removal = await open(deps, action);
  if ('state' in removal) return removal;
  const { context, running, profile } = removal;
  await running.refreshProfiles();
  const { leavePositions } = options.parse(action.payload);
  const held = leavePositions ? [] : heldBy(running, profile.id);
  if (held.length > 0) return refused(`It has bought ${held.join(' and ')} meanwhile. ${STAYS}`);
  const uncleared = await clearThen(removal, async () => undefined);
  const strays = uncleared === null ? await clearStrays(removal) : null;
  const problem = uncleared ?? strays?.problem ?? null;
  if (strays === null || problem !== null) return refused(`${problem} ${STAYS}`);
  const left = strays.left.map(({ symbol, exchangeOrderId, clientOrderId }) => ({
    symbol,
    exchangeOrderId,
    clientOrderId,
  }));
  const detail = { cancelledUnrecorded: strays.cancelled, leftAsOrphans: left };
  const again = await clearThen(removal, async (transaction) => {
    await deleteProfile(transaction, profile.id);
    const entry = { action: 'profile.deleted', subject: profile.id, after: detail };
    await writeAuditLog(transaction, { userId: null, ...entry, ip: 'unknown', userAgent: '' });
  });
  if (again !== null) return refused(`${again} ${STAYS}`);
  for (const order of left) {
    const fields = { event: 'profile_deleted_order_left', profileId: profile.id, ...order };
    const msg = `Profile "${profile.name}" is deleted, but order ${order.exchangeOrderId} of ${order.symbol} stays open as an orphan: the profile's config could not be parsed, so its ownership is not proved`;
    context.log.warn(fields, msg);
  }
  await finish(removal);
  await forget(removal);
  return done(detail);
};

/** Writes pending records of the profile first; they would otherwise reappear in the cache. */
async function forget({ context, profile }: Removal): Promise<void> {
  await context.records
    .flush()
    .then(() => forgetProfile(context.cache, profile.id))
    .catch((err: unknown) =>
      context.log.warn(
        { event: 'cache_not_cleared', profileId: profile.id, err },
        `The cache keeps the last ticks of the deleted profile "${profile.name}" until they expire`,
      ),
    );
}

/** Positions that can be sold, with their quantities. */
const heldBy = ({ coins }: RunningAccount, profileId: ProfileId): string[] =>
  [...coins.all()]
    .filter(({ coin }) => coin.profile.id === profileId)
    .filter(({ coin }) => isSellable(coin.position.quantity, coin.price ?? coin.position.averagePrice, coin.rules))
    .map(({ coin }) => `${formatDecimal(coin.position.quantity)} ${coin.rules.baseAsset}`);

/** Removals that the operator requested; each one waits until no order of it rests on the exchange. */
export const REMOVALS = { 'coin.unbind': unbind, 'profile.delete': removeProfile } as const;
