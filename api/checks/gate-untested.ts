import { venueOf } from '#core/account/account.ts';
import type { ProfileId } from '#core/ids.ts';
import type { RunLimits } from '#core/research/research.ts';
import { findTested, readChecked } from '#storage/research/live-checks.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { separateFingerprints } from './config-fingerprint.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { quotesOf } from './research-sharing.ts';

const WORDS = new Intl.ListFormat('en-GB', { type: 'conjunction' });

interface Untested {
  readonly strategy: AnyStrategy;
  readonly coins: readonly { readonly symbol: string; readonly config: unknown }[];
  readonly limits: RunLimits | undefined;
}

/** Why no finished backtest matches the profile's current settings, coins and limits, and what to do. */
export async function untestedSentence(context: ApiContext, profileId: ProfileId, untested: Untested): Promise<string> {
  const { strategy, coins, limits } = untested;
  if (coins.length > 1) {
    const quotes = await readQuotes(context, profileId, coins);
    if (quotes.length > 1)
      return `Its coins are bought with ${quotes.join(', ')}, and a backtest runs coins of one asset together: give each asset a profile of its own.`;
  }
  const isBasket = strategy.plansBaskets === true;
  if (!isBasket && (await isTestedSeparately(context, profileId, untested))) {
    if (coins.length > 1) return 'Its coins share money: run a backtest of all of them together.';
    if (limits !== undefined) return 'Its backtest ran without the current limits: run one with them.';
  }
  const parts = ['settings', ...(coins.length > 1 ? ['coins'] : []), ...(limits === undefined ? [] : ['limits'])];
  return `No finished backtest has exactly these ${WORDS.format(parts)}: run one.`;
}

async function readQuotes({ database, venues }: ApiContext, id: ProfileId, coins: Untested['coins']) {
  const account = await readChecked(database.kysely, id);
  return account === undefined ? [] : quotesOf(coins, await venues.rules(venueOf(account)));
}

/** Whether a coin has a run of its own, with the whole balance and without limits. */
async function isTestedSeparately({ database }: ApiContext, profileId: ProfileId, { strategy, coins }: Untested) {
  for (const [symbol, fingerprint] of separateFingerprints(strategy, coins)) {
    if (fingerprint === null) continue;
    if ((await findTested(database.kysely, { profileId, symbol, fingerprint })) !== undefined) return true;
  }
  return false;
}
