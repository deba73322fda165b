import { type Coin, isCertain } from '#engine/coin.ts';
import { bareSeconds } from '#engine/guard.ts';
import type { RunningAccount } from '#engine/run-account.ts';
import { measure, type Reading } from '#integrations/metrics.ts';

/** What is measured of every coin that runs; nothing is told where there is nothing to tell. */
const OF_COINS: Readonly<Record<string, readonly [help: string, read: (coin: Coin) => number | undefined]>> = {
  tradewind_unprotected_seconds: [
    'For how long a position has been without the stop on the exchange that it wants',
    ({ guard }) => bareSeconds(guard),
  ],
  tradewind_orders_unproven: [
    'Orders of which nobody knows yet what has become of them',
    ({ live }) =>
      live
        .values()
        .filter((order) => !isCertain(order))
        .toArray().length,
  ],
  tradewind_price_age_seconds: [
    'Age of the last price that came over the stream',
    ({ priceSeenMs }) => (Number.isFinite(priceSeenMs) ? (performance.now() - priceSeenMs) / 1000 : undefined),
  ],
};

/** Measures the accounts that this worker owns, for as long as it is not disposed. */
export function measureAccounts(owned: () => Iterable<RunningAccount>): Disposable {
  using stack = new DisposableStack();
  for (const [name, [help, read]] of Object.entries(OF_COINS)) {
    stack.use(measure({ name, help, labelNames: ['profile', 'symbol'] }, () => ofCoins(owned(), read)));
  }
  const accounts = { name: 'tradewind_accounts_running', help: 'Accounts that this worker trades', labelNames: [] };
  stack.use(measure(accounts, () => [[{}, [...owned()].length]]));
  return stack.move();
}

function* ofCoins(accounts: Iterable<RunningAccount>, read: (coin: Coin) => number | undefined): Generator<Reading> {
  for (const { coins } of accounts) {
    for (const { coin } of coins.all()) {
      const value = read(coin);
      if (value !== undefined) yield [{ profile: coin.profile.name, symbol: coin.symbol }, value];
    }
  }
}
