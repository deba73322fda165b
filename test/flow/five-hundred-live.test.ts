import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import {
  cacheKeys,
  COMMAND_CHANNEL,
  EVENT_CHANNEL,
  TICK_TRACE_CAP,
  WATCHED_EVERY_MS,
} from '#core/installation/cache-keys.ts';
import { busMessage } from '#core/installation/events.ts';
import type { ProfileId } from '#core/ids.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { startProfile, UNGUARDED } from './profile.ts';
import { openStack, type Stack } from './stack.ts';
import { tracedTicks } from './traced-ticks.ts';
import { until } from './until.ts';

const COINS = Array.from({ length: 500 }, (_, index) => `C${index}USDT`);
const PER_PROFILE = 100;
const TICKS_EACH = 10;
const LIMIT_MS = 300_000;

const commitsOf = async ({ database }: Stack): Promise<number> => {
  const { rows } = await database.pool.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.commits);
};

/** Ticks that the log has counted. */
async function ticksOf({ database }: Stack): Promise<number> {
  const { sum } = await database.kysely
    .selectFrom('action_logs')
    .select((row) => row.fn.sum<string>('count').as('sum'))
    .where(sql<boolean>`ctx ->> 'event' = 'decision'`)
    .executeTakeFirstOrThrow();
  return Number(sum);
}

test('500 coins of five profiles tick on a live market: each is shown, each decision is kept, the database has rest', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-live-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [seed, symbol] of COINS.entries()) writeSwingingCandles(folder, 24 * 60, { symbol, seed });
  const warnings: string[] = [];
  const stack = resources.use(
    await openStack({
      source: { kind: 'replay', folder },
      fromMs: MARKET_START + 7_200_000,
      onWarning: (line) => void warnings.push(line),
    }),
  );
  const cache = resources.use(await openCache({ databaseUrl: stack.databaseUrl }));
  const told = new Set<string>();
  let ticks = 0;
  resources.use(
    await cache.subscribe(EVENT_CHANNEL, (text) => {
      for (const { topic, id, data } of busMessage.parse(JSON.parse(text)))
        if (topic === 'price') told.add(`price ${id}`);
        else if (topic === 'tick') told.add(`tick ${JSON.stringify(data).slice(0, 30).split('"')[3]}`);
    }),
  );
  // As the api does while a browser is connected.
  const watched = (): void => void cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind: 'watched' }));
  watched();
  const watching = setInterval(watched, WATCHED_EVERY_MS);
  resources.defer(() => clearInterval(watching));
  const profiles: ProfileId[] = [];
  for (let first = 0; first < COINS.length; first += PER_PROFILE)
    profiles.push(
      await startProfile(stack, COINS.slice(first, first + PER_PROFILE), { config: UNGUARDED, name: `From ${first}` }),
    );
  await until('every coin to be told of', () => told.size === 2 * COINS.length, LIMIT_MS);

  const before = { ticks: await ticksOf(stack), commits: await commitsOf(stack) };
  const enough = before.ticks + TICKS_EACH * COINS.length;
  await until('ten ticks of each coin', async () => (ticks = await ticksOf(stack)) >= enough, LIMIT_MS);
  const commits = (await commitsOf(stack)) - before.commits;
  assert.ok(commits < (ticks - before.ticks) / 2, `${commits} commits for ${ticks - before.ticks} ticks`);

  await stack.stopWorker();
  const traces = await Promise.all(profiles.map((id) => cache.newest(cacheKeys.tickTrace(id), TICK_TRACE_CAP)));
  assert.equal(
    await ticksOf(stack),
    tracedTicks(traces.flat()),
    'ticks counted in the log (first) and in the trace differ',
  );
  const kept = await Promise.all(profiles.map((id) => cache.list(cacheKeys.coinStates(id))));
  assert.deepEqual(
    new Set(kept.flatMap((states) => [...states.keys()].map((key) => key.split(':')[2]))),
    new Set(COINS),
  );
  assert.deepEqual(
    warnings.filter((line) => line.includes('records_dropped')),
    [],
  );
});
