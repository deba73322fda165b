import { venueOf } from '#core/account/account.ts';
import { add, readDecimal, type Decimal, ZERO } from '#core/amount/decimal.ts';
import type { Dashboard, DashboardAccount } from '#web/data/queries.ts';

type Tag = 'LIVE' | 'TESTNET' | 'DEMO' | 'PAPER';

const TAGS = { live: 'LIVE', testnet: 'TESTNET', demo: 'DEMO', paper: 'PAPER' } as const;
export const tagOf = (account: Pick<DashboardAccount, 'exchangeMode' | 'endpoint'>): Tag => TAGS[venueOf(account)];

/** The unit of an account's money in words: only live money is plain. */
export const moneyUnit = (tag: Tag, asset: string): string =>
  tag === 'LIVE' ? asset : `${tag === 'PAPER' ? 'paper' : 'test'} ${asset}`;

/** Accounts of one kind and one quote asset: the only money that is ever added up. */
export interface Purse {
  readonly tag: Tag;
  readonly asset: string;
  readonly accounts: readonly DashboardAccount[];
  readonly equity: Decimal | null;
  readonly free: Decimal | null;
  readonly realisedToday: Decimal;
}

const total = (texts: readonly (string | null)[]): Decimal | null =>
  texts.reduce<Decimal | null>((sum, text) => {
    const value = text === null ? undefined : readDecimal(text);
    return sum === null || value === undefined ? null : add(sum, value);
  }, ZERO);

/** Purses with the most real first; those that no profile uses come last. */
export function pursesOf({ accounts, profiles }: Pick<Dashboard, 'accounts' | 'profiles'>): Purse[] {
  const order: readonly Tag[] = ['LIVE', 'TESTNET', 'DEMO', 'PAPER'];
  const used = new Set(profiles.map((profile) => profile.accountId));
  const groups = Map.groupBy(accounts, (account) => `${tagOf(account)} ${account.quoteAsset ?? 'USDT'}`);
  const rank = (purse: Purse): number =>
    (purse.accounts.some((account) => used.has(account.id)) ? 0 : 10) + order.indexOf(purse.tag);
  return [...groups.values()]
    .flatMap((members) => {
      const [first] = members;
      if (first === undefined) return [];
      return [
        {
          tag: tagOf(first),
          asset: first.quoteAsset ?? 'USDT',
          accounts: members,
          equity: total(members.map((account) => account.equity)),
          free: total(members.map((account) => account.free)),
          realisedToday: total(members.map((account) => account.realisedToday)) ?? ZERO,
        },
      ];
    })
    .sort((a, b) => rank(a) - rank(b));
}
