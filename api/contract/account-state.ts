import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { accountRun } from '#core/installation/cache-keys.ts';
import { account } from './accounts.ts';
import { cursor, decimalText, instant, ofAccount, profileId, symbolName } from './fields.ts';
import { operation } from './operation.ts';
import { order, unwatchedPosition } from './profiles.ts';
import { riskState } from './risk.ts';

const read = { ...ofAccount, method: 'GET', status: 200 } as const;

export const readAccountHealth = operation({
  ...read,
  path: '/accounts/:id/health',
  summary: 'Whether an account trades: worker, key, halts, limits that are near, what is open, gains of today',
  response: z.object({
    at: instant,
    /** The worker that holds the account; null when none does. */
    worker: z.object({ slot: z.string(), sha: z.string().nullable(), bootedAt: instantText.nullable() }).nullable(),
    /** Run state from that worker: consecutive errors, and coins that do not run; null without a worker. */
    run: accountRun.nullable(),
    apiKey: account.shape.apiKey,
    walletAt: instantText.nullable(),
    halts: z.array(
      z.object({
        scope: z.enum(['all', 'account', 'profile']),
        subject: z.string(),
        /** Of the account or profile; null for everything. */
        name: z.string().nullable(),
        reason: z.string(),
        since: instant,
        freeze: z.boolean(),
        /** A halt because the exchange was reset; it ends when the operator confirms the reset. */
        reset: z.boolean(),
      }),
    ),
    todayRealised: z.array(z.object({ quoteAsset: z.string(), realised: decimalText })),
    /** Limits that refuse buys, or of which at least four fifths are used. */
    nearLimits: z.array(riskState.shape.standings.element.extend({ subject: z.string(), name: z.string() })),
    profiles: z.object({ enabled: z.number(), all: z.number() }),
    positions: z.number(),
    /** Positions of coins that are no longer bound to their profile: nothing sells them, and no stop protects them. */
    unwatched: z.array(unwatchedPosition),
    orders: z.object({ live: z.number(), unknown: z.number(), orphans: z.number() }),
  }),
});

export const listAccountOrders = operation({
  ...read,
  path: '/accounts/:id/orders',
  summary: 'Orders of all profiles of an account, newest first',
  query: z.strictObject({
    /** Live: not final yet, including orders whose outcome is unknown. */
    state: z.enum(['live', 'final', 'all']).default('all'),
    profileId: profileId.optional(),
    symbol: symbolName.optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    cursor: cursor.optional(),
  }),
  response: z.object({ rows: z.array(order.extend({ profileId })), nextCursor: z.string().nullable() }),
});
