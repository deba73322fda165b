import { venueOf } from '#core/account/account.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import { listProfiles } from '#storage/operator/profiles.ts';
import { readWallet } from '#api/contract/accounts.ts';
import type { Routes } from '#api/handle.ts';
import { holdingsOf, mainQuoteAsset } from '#api/views/holdings.ts';

export function mountWallet({ context, handle }: Routes): void {
  const { database, venues } = context;
  handle(readWallet, async ({ account, operator }) => {
    const wallet = await venues.wallet(account.id);
    if (wallet === undefined) return null;
    const profiles = await listProfiles(database.kysely, operator.user.id);
    const symbols = profiles
      .filter((profile) => profile.accountId === account.id)
      .flatMap((profile) => profile.symbols);
    const venue = venueOf(account);
    const quote = mainQuoteAsset(symbols, await venues.rules(venue), wallet);
    const holdings = holdingsOf(wallet, quote, await venues.prices(venue));
    return {
      at: wallet.at,
      balances: holdings.map(({ asset, free, locked, value }) => ({
        asset,
        free: formatDecimal(free),
        locked: formatDecimal(locked),
        value: value === undefined ? null : formatDecimal(value),
      })),
    };
  });
}
