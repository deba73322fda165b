import { requireDecimal } from '#core/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { isSellable } from '#core/position.ts';
import type { Reader } from '#storage/database.ts';
import { countLiveOrders, listPositions } from '#storage/profile-symbols.ts';
import type { CachedMarket } from './config-check.ts';
import { ApiProblem } from './problem.ts';

interface Holder {
  readonly profileId: ProfileId;
  /** Absent for all coins of the profile. */
  readonly symbol?: string;
  readonly market: CachedMarket;
}

/**
 * Refuses while a position can be sold or an order may still be live. Dust below the coin's minimum is no position;
 * without trading rules anything held counts, without a price the average entry price stands in.
 */
export async function requireNoExposure(database: Reader, { profileId, symbol, market }: Holder): Promise<void> {
  const concerns = (one: string): boolean => symbol === undefined || one === symbol;
  const positions = (await listPositions(database, profileId)).filter((position) => {
    if (!concerns(position.symbol)) return false;
    const rules = market.rules?.get(position.symbol);
    const price = market.prices.get(position.symbol)?.price ?? requireDecimal(position.averagePrice);
    return rules === undefined || isSellable(requireDecimal(position.quantity), price, rules);
  });
  const counts = [...(await countLiveOrders(database, profileId))].filter(([one]) => concerns(one));
  const orders = counts.reduce((sum, [, count]) => sum + count, 0);
  if (positions.length === 0 && orders === 0) return;
  const what = symbol ?? 'The profile';
  throw new ApiProblem(
    'conflict',
    `${what} has ${counted(positions.length, 'open position')} and ${counted(orders, 'live order')}: sell and wait until they are gone.`,
  );
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
