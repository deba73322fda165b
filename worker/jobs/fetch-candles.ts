import { join } from 'node:path';
import { candlesFetched, cacheKeys, type CandleSpan } from '#core/installation/cache-keys.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { tryBackfill } from '#worker/backfill.ts';
import type { WorkerContext } from '#worker/context.ts';

/** How long an outcome is cached before the next request for the same candles: a failure expires sooner. */
const FETCHED_MS = 600_000;
const FAILED_MS = 60_000;

/** Fetches the candles of a span that the store lacks, and writes the outcome to the cache for waiting callers. */
export async function fetchCandles(
  { env, venues, cache, log }: Pick<WorkerContext, 'env' | 'venues' | 'cache' | 'log'>,
  span: CandleSpan,
  signal: AbortSignal,
): Promise<void> {
  const { venue, ...series } = span;
  const store = new CandleStore(join(env.CANDLE_DIR, venue));
  const problem = await tryBackfill({ market: venues.of(venue).market, store, log }, { ...series, signal });
  const outcome = candlesFetched.parse({ toMs: span.toMs, problem });
  await cache.set(cacheKeys.candlesFetched(span), JSON.stringify(outcome), problem === null ? FETCHED_MS : FAILED_MS);
}
