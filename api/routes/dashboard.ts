import { venueOf } from '#core/account/account.ts';
import { add, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
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
import type { ApiContext } from '#api/frame/context.ts';
import { readDashboard } from '#api/contract/records.ts';
import { dayStart } from '#core/account/day-start.ts';
import type { Routes } from '#api/handle.ts';
import { accountView, fillView, killSwitchView, logRowView, orderView, profileView } from '#api/views/views.ts';
import { holdingsOf, knownEquity, mainQuoteAsset } from '#api/views/holdings.ts';

const ORDERS_SHOWN = 20;
const FILLS_SHOWN = 20;
const ACTIVITY_SHOWN = 20;

interface AccountWithProfiles {
  readonly account: AccountView;
  readonly profiles: readonly ProfileView[];
  readonly timezone: string;
}

/** Money of one account in its main quote asset; gains in other assets are left out rather than added up. */
async function accountCard(context: ApiContext, { account, profiles, timezone }: AccountWithProfiles) {
  const { database, venues } = context;
  const venue = venueOf(account);
  const nowMs = context.now().getTime();
  const market = await venues.marketTime(venue, nowMs);
  const marketMs = market?.marketMs;
  const rules = await venues.rules(venue);
  const wallet = await venues.wallet(account.id);
  const quoteAsset = mainQuoteAsset(
    profiles.flatMap((profile) => profile.symbols),
    rules,
    wallet,
  );
  const gains = await realisedSince(database.kysely, account.id, dayStart(marketMs ?? nowMs, timezone));
  const realisedToday = gains
    .filter(({ symbol }) => rules?.get(symbol)?.quoteAsset === quoteAsset)
    .reduce((sum, { realised }) => add(sum, requireDecimal(realised)), ZERO);
  const prices = await venues.prices(venue);
  const traded = profiles.filter(({ enabled }) => enabled).flatMap(({ symbols }) => symbols);
  const equity = knownEquity({ wallet, quoteAsset, prices, rules, traded });
  const holdings = wallet === undefined ? undefined : holdingsOf(wallet, quoteAsset, prices);
  const free = holdings?.find(({ asset }) => asset === quoteAsset)?.free ?? ZERO;
  return {
    ...accountView(account),
    equity: equity === undefined ? null : formatDecimal(equity),
    free: holdings !== undefined && quoteAsset !== null ? formatDecimal(free) : null,
    quoteAsset,
    realisedToday: formatDecimal(realisedToday),
    walletAt: wallet?.at ?? null,
    run: (await venues.accountRun(account.id)) ?? null,
    marketAt: marketMs === undefined ? null : new Date(marketMs).toISOString(),
    replay: market?.replays === true ? { speed: market.speed } : null,
  };
}

const coinsOf = (context: ApiContext, { account, profiles }: AccountWithProfiles) =>
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
  context: ApiContext,
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

async function readBlockers(context: ApiContext, ours: readonly AccountWithProfiles[], coins: readonly Coins[]) {
  const { cache, database } = context;
  const used = ours.flatMap((one, i) => (one.profiles.length === 0 ? [] : [{ one, coins: coins[i] ?? [] }]));
  const profileIds = used.flatMap(({ one }) => one.profiles.map(({ id }) => id));
  const facts = {
    workers: (await cache.list(cacheKeys.heartbeats)).size,
    halts: await listHalts(database),
    unconfirmed: profileIds.length === 0 ? [] : await listUnconfirmed(database.kysely, profileIds),
    accounts: await Promise.all(used.map(({ one, coins: bound }) => accountFacts(context, one, bound))),
  };
  return blockersOf({ ...facts, now: context.now() });
}

/** Debug rows of idle ticks are on each coin's page; here they would hide events. */
const SHOWN_LEVELS = ['info', 'warn', 'error'] as const;

export function mountDashboard({ context, handle }: Routes): void {
  const { kysely } = context.database;
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
    const coins = await Promise.all(ours.map((account) => coinsOf(context, account)));
    const [halt, blockers, accounts, unwatched, orders, fills, activity] = await Promise.all([
      readHalt(kysely, { scope: 'all', subject: 'all' }),
      readBlockers(context, ours, coins),
      Promise.all(ours.map((account) => accountCard(context, account))),
      listUnwatchedPositions(kysely),
      newestOrders(kysely, { profileIds, limit: ORDERS_SHOWN }),
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
      fills: fills.map((row) => ({ ...fillView(row), profileId: row.profileId, symbol: row.symbol })),
      activity: activity.rows.map((row) => ({ ...logRowView(row), profileId: row.profileId })),
    };
  });
}
