import { z } from 'zod';
import { describe, type Numbers } from '#core/decision/decision.ts';
import { type DiscoveryConfig, type DiscoveryOutcome, isOutcome, OUTCOME_TEXTS } from '#core/research/discovery.ts';
import type { ProfileId } from '#core/ids.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { listTenures, pageCyclesOf, readDiscovery as readConfig, saveDiscovery } from '#storage/research/discovery.ts';
import { changeDiscovery, listDiscoveryCycles, readDiscovery } from '#api/contract/discovery.ts';
import { numbers } from '#api/contract/fields.ts';
import { pageView, readCursor } from '#api/frame/cursor.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { invalidField } from '#api/frame/problem.ts';

const MINUTE_MS = 60_000;
/** Discovery is stale after this many periods without a round. */
const STALE_PERIODS = 3;

const stages = z.array(z.object({ stage: z.string(), left: z.number() })).default([]);
const outcome = z.custom<DiscoveryOutcome>((value) => typeof value === 'string' && isOutcome(value));
const stored = z.object({
  market: stages,
  candidates: stages,
  breadth: z.object({ up: z.number(), all: z.number() }).nullable().default(null),
  coins: z.array(z.object({ symbol: z.string(), outcome, numbers })).default([]),
});
type Cycle = Awaited<ReturnType<typeof pageCyclesOf>>['rows'][number];

const withSentence = <Coin extends { readonly outcome: DiscoveryOutcome; readonly numbers: Numbers }>(coin: Coin) => ({
  ...coin,
  sentence: describe(OUTCOME_TEXTS[coin.outcome], coin.numbers),
});

function cycleView({ id, at, error, result }: Cycle) {
  const { coins, ...rest } = stored.parse(result);
  return { id, at, error, ...rest, coins: coins.map(withSentence) };
}

function healthOf(config: DiscoveryConfig, last: ReturnType<typeof cycleView> | undefined, now: Date) {
  const health = (state: z.output<typeof readDiscovery.response>['health']['state'], sentence: string) => ({
    ...{ state, sentence },
    lastCycleAt: last?.at ?? null,
  });
  if (!config.enabled) return health('off', 'The discovery is disabled.');
  if (last === undefined)
    return health('waiting', 'The worker has not run the first round yet: it does within a minute.');
  const minutes = Math.floor((now.getTime() - last.at.getTime()) / MINUTE_MS);
  if (minutes >= STALE_PERIODS * config.refreshMinutes)
    return health('stale', `The last round was ${minutes} minutes ago: check that the worker runs.`);
  if (last.error !== null) return health('failing', `The last round failed: ${last.error}`);
  const { up, all } = last.breadth ?? { up: 0, all: 0 };
  if (100 * up < config.breadthMinPercent * all)
    return health('blocked', `Only ${up} of ${all} coins rise; ${config.breadthMinPercent} % are required.`);
  return health('ok', 'The discovery works.');
}

async function stateOf(database: Reader, profileId: ProfileId, now: Date) {
  const config = await readConfig(database, profileId);
  const tenures = await listTenures(database, profileId);
  const { rows } = await pageCyclesOf(database, profileId, { limit: 1 });
  const last = rows.map(cycleView)[0];
  const judged = last?.coins ?? [];
  const bound = new Map(tenures.map((tenure) => [tenure.symbol, tenure]));
  const proposals = judged.flatMap((coin) => {
    const isBound = bound.has(coin.symbol);
    const kind: 'add' | 'remove' = isBound ? 'remove' : 'add';
    return coin.outcome === (isBound ? 'faded' : 'proposed') ? [{ ...coin, kind }] : [];
  });
  const coins = judged.flatMap((coin) => {
    const boundAt = bound.get(coin.symbol)?.boundAt;
    if (boundAt === undefined) return [];
    const tenureUntil = new Date(boundAt.getTime() + config.minHoldMinutes * MINUTE_MS);
    return [{ ...coin, boundAt, tenureUntil }];
  });
  const slots = { most: config.maxCoins, used: tenures.length };
  return { config, health: healthOf(config, last, now), slots, coins, proposals: config.enabled ? proposals : [] };
}

const change = ({ commit, body }: Incoming<typeof changeDiscovery>): Promise<undefined> =>
  commit(async ({ transaction, profile: { id } }) => {
    const before = await readConfig(transaction, id);
    const given = Object.entries(body).filter(([, value]) => value !== undefined);
    const after: DiscoveryConfig = { ...before, ...Object.fromEntries(given) };
    if (after.rankExcludeTopPercent >= after.rankTopPercent)
      throw invalidField(
        'rankExcludeTopPercent',
        `must be below rankTopPercent (${after.rankTopPercent}), or no coin is left`,
      );
    await saveDiscovery(transaction, id, after);
    return { answer: undefined, before, after };
  });

export function mountDiscovery({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(readDiscovery, ({ profile }) => stateOf(kysely, profile.id, context.now()));
  handle(changeDiscovery, async (incoming) => {
    await change(incoming);
    return stateOf(kysely, incoming.profile.id, context.now());
  });
  handle(listDiscoveryCycles, async ({ profile, query }) => {
    const page = await pageCyclesOf(kysely, profile.id, { limit: query.limit, cursor: readCursor(query.cursor) });
    return pageView(page, cycleView);
  });
}
