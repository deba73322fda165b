import type { AccountContext } from '#engine/state/account-context.ts';
import type { Decimal } from '#core/amount/decimal.ts';
import type { MarketStream } from '#core/ports/exchange.ts';
import { type CoinRunner, isWatched } from '#engine/runner/coin-runner.ts';
import type { AccountRun } from './account-run.ts';

/** A coin without a streamed price for this long is asked for by REST; prices are read at most once in this time. */
const SILENT_MS = 5_000;

interface RestPriceOptions extends Pick<AccountRun, 'onPrice'> {
  readonly stream: Pick<MarketStream, 'compare'>;
  readonly streamConnected: () => boolean;
}

/**
 * Prices for coins whose stream is silent. While the stream is connected a quiet coin simply has not traded, and its last
 * price counts as fresh; while it is not, the price feeds exits only and entries stay blocked as stale. The stream is
 * told what was read, so that it notices when it has lost a coin's events.
 */
export function createRestPrices(
  context: AccountContext,
  { stream, streamConnected, onPrice }: RestPriceOptions,
): { refresh(runners: Iterable<CoinRunner>): void } {
  let askedMs = Number.NEGATIVE_INFINITY;
  return {
    refresh(runners) {
      const nowMs = performance.now();
      const silent = [...runners].filter((runner) => nowMs - runner.coin.priceSeenMs > SILENT_MS);
      if (silent.length === 0 || nowMs - askedMs < SILENT_MS) return;
      askedMs = nowMs;
      readPrices(context, new Set(silent.map(({ coin }) => coin.symbol)))
        .then((prices) => {
          stream.compare(prices);
          for (const runner of silent) {
            const price = prices.get(runner.coin.symbol);
            // The answer is of the time of the request: what the stream has brought since is newer.
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

/** One request however many coins are silent: with a request for each, 500 quiet coins would use up the limit. */
async function readPrices(
  context: AccountContext,
  symbols: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Decimal>> {
  const { market } = context.ports;
  const [only] = symbols;
  if (symbols.size > 1 || only === undefined) return market.prices();
  return new Map([[only, await market.price(only)]]);
}
