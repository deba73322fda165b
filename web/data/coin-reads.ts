import type { QueryClient } from '@tanstack/react-query';
import type { ProfileId } from '#core/ids.ts';
import { readOrderTerms } from '#api/contract/manual.ts';
import { readCoinDay } from '#api/contract/overview.ts';
import { listStrategies, readCoin, readProfile } from '#api/contract/profiles.ts';
import { listLogs } from '#api/contract/records.ts';
import { readOf } from './read.ts';

/** The newest decisions about a coin, as its page lists them. */
export const decisionsOf = (id: ProfileId, symbol: string) => ({ params: { id }, query: { symbol, limit: 300 } });

/** Starts the first reads of the page of a coin; the `whole` page, or only what its heading needs. */
export function prefetchCoin(
  client: QueryClient,
  { id, symbol }: { id: ProfileId; symbol: string },
  whole: boolean,
): void {
  const params = { id, symbol };
  void client.prefetchQuery(readOf(readCoin, { params }));
  void client.prefetchQuery(readOf(readProfile, { params: { id } }));
  if (!whole) return;
  void client.prefetchQuery(readOf(listStrategies, {}));
  void client.prefetchQuery(readOf(readCoinDay, { params }));
  void client.prefetchQuery(readOf(readOrderTerms, { params }));
  void client.prefetchQuery(readOf(listLogs, decisionsOf(id, symbol)));
}
