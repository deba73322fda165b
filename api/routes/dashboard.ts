import { venueOf } from '#core/account/account.ts';
import { add, divide, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import { newestTrades, tradeSteps } from '#storage/operator/newest-trades.ts';
import { figuresOf, stopKey } from '#api/views/account-figures.ts';
import { pnlSince, readPerformanceView } from '#api/views/performance.ts';
import { Memo } from '#api/frame/memo.ts';
import { type AccountView, listAccounts } from '#storage/operator/accounts.ts';
import { listUnconfirmed, realisedSince } from '#storage/operator/dashboard.ts';
import { listHalts, readHalt } from '#storage/trading/halts.ts';
import { pageLogs } from '#storage/history/logs.ts';
import { listUnwatchedPositions, newestFills, newestOrders } from '#storage/operator/profile-symbols.ts';
import { listProfiles, type ProfileView } from '#storage/operator/profiles.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { type AccountFacts, blockersOf } from '#api/views/blockers.ts';
import { readCoins } from '#api/views/coins.ts';
import { limitUsageOf } from '#api/views/limit-usage.ts';
import { CacheSnapshot } from '#api/frame/cache-snapshot.ts';
import type { ApiContext, ReadContext } from '#api/frame/context.ts';
import { readDashboard } from '#api/contract/records.ts';
import { dayStart } from '#core/account/day-start.ts';
import type { Routes } from '#api/handle.ts';
import { killSwitchView, logRowView, orderView, plain, plainOrNull, profileView } from '#api/views/views.ts';
import { holdingsOf, knownEquity, mainQuoteAsset } from '#api/views/holdings.ts';

const ORDERS_SHOWN = 20;
const FILLS_SHOWN = 20;
const ACTIVITY_SHOWN = 20;
const TRADES_SHOWN = 8;
/** How long a drawdown is remembered: it moves slowly. */
const DRAWDOWN_TTL_MS = 60_000;
const isLiveOrder = (state: string): boolean => LIVE_ORDER_STATES.some((live) => live === state);

interface AccountWithProfiles {
  readonly account: AccountView;
  readonly profiles: readonly ProfileView[];
  readonly timezone: string;
}

type Drawdown = Awaited<ReturnType<typeof drawdownOf>>;

interface CardInput {
  readonly facts: AccountFacts;
  readonly timezone: string;
  /** Prices of the stops on the exchange. */
  readonly resting: ReadonlyMap<string, string | null>;
  readonly drawdowns: Memo<Drawdown>;
}

/** Money of one account in its main quote asset; gains in other assets are left out rather than added up. */
async function accountCard(context: ReadContext, { facts, timezone, resting, drawdowns }: CardInput) {
  const { database, venues } = context;
  const { account, profiles, market, rules, wallet } = facts;
  const venue = venueOf(account);
  const nowMs = context.now().getTime();
  const marketMs = market?.marketMs;
  const quoteAsset = mainQuoteAsset(
    profiles.flatMap((profile) => profile.symbols),
    rules,
    wallet,
  );
  const midnight = dayStart(marketMs ?? nowMs, timezone);
  const gains = await realisedSince(database.kysely, account.id, midnight);
  const realisedToday = gains
    .filter(({ symbol }) => rules?.get(symbol)?.quoteAsset === quoteAsset)
    .reduce((sum, { realised }) => add(sum, requireDecimal(realised)), ZERO);
  const prices = await venues.prices(venue);
  const traded = profiles.filter(({ enabled }) => enabled).flatMap(({ symbols }) => symbols);
  const equity = knownEquity({ wallet, quoteAsset, prices, rules, traded }) ?? null;
  const holdings = wallet === undefined ? undefined : holdingsOf(wallet, quoteAsset, prices);
  const free = holdings?.find(({ asset }) => asset === quoteAsset)?.free ?? ZERO;
  const pnl = await pnlSince(database.kysely, { account, profiles, quoteAsset, rules, prices, since: midnight });
  const drawdown = await drawdowns.get(account.id, DRAWDOWN_TTL_MS, () => drawdownOf(context, facts, timezone));
  return {
    ...account,
    ...figuresOf({
      ...{ ...facts, quoteAsset, equity, pnl, resting, drawdown },
    }),
    equity: equity === null ? null : formatDecimal(equity),
    free: holdings !== undefined && quoteAsset !== null ? formatDecimal(free) : null,
    quoteAsset,
    realisedToday: formatDecimal(realisedToday),
    walletAt: wallet?.at ?? null,
    run: facts.run ?? null,
    marketAt: marketMs === undefined ? null : new Date(marketMs),
    replay: market?.replays === true ? { speed: market.speed } : null,
  };
}

/** The largest drawdown since the first trade, as on the Performance page. */
async function drawdownOf(context: ReadContext, { account, profiles }: AccountFacts, timezone: string) {
  const { maxDrawdown, points, firstAt, from } = await readPerformanceView(context, {
    ...{ account, profiles, timezone, period: 'all' },
  });
  if (maxDrawdown === null || firstAt === null) return null;
  return { share: maxDrawdown, since: from, isAtHigh: points.at(-1)?.drawdown === 0 };
}

const coinsOf = (context: ReadContext, { account, profiles }: AccountWithProfiles) =>
  readCoins(
    context,
    account,
    profiles.map(({ id }) => id),
  );

type Coins = Awaited<ReturnType<typeof coinsOf>>;

function dashboardCoins(coins: Coins, { profiles }: AccountWithProfiles) {
  return coins.map(({ profileId, coin }) => {
    const owner = profiles.find(({ id }) => id === profileId);
    return { ...coin, profileId, profileName: owner?.name ?? '', enabled: owner?.enabled ?? false };
  });
}

async function accountFacts(
  context: ReadContext,
  { account, profiles }: AccountWithProfiles,
  coins: Coins,
): Promise<AccountFacts> {
  const { venues } = context;
  const venue = venueOf(account);
  const nowMs = context.now().getTime();
  return {
    account,
    profiles,
    coins,
    run: await venues.accountRun(account.id),
    wallet: await venues.wallet(account.id),
    rules: await venues.rules(venue),
    limits: await limitUsageOf(context, account),
    market: await venues.marketTime(venue, nowMs),
  };
}

async function readBlockers(context: ReadContext, accounts: readonly AccountFacts[]) {
  const { cache, database } = context;
  const used = accounts.filter(({ profiles }) => profiles.length > 0);
  const profileIds = used.flatMap(({ profiles }) => profiles.map(({ id }) => id));
  const facts = {
    workers: (await cache.list(cacheKeys.heartbeats)).size,
    halts: await listHalts(database),
    unconfirmed: profileIds.length === 0 ? [] : await listUnconfirmed(database.kysely, profileIds),
  };
  return blockersOf({ ...facts, accounts: used, now: context.now() });
}

async function readTrades({ database }: ReadContext, profileIds: readonly ProfileId[]) {
  const trades = await newestTrades(database.kysely, profileIds, TRADES_SHOWN);
  const keyOf = ({ profileId, symbol, cycle }: { profileId: ProfileId; symbol: string; cycle: number }): string =>
    `${profileId} ${symbol} ${cycle}`;
  const steps = Map.groupBy(await tradeSteps(database.kysely, trades), keyOf);
  return trades.map(({ openedAt, closedAt, net, ...row }) => ({
    ...row,
    openedAt,
    closedAt,
    net: plainOrNull(net),
    steps: (steps.get(keyOf(row)) ?? []).map(({ at, orderId, side, quantity, quote, reason }) => ({
      ...{ at, orderId, side, reason, quantity: plain(quantity) },
      price: formatDecimal(divide(requireDecimal(quote), requireDecimal(quantity))),
    })),
  }));
}

/** The same context with all values that the dashboard reads from the cache store, read at once. */
async function atOnce(context: ApiContext, accounts: readonly AccountWithProfiles[]): Promise<ReadContext> {
  const keys = accounts.flatMap(({ account, profiles }) => [
    ...[cacheKeys.wallet(account.id), cacheKeys.accountRun(account.id)],
    ...[cacheKeys.prices(venueOf(account)), cacheKeys.marketClock(venueOf(account))],
    ...profiles.map(({ id }) => cacheKeys.coinStates(id)),
  ]);
  const cache = await CacheSnapshot.read(context.cache, [...new Set([cacheKeys.heartbeats, ...keys])]);
  return { ...context, cache, venues: context.venues.over(cache) };
}

/** Debug rows of idle ticks are on each coin's page; here they would hide events. */
const SHOWN_LEVELS = ['info', 'warn', 'error'] as const;

export function mountDashboard({ context: shared, handle }: Routes): void {
  const { kysely } = shared.database;
  const drawdowns = new Memo<Drawdown>({ nowMs: () => shared.now().getTime(), most: 50 });
  handle(readDashboard, async ({ operator }) => {
    const { id: userId, timezone } = operator.user;
    const profiles = await listProfiles(kysely, userId);
    const profileIds = profiles.map(({ id }) => id);
    const ours = (await listAccounts(kysely, userId)).map(
      (account): AccountWithProfiles => ({
        account,
        profiles: profiles.filter(({ accountId }) => accountId === account.id),
        timezone,
      }),
    );
    const context = await atOnce(shared, ours);
    const coins = await Promise.all(ours.map((account) => coinsOf(context, account)));
    const facts = await Promise.all(ours.map((account, i) => accountFacts(context, account, coins[i] ?? [])));
    const orders = await newestOrders(kysely, { profileIds, limit: ORDERS_SHOWN });
    const stops = orders.filter(({ purpose, state }) => purpose === 'stop' && isLiveOrder(state));
    const resting = new Map(stops.map((row) => [stopKey(row.profileId, row.symbol), orderView(row).stopPrice]));
    const [halt, blockers, accounts, unwatched, trades, fills, activity] = await Promise.all([
      readHalt(kysely, { scope: 'all', subject: 'all' }),
      readBlockers(context, facts),
      Promise.all(facts.map((account) => accountCard(context, { facts: account, timezone, resting, drawdowns }))),
      listUnwatchedPositions(kysely),
      readTrades(context, profileIds),
      newestFills(kysely, { profileIds, limit: FILLS_SHOWN }),
      pageLogs(kysely, { profileIds, levels: SHOWN_LEVELS }, { limit: ACTIVITY_SHOWN }),
    ]);
    return {
      killSwitch: killSwitchView(halt),
      blockers,
      accounts,
      profiles: profiles.map(profileView),
      coins: ours.flatMap((account, i) => dashboardCoins(coins[i] ?? [], account)),
      unwatched: unwatched.filter(({ profileId }) => profileIds.includes(profileId)),
      orders: orders.map((row) => ({ ...orderView(row), profileId: row.profileId })),
      trades,
      fills,
      activity: activity.rows.map((row) => ({ ...logRowView(row), profileId: row.profileId })),
    };
  });
}
