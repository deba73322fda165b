import type { AccountId } from '#core/ids.ts';
import { listSymbols } from '#api/contract/records.ts';
import { useRead } from './read.ts';

const SOON_MS = 2_000;

/** The coins of an account. Trading rules arrive with the first worker run; an empty answer is fetched again soon. */
export const useMarkets = (accountId: AccountId) =>
  useRead(listSymbols, { query: { accountId } }, { every: (data) => (data?.symbols.length ? false : SOON_MS) });
