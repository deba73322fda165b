import { type Venue, venueOf } from '#core/account/account.ts';
import { cacheKeys, marketTrend } from '#core/installation/cache-keys.ts';
import { INTERVAL_MS, type Interval, isInterval } from '#core/market/candle.ts';
import { createTechnicalRating } from '#core/indicators/technical-rating.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { readMarketTrend, readRatings } from '#api/contract/market.ts';
import type { Routes } from '#api/handle.ts';
import { Memo } from '#api/frame/memo.ts';
import { invalidField } from '#api/frame/problem.ts';
import { readCached } from '#api/frame/venues.ts';

/** Enough candles for the moving averages to converge. */
const CANDLES = 400;
const MAX_INTERVALS = 4;
/** Maximum cached ratings of coins and intervals. */
const KEPT = 400;
/** A rating changes when a candle closes; it is cached for a twentieth of the interval. */
const SHARE = 20;

function intervalsOf(text: string): Interval[] {
  const names = text.split(',').map((name) => name.trim());
  const known = names.filter(isInterval);
  if (known.length === names.length && known.length <= MAX_INTERVALS) return [...new Set(known)];
  throw invalidField('intervals', `must be at most ${MAX_INTERVALS} intervals such as 1h,4h`);
}

export function mountMarketView({ context, handle }: Routes): void {
  const { cache, venues, now } = context;
  handle(
    readMarketTrend,
    async ({ account }) => readCached(marketTrend, await cache.get(cacheKeys.marketTrend(venueOf(account)))) ?? null,
  );

  const rate = async (venue: Venue, symbol: string, interval: Interval) => {
    const rating = createTechnicalRating();
    const candles = (await venues.candles(venue, { symbol, interval, limit: CANDLES })).filter(({ closed }) => closed);
    for (const candle of candles) rating.push(candle);
    const closedAt = candles.at(-1)?.closeMs;
    const known = { symbol, interval, closedAt: closedAt === undefined ? null : new Date(closedAt) };
    if (rating.label === undefined)
      return { ...known, label: null, score: null, problem: `The coin has ${candles.length} candles; 200 are needed.` };
    return { ...known, label: rating.label, score: rating.score, problem: null };
  };
  const kept = new Memo<Awaited<ReturnType<typeof rate>>>({ nowMs: () => now().getTime(), most: KEPT });
  handle(readRatings, async ({ profile, readAccount, query }) => {
    const venue = venueOf(await readAccount());
    const intervals = intervalsOf(query.intervals);
    const pairs = profile.symbols.flatMap((symbol) => intervals.map((interval) => ({ symbol, interval })));
    const ratings = pairs.map(({ symbol, interval }) =>
      kept
        .get(`${venue}:${symbol}:${interval}`, INTERVAL_MS[interval] / SHARE, () => rate(venue, symbol, interval))
        .catch((error: unknown) => {
          if (!(error instanceof ExchangeError)) throw error;
          return { symbol, interval, label: null, score: null, closedAt: null, problem: error.message };
        }),
    );
    return { ratings: await Promise.all(ratings) };
  });
}
