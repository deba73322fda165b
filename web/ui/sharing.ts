import { BASKET } from '#core/research/costs.ts';
import type { RunSharing, StoredRunRequest } from '#core/research/research.ts';

/** Which coins share one balance, as a form holds it. */
export type Sharing = 'shared' | 'separate' | 'account';

export const SHARINGS: Readonly<
  Record<Sharing, { readonly words: string; readonly note: string; readonly body: RunSharing }>
> = {
  shared: {
    words: 'All coins share the balance, under the limits (as live)',
    note: 'The limits of profile and account count as they are now. One result for all coins.',
    body: { purse: 'shared', scope: 'profile' },
  },
  separate: {
    words: 'Each coin has the whole balance',
    note: 'No limits. One result for each coin.',
    body: { purse: 'separate', scope: 'profile' },
  },
  account: {
    words: 'All profiles of the account share the balance',
    note: 'Each profile with its own strategy, settings and limits. One result for all of them.',
    body: { purse: 'shared', scope: 'account' },
  },
};

/** Replaces `shared` for a profile with one coin. */
export const ALONE = {
  words: 'This profile alone, under the limits (as live)',
  note: 'The limits of profile and account count as they are now.',
};

/** Note of a result of one coin in a profile with several coins. */
export const ONE_OF_SEVERAL = 'One coin with the whole balance, limits not applied.';

/** The name of a result. */
export const resultName = (symbol: string): string => (symbol === BASKET ? 'All coins, one balance' : symbol);

type Asked = Pick<StoredRunRequest, 'purse' | 'scope' | 'limits'> & { readonly coins: readonly unknown[] };

/** How many results a run has. */
export const resultCount = ({ purse, coins }: Asked): number => (purse === 'shared' ? 1 : coins.length);

/** Shared balance and limits of a run in one phrase; `undefined` for one coin without limits. */
export function sharingText({ purse, scope, limits, coins }: Asked): string | undefined {
  const limited = limits === undefined ? '' : ', under the limits';
  if (scope === 'account') return `all profiles of the account, one balance${limited}`;
  if (purse === 'separate') return coins.length > 1 ? 'each coin has the whole balance' : 'no limits';
  if (purse !== 'shared') return undefined;
  if (coins.length > 1) return `all coins, one balance${limited}`;
  return limits === undefined ? undefined : 'under the limits';
}
