import { isObject } from '#core/merge.ts';
import type { Venue } from '#core/account/account.ts';
import { venueOf } from '#core/account/account.ts';
import type { Coin, Dashboard } from './answers.ts';
import type { EventFrame } from './live-socket.ts';

/** Data of the two topics that update the cache in place, as the server sends them. */
interface Price {
  readonly venue: string;
  readonly symbol: string;
  readonly price: string;
  readonly at: string;
}
type State = NonNullable<Coin['state']>;

const isPrice = (data: unknown): data is Price => isObject(data) && 'price' in data && 'venue' in data;
const isTick = (data: unknown): data is { symbol: string; state: State } => isObject(data) && isObject(data['state']);

/** Prices and decisions since the last write to the cache, newest of each only. */
export interface Batch {
  readonly prices: Map<string, Price>;
  readonly states: Map<string, State>;
}

export const emptyBatch = (): Batch => ({ prices: new Map(), states: new Map() });
const priceKey = (venue: string, symbol: string): string => `${venue}:${symbol}`;
const stateKey = (profileId: string, symbol: string): string => `${profileId}:${symbol}`;

/** Adds a price or tick frame; returns the key of a price or the market time of a tick in ms, else nothing. */
export function collect(batch: Batch, { topic, id, data }: EventFrame): { price?: string; marketMs?: number } {
  if (topic === 'price' && isPrice(data)) {
    const price = priceKey(data.venue, data.symbol);
    batch.prices.set(price, data);
    return { price };
  }
  if (topic === 'tick' && id !== undefined && isTick(data)) {
    batch.states.set(stateKey(id, data.symbol), data.state);
    return { marketMs: Date.parse(data.state.at) };
  }
  return {};
}

/** Prices are published by venue, decisions by profile. */
interface CoinPlace {
  readonly profileId: string;
  readonly venue: Venue | undefined;
}

/** A coin with the newest price and decision; the same object when nothing changed. */
export function freshCoin<C extends Coin>(coin: C, { profileId, venue }: CoinPlace, batch: Batch): C {
  const price = venue === undefined ? undefined : batch.prices.get(priceKey(venue, coin.symbol));
  const state = batch.states.get(stateKey(profileId, coin.symbol));
  if (price === undefined && state === undefined) return coin;
  return {
    ...coin,
    ...(price === undefined ? {} : { price: price.price, priceAt: price.at }),
    ...(state === undefined ? {} : { state }),
  };
}

/** Key of the price of a coin; `null` where the worker publishes none, or the venue is not known. */
export const priceKeyOf = (coin: Coin, enabled: boolean, venue: Venue | undefined): string | null =>
  venue !== undefined && isPriced(enabled, coin) ? priceKey(venue, coin.symbol) : null;

/** Which venue each profile trades on. */
export function venuesOf(dashboard: Dashboard | undefined): Map<string, Venue> {
  const byAccount = new Map(dashboard?.accounts.map((account) => [account.id, venueOf(account)]));
  return new Map(
    dashboard?.profiles.flatMap((profile) => {
      const venue = byAccount.get(profile.accountId);
      return venue === undefined ? [] : [[profile.id, venue] as const];
    }),
  );
}

/** The worker publishes the prices of a coin that is traded or held. */
const isPriced = (enabled: boolean, { position }: Pick<Coin, 'position'>): boolean =>
  enabled || Number(position.quantity) > 0;

export const expectsPrices = (dashboard: Dashboard | undefined): boolean =>
  dashboard?.coins.some((coin) => isPriced(coin.enabled, coin)) ?? false;

export function freshDashboard(dashboard: Dashboard, batch: Batch): Dashboard {
  const venues = venuesOf(dashboard);
  const coins = dashboard.coins.map((coin) =>
    freshCoin(coin, { profileId: coin.profileId, venue: venues.get(coin.profileId) }, batch),
  );
  return coins.every((coin, i) => coin === dashboard.coins[i]) ? dashboard : { ...dashboard, coins };
}
