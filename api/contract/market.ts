import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { marketTrend } from '#core/installation/cache-keys.ts';
import { INTERVALS } from '#core/market/candle.ts';
import { RATING_LABELS } from '#core/indicators/rating-label.ts';
import { accountId, decimalText, instant, ofAccount, ofProfile, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const read = { method: 'GET', auth: 'session', status: 200 } as const;

export const listTickers = operation({
  ...read,
  scope: 'account',
  path: '/tickers',
  summary: 'Cached prices of an account’s venue: every coin that a running profile watches',
  query: z.strictObject({
    accountId,
    /** Comma list; absent means all. */
    symbols: z.string().max(4000).optional(),
  }),
  response: z.object({ tickers: z.array(z.object({ symbol: z.string(), price: decimalText, at: instantText })) }),
});

export const listDayTickers = operation({
  ...read,
  ...ofAccount,
  path: '/accounts/:id/day-tickers',
  summary: 'Price, change, volume and spread of every coin of an account’s venue over the last 24 hours',
  response: z.object({
    tickers: z.array(
      z.object({
        symbol: z.string(),
        last: z.number(),
        /** Shares: 0.05 for 5 %. The spread is that of the best prices against their middle; null without both. */
        change: z.number(),
        spread: z.number().nullable(),
        /** In the quote asset. */
        volume: z.number(),
      }),
    ),
  }),
});

/** `partial`: the rest is missing because of `problem`, or because the exchange has no more. */
export interface ColumnsHead {
  readonly state: 'complete' | 'fetching' | 'partial';
  readonly missing: number;
  readonly problem: string | null;
}

export const CANDLE_COLUMNS_TYPE = 'application/vnd.tradewind.candles';

/** One year of minutes. */
export const MAX_COLUMN_ROWS = 527_040;

/**
 * The body is read by `decodeColumns` of core/market/candle-planes.ts. Its head is {@link ColumnsHead} with the fields of
 * the format. While the state is `fetching`, request it again after some seconds.
 */
export const readCandleColumns = operation({
  ...read,
  path: '/candles/columns',
  filtersAccounts: true,
  summary: 'Stored candles of one coin in columns: at most a year of minutes; missing candles are fetched',
  query: z.strictObject({
    /** One of both: the account of the coin, or a profile on it. */
    profileId: profileId.optional(),
    accountId: accountId.optional(),
    symbol: symbolName,
    interval: z.enum(INTERVALS),
    from: instantText,
    /** Exclusive; default: now. */
    to: instantText.optional(),
  }),
  media: [CANDLE_COLUMNS_TYPE],
});

export const readMarketTrend = operation({
  ...read,
  ...ofAccount,
  path: '/accounts/:id/market-trend',
  summary: 'Two leading coins against their 50-day average, and how many coins are up; null before the first run',
  response: marketTrend.nullable(),
});

export const readRatings = operation({
  ...read,
  ...ofProfile,
  path: '/profiles/:id/ratings',
  summary: 'Technical rating of every coin of a profile, from closed candles',
  query: z.strictObject({
    /** Comma list of at most four intervals. */
    intervals: z.string().max(40).default('1h,4h,1d'),
  }),
  response: z.object({
    ratings: z.array(
      z.object({
        symbol: z.string(),
        interval: z.enum(INTERVALS),
        /** Null with too few or unreadable candles; `problem` says which. */
        label: z.enum(RATING_LABELS).nullable(),
        /** From -1, all sell, to 1, all buy. */
        score: z.number().nullable(),
        closedAt: instant.nullable(),
        problem: z.string().nullable(),
      }),
    ),
  }),
});
