import { z } from 'zod';
import { cursor, decimalText, instant, ofAccount, profileId } from './fields.ts';
import { operation } from './operation.ts';

export const PERIODS = ['1w', '1m', '3m', 'ytd', 'all', 'custom'] as const;

const read = { method: 'GET', status: 200, ...ofAccount } as const;
const day = z.iso.date().max(10);
const filters = {
  /** `custom` takes the days `from` to `to`, both included, in the operator's time zone. */
  period: z.enum(PERIODS).default('all'),
  from: day.optional(),
  to: day.optional(),
  /** Default: all profiles of the account, deleted ones included. */
  profileId: profileId.optional(),
};
/** A share: 0.1 is 10 %. */
const share = z.number();

const row = z.object({
  /** Realised and unrealised P&L of the period, net of all fees. */
  pnl: decimalText,
  trades: z.number(),
  wins: z.number(),
  /** Null below 30 trades. */
  winRate: share.nullable(),
  /** Null below 30 trades and without a loss. */
  profitFactor: z.number().nullable(),
});
const profileRow = row.extend({ name: z.string().nullable(), strategyName: z.string().nullable(), fees: decimalText });

export const readPerformance = operation({
  ...read,
  path: '/accounts/:id/performance',
  summary: 'Results of an account in a period, net of all fees, by day, coin, profile, strategy and exit reason',
  query: z.strictObject(filters),
  response: z.object({
    timezone: z.string(),
    /** Live money never joins paper or test money: an account has one kind. */
    kind: z.enum(['live', 'testnet', 'demo', 'paper']),
    /** All amounts are in this asset; null before the account has a coin and a wallet. */
    quoteAsset: z.string().nullable(),
    from: instant,
    to: instant,
    /** False for a custom period that ended before today. */
    endsNow: z.boolean(),
    /** When the account first held something. */
    firstAt: instant.nullable(),
    /** Distance of the points. */
    step: z.enum(['hour', 'day']),
    profiles: z.array(z.object({ id: profileId, name: z.string() })),
    /** Coins with another quote asset: they count nowhere here. */
    otherAssets: z.array(z.string()),
    /** Held coins without a price: they count at their cost. */
    unpriced: z.array(z.string()),
    net: z.object({
      pnl: decimalText,
      realised: decimalText,
      /** Change of the unrealised P&L in the period. */
      unrealised: decimalText,
      /** Fees paid in the period. */
      fees: decimalText,
      unvaluedFees: z.number(),
      /** P&L before fees. */
      gross: decimalText,
      /** Fees / gross P&L; null without a gross profit. */
      feeShare: share.nullable(),
      /** Compounded return of the days; null without a known equity. */
      share: share.nullable(),
    }),
    /** Null without a recent wallet. */
    equity: z
      .object({ from: decimalText, to: decimalText, /** Less withdrawals, in the period. */ deposits: decimalText })
      .nullable(),
    /** Capital used in equal parts in the coins at the start; null without prices. */
    holding: z
      .object({
        pnl: decimalText,
        share: share.nullable(),
        drawdown: share.nullable(),
        /** (Net P&L - P&L of buy and hold) / equity at the start. */
        ahead: share.nullable(),
      })
      .nullable(),
    /** Null below 30 trades. */
    sharpe: z.number().nullable(),
    /** Largest drawdown of the points, 0 or less. */
    maxDrawdown: share.nullable(),
    trades: row.omit({ pnl: true }).extend({
      losses: z.number(),
      averageWin: decimalText.nullable(),
      averageLoss: decimalText.nullable(),
      best: decimalText.nullable(),
      worst: decimalText.nullable(),
      medianHeldMs: z.number().nullable(),
      perWeek: z.number().nullable(),
    }),
    points: z.array(
      z.object({
        at: instant,
        /** Since the start. */
        pnl: decimalText,
        /** Equity at the start and the P&L since: deposits and withdrawals are left out. */
        equity: decimalText.nullable(),
        holding: decimalText.nullable(),
        drawdown: share.nullable(),
        /** Mean share of the equity that was invested since the point before. */
        exposure: share.nullable(),
      }),
    ),
    days: z.array(
      z.object({
        day: z.string(),
        pnl: decimalText,
        realised: decimalText,
        fees: decimalText,
        share: share.nullable(),
        /** How large for this period: 1 to 3 for a profit, -1 to -3 for a loss, 0 for none. */
        level: z.number(),
      }),
    ),
    /** The months of the days, such as `2026-11`, as far as the period contains them. */
    months: z.array(z.object({ month: z.string(), pnl: decimalText })),
    /** Amounts from which a day has level 2 and 3. */
    levels: z.object({ middle: decimalText, large: decimalText }),
    daysUp: z.number(),
    daysDown: z.number(),
    bestDay: decimalText.nullable(),
    worstDay: decimalText.nullable(),
    /** Closed trades by net P&L: `counts` has one more entry than `edges`; the outer two hold the rest. */
    distribution: z.object({ edges: z.array(decimalText), counts: z.array(z.number()) }),
    coins: z.array(row.extend({ symbol: z.string(), baseAsset: z.string().nullable(), fees: decimalText })),
    /** Without id and name: deleted profiles. */
    byProfile: z.array(profileRow.extend({ id: profileId.nullable() })),
    /** By the strategy that a profile has now. */
    strategies: z.array(profileRow.omit({ name: true })),
    /** By the reason of the last sale; null: of what is not closed. */
    exits: z.array(row.extend({ reason: z.string().nullable() })),
    exposure: z.object({
      /** Mean of the points, weighted by time. */
      average: share.nullable(),
      timeInMarket: share,
      /** The most that all positions cost together at one moment. */
      capitalUsed: decimalText,
      /** Net P&L / capital used; null when nothing was bought. */
      returnOnCapital: share.nullable(),
    }),
  }),
});

export const exportPerformance = operation({
  ...read,
  path: '/accounts/:id/performance/export',
  summary: 'The days of a period as a file',
  query: z.strictObject({ format: z.enum(['ndjson', 'csv']).default('csv'), ...filters }),
  media: ['text/csv', 'application/x-ndjson'],
});

export const listPerformanceTrades = operation({
  ...read,
  path: '/accounts/:id/performance/trades',
  summary: 'Trades of all profiles of an account that were closed in a period, newest first',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    cursor: cursor.optional(),
    ...filters,
  }),
  response: z.object({
    rows: z.array(
      z.object({
        profileId,
        profileName: z.string().nullable(),
        symbol: z.string(),
        cycle: z.number(),
        openedAt: instant,
        closedAt: instant,
        net: decimalText,
        exitReason: z.string().nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
});
