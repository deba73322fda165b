import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { isSellable } from '#core/position/position.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { countLiveOrders, listPositions } from '#storage/operator/profile-symbols.ts';
import type { CachedMarket } from './config-check.ts';
import { ApiProblem } from '#api/frame/problem.ts';

interface Holder {
  readonly profileId: ProfileId;
  /** Absent for all coins of the profile. */
  readonly symbol?: string;
  readonly market: CachedMarket;
}

/** Positions and orders that block the removal of a coin or a profile. */
interface Exposure {
  readonly positions: number;
  readonly orders: number;
  /** A sentence with counts and quantities by coin. */
  readonly summary: string;
}

/**
 * Positions that can be sold and orders that may still be live. Dust below the coin's minimum is not a position. Without
 * trading rules any quantity counts; without a price the average entry price is used.
 */
export async function readExposure(database: Reader, { profileId, symbol, market }: Holder): Promise<Exposure> {
  const concerns = (position: string): boolean => symbol === undefined || position === symbol;
  const positions = (await listPositions(database, profileId)).filter((position) => {
    if (!concerns(position.symbol)) return false;
    const rules = market.rules?.get(position.symbol);
    const price = market.prices.get(position.symbol)?.price ?? requireDecimal(position.averagePrice);
    return rules === undefined || isSellable(requireDecimal(position.quantity), price, rules);
  });
  const counts = [...(await countLiveOrders(database, profileId))].filter(([position]) => concerns(position));
  const orders = counts.reduce((sum, [, count]) => sum + count, 0);
  const named = [
    ...positions.map(
      (position) => `${position.symbol} ${plain(position.quantity)} bought at ${plain(position.averagePrice)}`,
    ),
    ...counts.map(([position, count]) => `${position} ${counted(count, 'live order')}`),
  ];
  const what = symbol ?? 'The profile';
  const summary = `${what} has ${counted(positions.length, 'open position')} and ${counted(orders, 'live order')} (${named.join(', ')})`;
  return { positions: positions.length, orders, summary };
}

export const exposed = ({ summary }: Exposure, advice: string): ApiProblem =>
  new ApiProblem('conflict', `${summary}: ${advice}`);

const plain = (text: string): string => formatDecimal(requireDecimal(text));
const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
