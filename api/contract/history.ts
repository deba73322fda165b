import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { cursor, decimalText, instant, ofProfile, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const start = { method: 'POST', ...ofProfile, status: 202 } as const;
const read = { method: 'GET', ...ofProfile, status: 200 } as const;
const started = z.object({ runId: z.string() });
const runOf = <Report extends z.ZodType>(report: Report) =>
  z.object({
    runs: z.array(
      z.object({
        id: z.string(),
        status: z.enum(['queued', 'running', 'done', 'error']),
        report: report.nullable(),
        error: z.string().nullable(),
        startedAt: instant,
        finishedAt: instant.nullable(),
      }),
    ),
  });
const fee = z.object({ amount: decimalText, asset: z.string().nullable() });

export const feeReport = z.object({
  /** Compared executions of the current epoch. */
  checked: z.number(),
  /** Recorded, but not listed by the exchange. */
  notListed: z.array(z.object({ symbol: z.string(), tradeId: z.string(), at: instant })),
  /** The first 200; `differing` counts all. */
  differences: z.array(
    z.object({
      symbol: z.string(),
      tradeId: z.string(),
      at: instant,
      recorded: fee,
      exchange: fee,
      adjusted: z.boolean(),
    }),
  ),
  differing: z.number(),
  /** Fees in a third asset that now have a value in quote, from the candle close of their minute. */
  valued: z.number(),
  /** Fees in a third asset without a candle of their minute: their value stays unknown. */
  unvalued: z.number(),
  byAsset: z.array(z.object({ asset: z.string(), recorded: decimalText, exchange: decimalText })),
});
export type FeeReport = z.output<typeof feeReport>;

export const reconcileFees = operation({
  ...start,
  path: '/profiles/:id/reconcile-fees',
  summary:
    'Has the worker compare every recorded fee with the exchange’s trade list; corrections are recorded in addition to it',
  audit: 'fees.reconcile',
  response: started,
});

export const listFeeReconciliations = operation({
  ...read,
  path: '/profiles/:id/reconcile-fees',
  summary: 'The last 20 comparisons of fees, newest first, with every difference',
  response: runOf(feeReport),
});

export const backfillReport = z.object({
  coins: z.array(
    z.object({
      symbol: z.string(),
      /** Executions that the exchange lists; `known` of them are recorded by this service. */
      listed: z.number(),
      known: z.number(),
      archived: z.number(),
      from: instant.nullable(),
      to: instant.nullable(),
    }),
  ),
});
export type BackfillReport = z.output<typeof backfillReport>;

export const backfillTradeArchive = operation({
  ...start,
  path: '/profiles/:id/trade-archive/backfill',
  summary: 'Has the worker archive the account’s trades that do not belong to orders of this service',
  audit: 'trade-archive.backfill',
  body: z.strictObject({
    /** Default: the coins of the profile. */
    symbols: z.array(symbolName).min(1).max(100).optional(),
  }),
  response: started,
});

export const listArchiveBackfills = operation({
  ...read,
  path: '/profiles/:id/trade-archive/backfill',
  summary: 'The last 20 backfills of the archive, newest first',
  response: runOf(backfillReport),
});

const filters = { symbol: symbolName.optional(), from: instantText.optional(), to: instantText.optional() };
export const listArchivedFills = operation({
  ...read,
  path: '/profiles/:id/trade-archive/fills',
  summary: 'Archived executions of the profile’s coins, newest first; they never count in positions or results',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    cursor: cursor.optional(),
    ...filters,
  }),
  response: z.object({
    rows: z.array(
      z.object({
        at: instant,
        symbol: z.string(),
        tradeId: z.string(),
        exchangeOrderId: z.string(),
        side: z.enum(['buy', 'sell']),
        price: decimalText,
        quantity: decimalText,
        quoteQuantity: decimalText,
        feeAmount: decimalText,
        feeAsset: z.string().nullable(),
        maker: z.boolean(),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
});

export const exportArchivedFills = operation({
  ...read,
  path: '/profiles/:id/trade-archive/fills/export',
  summary: 'The same executions as a file',
  query: z.strictObject({ format: z.enum(['ndjson', 'csv']).default('csv'), ...filters }),
  media: ['text/csv', 'application/x-ndjson'],
});
