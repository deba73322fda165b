import { venueOf } from '#core/account/account.ts';
import { loadAccountsToRun } from '#storage/trading/worker-profiles.ts';
import type { WorkerContext } from '#worker/context.ts';

/** Reads the trading rules of every venue that an account uses and stores them in the cache. */
export async function refreshRules(context: WorkerContext): Promise<void> {
  const accounts = await loadAccountsToRun(context.database);
  const venues = new Set(accounts.map(({ account }) => venueOf(account)));
  for (const name of venues) {
    const venue = context.venues.of(name);
    venue.keepRules(await venue.market.rules());
  }
}
