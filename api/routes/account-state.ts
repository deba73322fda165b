import { venueOf } from '#core/account/account.ts';
import { cacheKeys, heartbeat } from '#core/installation/cache-keys.ts';
import { dayStart } from '#core/account/day-start.ts';
import { add, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { readOpen, realisedSince } from '#storage/operator/dashboard.ts';
import { listHalts } from '#storage/trading/halts.ts';
import { listUnwatchedPositions, pageOrders } from '#storage/operator/profile-symbols.ts';
import { listProfiles } from '#storage/operator/profiles.ts';
import type { User } from '#storage/operator/users.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { listAccountOrders, readAccountHealth } from '#api/contract/account-state.ts';
import { pageView, readCursor } from '#api/frame/cursor.ts';
import type { Routes } from '#api/handle.ts';
import { limitUsageOf } from '#api/views/limit-usage.ts';
import { orderView } from '#api/views/views.ts';
import { readCached } from '#api/frame/venues.ts';

/** Share of a limit from which on its usage is reported. */
const NEAR = 0.8;

const isNear = ({ blocked, used, most }: { blocked: boolean; used: string | number; most: string | number }): boolean =>
  blocked || Number.parseFloat(String(used)) >= NEAR * Number.parseFloat(String(most));

async function holderOf({ cache }: ApiContext, slot: string | null) {
  if (slot === null) return null;
  const beat = readCached(heartbeat, await cache.get(cacheKeys.heartbeat(slot)));
  return { slot, sha: beat?.sha ?? null, bootedAt: beat?.bootedAt ?? null };
}

/** Gains of the operator's day by quote asset, as the coins' trading rules name it. */
async function todayRealised(context: ApiContext, account: AccountView, timezone: string) {
  const { database, venues } = context;
  const nowMs = context.now().getTime();
  const since = dayStart((await venues.marketMs(venueOf(account), nowMs)) ?? nowMs, timezone);
  const rules = await venues.rules(venueOf(account));
  const gains = await realisedSince(database.kysely, account.id, since);
  const byAsset = Map.groupBy(gains, ({ symbol }) => rules?.get(symbol)?.quoteAsset ?? symbol);
  return [...byAsset].map(([quoteAsset, each]) => ({
    quoteAsset,
    realised: formatDecimal(each.reduce((sum, { realised }) => add(sum, requireDecimal(realised)), ZERO)),
  }));
}

async function healthOf(context: ApiContext, account: AccountView, user: User) {
  const { kysely } = context.database;
  const profiles = (await listProfiles(kysely, user.id)).filter(({ accountId }) => accountId === account.id);
  const nameOf = (subject: string): string | null =>
    subject === account.id ? account.name : (profiles.find(({ id }) => id === subject)?.name ?? null);
  const { holder, positions, live, unknown, orphans } = await readOpen(kysely, account.id);
  const unwatched = await listUnwatchedPositions(kysely);
  const halts = (await listHalts(kysely)).filter(({ scope, subject }) => scope === 'all' || nameOf(subject) !== null);
  const near = (await limitUsageOf(context, account)).flatMap(({ subject, standings }) =>
    standings.filter(isNear).map((standing) => ({ ...standing, subject, name: nameOf(subject) ?? '' })),
  );
  return {
    at: context.now(),
    worker: await holderOf(context, holder),
    run: (await context.venues.accountRun(account.id)) ?? null,
    apiKey: account.apiKey,
    walletAt: (await context.venues.wallet(account.id))?.at ?? null,
    halts: halts.map(({ scope, subject, reason, since, freeze, reset = false }) => ({
      ...{ scope, subject, name: nameOf(subject), reason, freeze, reset },
      since,
    })),
    todayRealised: await todayRealised(context, account, user.timezone),
    nearLimits: near,
    profiles: { enabled: profiles.filter(({ enabled }) => enabled).length, all: profiles.length },
    positions,
    unwatched: unwatched.filter(({ accountId }) => accountId === account.id),
    orders: { live: live ?? 0, unknown: unknown ?? 0, orphans },
  };
}

export function mountAccountState({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(readAccountHealth, ({ account, operator }) => healthOf(context, account, operator.user));

  handle(listAccountOrders, async ({ account, query }) => {
    const { limit, cursor, ...filter } = query;
    const page = await pageOrders(kysely, { accountId: account.id, ...filter }, { limit, cursor: readCursor(cursor) });
    return pageView(page, (row) => ({ ...orderView(row), profileId: row.profileId }));
  });
}
