import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { accountRun } from '#core/installation/cache-keys.ts';
import { INTERVALS } from '#core/market/candle.ts';
import { account } from './accounts.ts';
import { blockers } from './blockers.ts';
import { cursor, decimalText, instant, ofProfile, profileId, symbolName } from './fields.ts';
import { killSwitch } from './halts.ts';
import { operation } from './operation.ts';
import { accountFigures, trade } from './overview.ts';
import { coin, fill, order, profile, unwatchedPosition } from './profiles.ts';

const limit = z.coerce.number().int().min(1).max(1000).default(100);

export const logRow = z.object({
  id: z.string(),
  symbol: z.string().nullable(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  msg: z.string(),
  ctx: z.unknown(),
  count: z.number(),
  firstAt: instant,
  lastAt: instant,
});
const page = z.object({ rows: z.array(logRow), nextCursor: z.string().nullable() });
const filters = {
  from: instantText.optional(),
  to: instantText.optional(),
  /** Comma list of levels; absent means all. */
  level: z.string().max(60).optional(),
  symbol: symbolName.optional(),
  q: z.string().max(200).optional(),
};

export const listActionLogs = operation({
  method: 'GET',
  path: '/profiles/:id/action-logs',
  ...ofProfile,
  status: 200,
  summary: 'The activity feed: rows of level warn and error',
  query: z.strictObject({ limit, cursor: cursor.optional() }),
  response: page,
});

export const listLogs = operation({
  method: 'GET',
  path: '/profiles/:id/logs',
  ...ofProfile,
  status: 200,
  summary: 'Log rows of every level, newest first; a page of a search may be empty before the last page',
  query: z.strictObject({ limit, cursor: cursor.optional(), ...filters }),
  response: page.extend({
    /** With `q`: the search has looked at all rows back to here. Null when it has looked at every row, and without `q`. */
    searchedTo: instant.nullable(),
  }),
});

export const exportLogs = operation({
  method: 'GET',
  path: '/profiles/:id/logs/export',
  ...ofProfile,
  status: 200,
  summary: 'Log rows as a file',
  query: z.strictObject({ format: z.enum(['ndjson', 'csv']).default('ndjson'), ...filters }),
  media: ['application/x-ndjson', 'text/csv'],
});

/** The stored JSON texts are spliced into `{"entries":[...]}` without being parsed. */
export const readTickTrace = operation({
  method: 'GET',
  path: '/profiles/:id/tick-trace',
  ...ofProfile,
  status: 200,
  summary: 'Audit entries of ticks, verbatim, newest first',
  query: z.strictObject({ symbol: symbolName.optional(), limit, skip: z.coerce.number().int().min(0).default(0) }),
  response: z.object({ entries: z.array(z.unknown()) }),
});

export const candle = z.object({
  openMs: z.number(),
  open: z.number(),
  high: z.number(),
  low: z.number(),
  close: z.number(),
  volume: z.number(),
  closed: z.boolean(),
});

export const listCandles = operation({
  method: 'GET',
  path: '/candles',
  auth: 'session',
  scope: 'profile',
  status: 200,
  summary: 'Candles of the venue a profile trades on, oldest first',
  query: z.strictObject({
    profileId,
    symbol: symbolName,
    interval: z.enum(INTERVALS),
    limit: z.coerce.number().int().min(1).max(1000).default(300),
    before: instantText.optional(),
  }),
  response: z.object({ candles: z.array(candle) }),
});

export const listSymbols = operation({
  method: 'GET',
  path: '/symbols',
  auth: 'session',
  status: 200,
  summary: 'Coins that an account can trade, from the cached trading rules',
  query: z.strictObject({ accountId: z.string().max(60) }),
  response: z.object({
    symbols: z.array(
      z.object({
        symbol: z.string(),
        baseAsset: z.string(),
        quoteAsset: z.string(),
        status: z.string(),
        minNotional: decimalText,
        tickSize: decimalText,
        stepSize: decimalText,
        price: decimalText.nullable(),
      }),
    ),
  }),
});

const dashboardCoin = coin.extend({ profileId, profileName: z.string(), enabled: z.boolean() });

export const readDashboard = operation({
  method: 'GET',
  path: '/dashboard',
  auth: 'session',
  status: 200,
  summary: 'One call for the landing page',
  response: z.object({
    killSwitch,
    /** All blockers of the running profiles, judged at one moment. */
    blockers,
    accounts: z.array(
      account.extend({
        /** Total equity in quote units at cached prices; null before the first wallet snapshot. */
        equity: decimalText.nullable(),
        free: decimalText.nullable(),
        quoteAsset: z.string().nullable(),
        realisedToday: decimalText,
        ...accountFigures,
        walletAt: instantText.nullable(),
        /** Run state of the account from its worker; null while no worker holds it. */
        run: accountRun.nullable(),
        /** Market time of the venue: differs from wall time while a replay runs. */
        marketAt: instant.nullable(),
        /** The market replays recorded days, `speed` times as fast as the wall; null for every other market. */
        replay: z.object({ speed: z.number() }).nullable(),
      }),
    ),
    profiles: z.array(profile),
    coins: z.array(dashboardCoin),
    /** Positions of coins that are no longer bound to their profile: nothing sells them, and no stop protects them. */
    unwatched: z.array(unwatchedPosition),
    orders: z.array(order.extend({ profileId })),
    /** Open positions and the newest closed trades. */
    trades: z.array(trade),
    fills: z.array(fill.extend({ profileId, symbol: z.string() })),
    activity: z.array(logRow.extend({ profileId })),
  }),
});
