import { BLOCKER_KINDS } from '#api/contract/blockers.ts';
import { PRICE_LIMIT_MS } from './freshness.ts';
import type { Dashboard } from './answers.ts';

export type Blocker = Dashboard['blockers']['list'][number];

interface CoinPlace {
  readonly profileId: string;
  readonly symbol: string;
}

const rankOf = ({ kind }: Pick<Blocker, 'kind'>): number => BLOCKER_KINDS.indexOf(kind);

/** The blockers of the service, with the one that only this page can judge: whether prices still arrive. */
export function knownBlockers({ list }: Dashboard['blockers'], priceAgeMs: number | null): readonly Blocker[] {
  if (priceAgeMs === null || priceAgeMs < PRICE_LIMIT_MS) return list;
  const silent: Blocker = {
    ...{ kind: 'price', scope: 'all', accountId: null, profileId: null, symbol: null, name: null },
    ...{ since: null, orderId: null, everything: true },
    sentence: `No price has arrived for ${Math.floor(priceAgeMs / 1000)} s.`,
    behind: list.some((one) => one.everything && rankOf(one) < BLOCKER_KINDS.indexOf('price')),
  };
  const above = list.filter((one) => rankOf(one) < rankOf(silent));
  const below = list.filter((one) => rankOf(one) >= rankOf(silent)).map((one) => ({ ...one, behind: true }));
  return [...above, silent, ...below];
}

/** The blockers that stop a coin, the most important first. */
export const blockersOf = (
  { blockers, profiles }: Pick<Dashboard, 'blockers' | 'profiles'>,
  { profileId, symbol }: CoinPlace,
): readonly Blocker[] => {
  const accountId = profiles.find(({ id }) => id === profileId)?.accountId;
  return blockers.list.filter((one) => {
    if (one.scope === 'all') return true;
    if (one.scope === 'account') return one.accountId === accountId;
    return one.profileId === profileId && (one.scope === 'profile' || one.symbol === symbol);
  });
};
