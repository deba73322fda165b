import { z } from 'zod';
import { discoveryConfig } from '#core/research/discovery.ts';
import { cursor, instant, numbers, profileId } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: profileId });
const read = { method: 'GET', auth: 'session', status: 200, params } as const;

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
  /** The coins of the profile as the last cycle saw them; one that has faded is proposed for removal. */
  coins: z.array(coin.extend({ boundAt: instant, tenureUntil: instant })),
  /** Nothing is bound or unbound by itself: bind one with POST /profiles/:id/symbols. */
  proposals: z.array(coin.extend({ kind: z.enum(['add', 'remove']) })),
});

export const readDiscovery = operation({
  ...read,
  path: '/profiles/:id/discovery',
  summary: 'Settings of the discovery of coins, what it proposes now, and whether it works',
  response: discovery,
});

export const changeDiscovery = operation({
  ...read,
  method: 'PATCH',
  path: '/profiles/:id/discovery',
  summary: 'Changes the settings that are named; the worker looks again at its next round',
  body: discoveryConfig.partial(),
  response: discovery,
});

const stage = z.object({ stage: z.string(), left: z.number() });

export const listDiscoveryCycles = operation({
  ...read,
  path: '/profiles/:id/discovery/cycles',
  summary:
    'Rounds of the discovery, newest first: how many coins each test of the funnel left, and what became of them',
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
        /** Tests that the prices of all coins answer, then tests that need candles of each. */
        market: z.array(stage),
        candidates: z.array(stage),
        breadth: z.object({ up: z.number(), all: z.number() }).nullable(),
        coins: z.array(coin),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
});
