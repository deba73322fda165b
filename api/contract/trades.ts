import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { cursor, decimalText, instant, ofProfile, symbolName } from './fields.ts';
import { operation } from './operation.ts';

const filters = { symbol: symbolName.optional(), from: instantText.optional(), to: instantText.optional() };
const file = { format: z.enum(['ndjson', 'csv']).default('csv') };
const read = { method: 'GET', ...ofProfile, status: 200 } as const;
const media = ['text/csv', 'application/x-ndjson'] as const;

const cycle = z.object({
  symbol: z.string(),
  cycle: z.number(),
  openedAt: instant,
  closedAt: instant,
  bought: decimalText,
  sold: decimalText,
  fills: z.number(),
  net: decimalText,
  /** Reason code of the last sale, such as `exit-stop-loss`, `exit-trail`, `exit-failed-stop` or `force-sell`. */
  exitReason: z.string().nullable(),
});
const totals = z.object({
  from: instant.nullable(),
  count: z.number(),
  wins: z.number(),
  losses: z.number(),
  net: decimalText,
  grossProfit: decimalText,
  grossLoss: decimalText,
});

export const listTradeArchive = operation({
  ...read,
  path: '/profiles/:id/trade-archive',
  summary: 'Closed positions, newest first, with totals of all that match the filter',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    cursor: cursor.optional(),
    ...filters,
  }),
  response: z.object({ rows: z.array(cycle), nextCursor: z.string().nullable(), totals }),
});

export const exportTradeArchive = operation({
  ...read,
  path: '/profiles/:id/trade-archive/export',
  summary: 'All closed positions as a file',
  query: z.strictObject({ ...file, ...filters }),
  media,
});

export const listClosedTrades = operation({
  ...read,
  path: '/profiles/:id/closed-trades',
  summary: 'Closed positions summed by day, week or month of the operator’s time zone, newest first',
  query: z.strictObject({ period: z.enum(['day', 'week', 'month', 'all']).default('day'), ...filters }),
  response: z.object({ timezone: z.string(), periods: z.array(totals) }),
});

export const exportFills = operation({
  ...read,
  path: '/profiles/:id/fills/export',
  summary: 'Every execution as a file, by coin, oldest first',
  query: z.strictObject({ ...file, ...filters }),
  media,
});

export const exportTaxLots = operation({
  ...read,
  path: '/profiles/:id/tax-lots/export',
  summary: 'Sales with their cost (FIFO or average cost) as a file',
  query: z.strictObject({ ...file, method: z.enum(['fifo', 'average']).default('fifo'), ...filters }),
  media,
});

export const listEquity = operation({
  ...read,
  path: '/profiles/:id/equity',
  summary: 'Equity of the profile over time against buy and hold of its coins',
  query: z.strictObject({
    from: instantText.optional(),
    to: instantText.optional(),
    limit: z.coerce.number().int().min(2).max(2000).default(500),
  }),
  response: z.object({
    points: z.array(
      z.object({
        at: instant,
        /** Realised and unrealised together, in quote units. */
        net: decimalText,
        realised: decimalText,
        positionValue: decimalText,
        positionCost: decimalText,
        /** Mean change of the coins' prices since the first point, 0.05 for 5 %; null without a common coin. */
        holding: decimalText.nullable(),
      }),
    ),
  }),
});
