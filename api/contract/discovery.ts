import { z } from 'zod';
import { discoveryConfig } from '#core/research/discovery.ts';
import { cursor, instant, numbers, ofProfile } from './fields.ts';
import { operation } from './operation.ts';

const read = { method: 'GET', ...ofProfile, status: 200 } as const;

const coin = z.object({ symbol: z.string(), outcome: z.string(), sentence: z.string(), numbers });

const discovery = z.object({
  config: discoveryConfig,
  health: z.object({
    /** Off: not enabled; blocked: no coin is proposed while too few coins of the market rise. */
    state: z.enum(['off', 'waiting', 'ok', 'stale', 'failing', 'blocked']),
    sentence: z.string(),
    lastCycleAt: instant.nullable(),
  }),
  slots: z.object({ most: z.number(), used: z.number() }),
  /** Coins of the profile in the last round; a coin that no longer qualifies is proposed for removal. */
  coins: z.array(coin.extend({ boundAt: instant, tenureUntil: instant })),
  /** No coin is bound or unbound automatically: bind one with POST /profiles/:id/symbols. */
  proposals: z.array(coin.extend({ kind: z.enum(['add', 'remove']) })),
});

export const readDiscovery = operation({
  ...read,
  path: '/profiles/:id/discovery',
  summary: 'Settings, current proposals and health of the coin discovery',
  response: discovery,
});

export const changeDiscovery = operation({
  ...read,
  method: 'PATCH',
  path: '/profiles/:id/discovery',
  summary: 'Changes the given settings; the next round of the worker uses them',
  audit: 'discovery.change',
  body: discoveryConfig.partial(),
  response: discovery,
});

const stage = z.object({ stage: z.string(), left: z.number() });

export const listDiscoveryCycles = operation({
  ...read,
  path: '/profiles/:id/discovery/cycles',
  summary: 'Rounds of the discovery, newest first: how many coins passed each test, and the outcome of each coin',
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(500).default(20),
    cursor: cursor.optional(),
  }),
  response: z.object({
    rows: z.array(
      z.object({
        id: z.string(),
        at: instant,
        error: z.string().nullable(),
        /** Tests on the prices of all coins, then tests on the candles of each coin. */
        market: z.array(stage),
        candidates: z.array(stage),
        breadth: z.object({ up: z.number(), all: z.number() }).nullable(),
        coins: z.array(coin),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
});
