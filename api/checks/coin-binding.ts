import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import { listForeignSymbols } from '#storage/operator/profile-symbols.ts';
import { ApiProblem, invalid } from '#api/frame/problem.ts';
import type { Rules } from '#api/frame/venues.ts';

/** Refuses coins that the venue does not list; passes while its rules are not loaded. */
export function requireListed(symbols: readonly string[], rules: Rules | undefined, path: string): void {
  if (rules === undefined) return;
  const absent = symbols.filter((symbol) => !rules.has(symbol));
  if (absent.length === 0) return;
  throw invalid(absent.map((symbol) => ({ path, message: `names ${symbol}, which this account cannot trade` })));
}

interface Wanted {
  readonly accountId: AccountId;
  /** The profile that binds the coins; null for a profile that is being created. */
  readonly profileId: ProfileId | null;
  readonly symbols: readonly string[];
  readonly rules: Rules | undefined;
}

/**
 * Refuses coins whose base asset another profile of the account trades: two owners of one balance would sell each
 * other's coins. Without trading rules only the same symbol is recognised. The caller must hold the account's lock.
 */
export async function requireFreeBase(transaction: Transaction, wanted: Wanted): Promise<void> {
  const baseOf = (symbol: string): string => wanted.rules?.get(symbol)?.baseAsset ?? symbol;
  const taken = await listForeignSymbols(transaction, wanted.accountId, wanted.profileId);
  for (const symbol of wanted.symbols) {
    const owner = taken.find((coin) => baseOf(coin.symbol) === baseOf(symbol));
    if (owner === undefined) continue;
    throw new ApiProblem(
      'conflict',
      `${symbol} cannot be bound: the profile "${owner.profileName}" already trades ${baseOf(symbol)} (${owner.symbol}) on this account.`,
    );
  }
}
