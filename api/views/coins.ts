import type { z } from 'zod';
import { venueOf } from '#core/account/account.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { add, type Decimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { orphanLocks } from '#storage/trading/orphan-orders.ts';
import { listCoins } from '#storage/operator/profile-symbols.ts';
import type { ReadContext } from '#api/frame/context.ts';
import { type coin, coinState } from '#api/contract/profiles.ts';
import { readCached } from '#api/frame/venues.ts';
import { notBound } from '#api/require.ts';
import { coinView } from './views.ts';

export type CoinView = z.output<typeof coin>;
type States = ReadonlyMap<string, z.output<typeof coinState>>;

async function readStates(context: ReadContext, profileId: ProfileId): Promise<States> {
  const prefix = cacheKeys.coinStates(profileId);
  const states = new Map<string, z.output<typeof coinState>>();
  for (const [key, text] of await context.cache.list(prefix)) {
    const state = readCached(coinState, text);
    if (state !== undefined) states.set(key.slice(prefix.length), state);
  }
  return states;
}

/** Coins of profiles of one account with their cached data; one profile owns an asset. */
export async function readCoins(
  context: ReadContext,
  account: AccountView,
  profileIds: readonly ProfileId[],
): Promise<{ profileId: ProfileId; coin: CoinView }[]> {
  if (profileIds.length === 0) return [];
  const rows = await listCoins(context.database.kysely, profileIds);
  const venue = venueOf(account);
  const rules = await context.venues.rules(venue);
  const prices = await context.venues.prices(venue);
  const wallet = await context.venues.wallet(account.id);
  const orphans = await orphanLocks(context.database.kysely, account.id);
  const states = new Map(await Promise.all(profileIds.map(async (id) => [id, await readStates(context, id)] as const)));
  const held = (baseAsset: string): Decimal =>
    rows
      .filter(({ symbol }) => rules?.get(symbol)?.baseAsset === baseAsset)
      .reduce((sum, { quantity }) => add(sum, requireDecimal(quantity)), ZERO);
  return rows.map((row) => {
    const state = states.get(row.profileId)?.get(row.symbol);
    return { profileId: row.profileId, coin: coinView(row, { rules, prices, wallet, held, orphans, state }) };
  });
}

export async function requireCoin(
  context: ReadContext,
  { account, profileId, symbol }: { account: AccountView; profileId: ProfileId; symbol: string },
): Promise<CoinView> {
  const found = (await readCoins(context, account, [profileId])).find(({ coin }) => coin.symbol === symbol);
  if (found === undefined) throw notBound(profileId, symbol);
  return found.coin;
}
