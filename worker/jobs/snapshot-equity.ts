import { type Venue, venueOf } from '#core/account/account.ts';
import { cachedPrice, cacheKeys } from '#core/installation/cache-keys.ts';
import { add, type Decimal, formatDecimal, multiply, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { listHoldings, saveEquity } from '#storage/history/equity.ts';
import { loadAccountsToRun } from '#storage/trading/worker-profiles.ts';
import type { WorkerContext } from '#worker/context.ts';

const textOf = (stored: string): string | undefined => cachedPrice.safeParse(JSON.parse(stored)).data?.price;

/** Cached prices of a venue by coin. */
async function readPrices({ cache }: Pick<WorkerContext, 'cache'>, venue: Venue): Promise<ReadonlyMap<string, string>> {
  const prefix = cacheKeys.prices(venue);
  const entries = [...(await cache.list(prefix))].flatMap(([key, stored]) => {
    const price = textOf(stored);
    return price === undefined ? [] : [[key.slice(prefix.length), price] as const];
  });
  return new Map(entries);
}

/**
 * Stores the equity of every profile. Skips a profile that holds a coin without a price: an incomplete sum is wrong.
 */
export async function snapshotEquity(context: Pick<WorkerContext, 'database' | 'cache'>): Promise<void> {
  const accounts = await loadAccountsToRun(context.database);
  const venues = new Map(accounts.map(({ account }) => [account.id, venueOf(account)]));
  const prices = new Map<Venue, ReadonlyMap<string, string>>();
  for (const venue of new Set(venues.values())) prices.set(venue, await readPrices(context, venue));
  const at = new Date();
  const holdings = Map.groupBy(await listHoldings(context.database.kysely), ({ profileId }) => profileId);
  for (const [profileId, coins] of holdings) {
    const known: Record<string, string> = {};
    let [value, cost, whole]: [Decimal, Decimal, boolean] = [ZERO, ZERO, true];
    for (const { accountId, symbol, quantity, cost: paid } of coins) {
      const venue = venues.get(accountId);
      const price = venue === undefined ? undefined : prices.get(venue)?.get(symbol);
      const held = requireDecimal(quantity);
      if (price !== undefined) known[symbol] = price;
      if (price === undefined && held > 0n) whole = false;
      if (price === undefined || held === 0n) continue;
      value = add(value, multiply(held, requireDecimal(price)));
      cost = add(cost, requireDecimal(paid));
    }
    if (!whole || Object.keys(known).length === 0) continue;
    const amounts = { positionValue: formatDecimal(value), positionCost: formatDecimal(cost) };
    await saveEquity(context.database, { profileId, at, ...amounts, prices: known });
  }
}
