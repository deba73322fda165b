import type { AccountContext } from '#engine/state/account-context.ts';
import type { Decimal } from '#core/amount/decimal.ts';
import type { MarketStream } from '#core/ports/exchange.ts';
import { type CoinRunner, isWatched } from '#engine/runner/coin-runner.ts';
import type { AccountRun } from './account-run.ts';

/**
 * A coin without a streamed price for this long is read over REST; prices are read at most once in this time. The web app
 * shows a price as stale after 5 s.
 */
const SILENT_MS = 2_500;

interface RestPriceOptions extends Pick<AccountRun, 'onPrice'> {
  readonly stream: Pick<MarketStream, 'compare'>;
  readonly streamConnected: () => boolean;
}

/**
 * Reads prices of coins whose stream is silent. While the stream is connected, a quiet coin simply has not traded, and
 * its last price counts as fresh. While it is not, the price serves exits only, and entries stay blocked as stale. The
 * stream receives the prices, so that it can detect lost events of a coin.
 */
export function createRestPrices(
  context: AccountContext,
  { stream, streamConnected, onPrice }: RestPriceOptions,
): { refresh(runners: Iterable<CoinRunner>): void } {
  let readMs = Number.NEGATIVE_INFINITY;
  return {
    refresh(runners) {
      const nowMs = performance.now();
      const silent = [...runners].filter((runner) => nowMs - runner.coin.priceSeenMs > SILENT_MS);
      if (silent.length === 0 || nowMs - readMs < SILENT_MS) return;
      readMs = nowMs;
      readPrices(context, new Set(silent.map(({ coin }) => coin.symbol)))
        .then((prices) => {
          stream.compare(prices);
          for (const runner of silent) {
            const price = prices.get(runner.coin.symbol);
            // The reply is as old as the request: a streamed price since then is newer.
            if (price === undefined || runner.coin.priceSeenMs > nowMs) continue;
            runner.onPrice(price, streamConnected());
            const { symbol } = runner.coin;
            if (isWatched(runner)) onPrice({ symbol, price, atMs: context.ports.market.clock.marketMs() });
          }
        })
        .catch((err: unknown) =>
          context.ports.log.warn(
            { event: 'prices_not_read', coins: silent.length, err },
            `Prices of ${silent.length} silent coins could not be read`,
          ),
        );
    },
  };
}

/** One request for any number of silent coins: one request per coin would use up the rate limit with 500 coins. */
async function readPrices(
  context: AccountContext,
  symbols: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Decimal>> {
  const { market } = context.ports;
  const [only] = symbols;
  if (symbols.size > 1 || only === undefined) return market.prices();
  return new Map([[only, await market.price(only)]]);
}
