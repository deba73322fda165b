import { z } from 'zod';
import { accountId, decimalText, instant } from './fields.ts';
import { operation } from './operation.ts';

const read = { method: 'GET', auth: 'session', status: 200 } as const;

export const listTickers = operation({
  ...read,
  path: '/tickers',
  summary: 'Prices of an account’s venue as the cache has them: of every coin that a running profile watches',
  query: z.strictObject({
    accountId,
    /** Comma list; absent means all. */
    symbols: z.string().max(4000).optional(),
  }),
  response: z.object({ tickers: z.array(z.object({ symbol: z.string(), price: decimalText, at: instant })) }),
});
