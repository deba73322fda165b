import { venueOf } from '#core/account/account.ts';
import { add, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { type AccountView, listAccounts } from '#storage/operator/accounts.ts';
import { realisedSince } from '#storage/operator/dashboard.ts';
import { readHalt } from '#storage/trading/halts.ts';
import { pageLogs } from '#storage/history/logs.ts';
import { listUnwatchedPositions, newestFills, newestOrders } from '#storage/operator/profile-symbols.ts';
import { listProfiles, type ProfileView } from '#storage/operator/profiles.ts';
import { readCoins } from '#api/views/coins.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { readDashboard } from '#api/contract/records.ts';
import { dayStart } from '#core/account/day-start.ts';
import type { Routes } from '#api/handle.ts';
import { accountView, fillView, killSwitchView, logRowView, orderView, profileView } from '#api/views/views.ts';
import { equityOf, holdingsOf, mainQuoteAsset } from '#api/views/holdings.ts';

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
  const marketMs = await venues.marketMs(venue, nowMs);
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
  const holdings = wallet === undefined ? undefined : holdingsOf(wallet, quoteAsset, await venues.prices(venue));
  const free = holdings?.find(({ asset }) => asset === quoteAsset)?.free ?? ZERO;
  // A partial sum would be wrong: without a worker a traded coin has no price.
  const traded = profiles.filter(({ enabled }) => enabled).flatMap(({ symbols }) => symbols);
  const assets = new Set(traded.map((symbol) => rules?.get(symbol)?.baseAsset));
  const isPriced = holdings?.every(({ asset, value }) => value !== undefined || !assets.has(asset)) ?? false;
  const known = isPriced && quoteAsset !== null;
  return {
    ...accountView(account),
    equity: known && holdings !== undefined ? formatDecimal(equityOf(holdings)) : null,
    free: holdings !== undefined && quoteAsset !== null ? formatDecimal(free) : null,
    quoteAsset,
    realisedToday: formatDecimal(realisedToday),
    walletAt: wallet?.at ?? null,
    run: (await venues.accountRun(account.id)) ?? null,
    marketAt: marketMs === undefined ? null : new Date(marketMs).toISOString(),
  };
}

async function dashboardCoins(context: ApiContext, { account, profiles }: AccountWithProfiles) {
  const coins = await readCoins(
    context,
    account,
    profiles.map(({ id }) => id),
  );
  return coins.map(({ profileId, coin }) => {
    const owner = profiles.find(({ id }) => id === profileId);
    return { ...coin, profileId, profileName: owner?.name ?? '', enabled: owner?.enabled ?? false };
  });
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
    const [halt, accounts, coins, unwatched, orders, fills, activity] = await Promise.all([
      readHalt(kysely, { scope: 'all', subject: 'all' }),
      Promise.all(ours.map((account) => accountCard(context, account))),
      Promise.all(ours.map((account) => dashboardCoins(context, account))),
      listUnwatchedPositions(kysely),
      newestOrders(kysely, { profileIds, limit: ORDERS_SHOWN }),
      newestFills(kysely, { profileIds, limit: FILLS_SHOWN }),
      pageLogs(kysely, { profileIds, levels: SHOWN_LEVELS }, { limit: ACTIVITY_SHOWN }),
    ]);
    return {
      killSwitch: killSwitchView(halt),
      accounts,
      profiles: profiles.map(profileView),
      coins: coins.flat(),
      unwatched: unwatched.filter(({ profileId }) => profileIds.includes(profileId)),
      orders: orders.map((row) => ({ ...orderView(row), profileId: row.profileId })),
      fills: fills.map((row) => ({ ...fillView(row), profileId: row.profileId, symbol: row.symbol })),
      activity: activity.rows.map((row) => ({ ...logRowView(row), profileId: row.profileId })),
    };
  });
}
