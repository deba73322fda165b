import { venueOf } from '#core/account.ts';
import { loadAccountsToRun } from '#storage/worker-profiles.ts';
import type { WorkerContext } from '../context.ts';

/** Reads the trading rules of every venue that an account uses and keeps them in the cache. */
export async function refreshRules(context: WorkerContext): Promise<void> {
  const accounts = await loadAccountsToRun(context.database);
  const venues = new Set(accounts.map(({ account }) => venueOf(account)));
  for (const name of venues) {
    const venue = context.venues.of(name);
    venue.keepRules(await venue.market.rules());
  }
}
