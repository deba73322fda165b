import { hostname } from 'node:os';
import { BootRefused } from '#core/installation/boot-refused.ts';
import type { Environment } from '#core/installation/env.ts';
import { ORDER_TIMING, type OrderTiming } from '#core/order/order-timing.ts';
import { ownSha } from '#integrations/git-sha.ts';
import { createLog } from '#integrations/log.ts';
import { serveMetrics } from '#integrations/metrics.ts';
import { openTracer } from '#integrations/tracing.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { Listener } from '#storage/postgres/listener.ts';
import { requireCurrentSchema } from '#storage/postgres/migrate.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openQueue, type Queue } from '#storage/jobs/queue.ts';
import { createRecordSink } from '#storage/history/records.ts';
import { loadAccountsToRun } from '#storage/trading/worker-profiles.ts';
import { followActions } from './actions.ts';
import { judgePrices } from './alerts.ts';
import { countingSink } from './count-records.ts';
import { type Announcer, createAnnouncer } from './announcer.ts';
import { watchDeadLetters } from './dead-letters.ts';
import { watchDisks } from './disks.ts';
import { followCommands } from './commands.ts';
import type { WorkerContext } from './context.ts';
import { keepEquity } from './equity.ts';
import { startHeartbeat } from './heartbeat.ts';
import { workJobs, workResearch } from '#worker/jobs/work.ts';
import { keepLeases } from './leases.ts';
import { measureAccounts, measureDisks, measureJobs, measurePositions, measureVenues } from './measures.ts';
import { notifyingSink } from './notify.ts';
import { followSignals } from './signals.ts';
import { createSweepProcess } from './sweep-process.ts';
import { reportQuarantine } from '#worker/strategy/quarantine.ts';
import { openShelf } from '#worker/strategy/shelf.ts';
import { createVenues } from './venues.ts';
import { followViewers } from './viewers.ts';

const CLOCK_EVERY_MS = 2_000;
/** Longest wait of a record while a browser is connected, and without one: a crash loses what waits. */
const [WATCHED_FLUSH_MS, UNWATCHED_FLUSH_MS] = [100, 5_000];
/** Few connections are enough, because cache writes are batched. */
const CACHE_CONNECTIONS = 2;

export interface WorkerSettings {
  readonly timing?: OrderTiming;
  /** Destination of the process log; by default stdout. */
  readonly logTo?: Parameters<typeof createLog>[1];
  /** False for a worker that trades and leaves jobs to other workers. */
  readonly takesJobs?: boolean;
  /**
   * `research`: only backtests, sweeps and the candles for them; it takes no account and counts as no worker in the status.
   * `trading`: everything else. Absent: both.
   */
  readonly only?: WorkerPart;
}

export const WORKER_PARTS = ['research', 'trading'] as const;
type WorkerPart = (typeof WORKER_PARTS)[number];

/**
 * Opens all resources of the worker in order. Disposing closes them in reverse: leases close before caches and
 * database, so that trading stops first.
 */
export async function openWorker(
  env: Environment,
  { timing = ORDER_TIMING, logTo, takesJobs = true, only }: WorkerSettings = {},
): Promise<AsyncDisposable> {
  const bootedAt = new Date().toISOString();
  const sha = ownSha(env.GIT_SHA);
  const log = createLog({ name: 'worker', level: env.LOG_LEVEL, sha }, logTo);
  await using stack = new AsyncDisposableStack();
  const tracer = stack.use(await openTracer(env, { process: 'worker', sha, log }));
  const database = stack.use(openDatabase(env.DATABASE_URL, { max: 6, applicationName: 'tradewind-worker' }));
  const own = { max: 8, applicationName: 'tradewind-trading', ready: true } as const;
  const trading = only === 'research' ? database : stack.use(openDatabase(env.DATABASE_URL, own));
  await requireCurrentSchema(database);
  await refuseLiveDemo(env, database);
  const places = { cacheUrl: env.CACHE_URL, databaseUrl: env.DATABASE_URL, connections: CACHE_CONNECTIONS };
  const cache = stack.use(await openCache(places));
  const sweeps = stack.use(createSweepProcess());
  const fileSweeps = stack.use(createSweepProcess({ isolated: true }));
  const fileBacktests = stack.use(createSweepProcess({ isolated: true, waited: true }));
  const queue = stack.use(await openQueue(env.DATABASE_URL, { log, works: takesJobs }));
  const { isWatched } = stack.use(await followViewers(cache));
  const flushMs = (): number => (isWatched() ? WATCHED_FLUSH_MS : UNWATCHED_FLUSH_MS);
  const sink = stack.use(createRecordSink({ database, cache, log, flushMs }));
  const notifyDeps = { liveDemo: env.LIVE_DEMO, queue, log };
  const records = countingSink(notifyingSink(sink, notifyDeps));
  const failed = (err: unknown): void =>
    log.warn({ event: 'cache_write_failed', err }, 'The cache could not be written');
  const announcer: Announcer = stack.use(
    await judgePrices(createAnnouncer({ cache, isWatched, onFailure: failed }), {
      ...{ database, cache, log, notifyDeps },
      candles: (venue, query) => venues.of(venue).market.candles(query),
    }),
  );
  const venues = stack.use(createVenues({ env, cache, announcer, timing, onFailure: failed }));
  const shelf = stack.use(
    await openShelf({ folder: env.STRATEGY_DIR, database, log, onQuarantine: reportQuarantine(database, notifyDeps) }),
  );
  const slot = env.WORKER_SLOT ?? `${hostname()}:${process.pid}`;
  const context: WorkerContext = {
    env,
    database,
    trading,
    cache,
    records,
    announcer,
    venues,
    log,
    notifyDeps,
    sweeps,
    fileSweeps,
    fileBacktests,
    shelf,
    slot,
    tracer,
  };
  const { HOST: host, METRICS_PORT: port } = env;
  if (port !== undefined) stack.use(await serveMetrics({ process: 'worker', sha }, { host, port }));
  stack.use(measureJobs(database));
  const folders = [env.CANDLE_DIR, ...(env.BACKUP_DIR === undefined ? [] : [env.BACKUP_DIR])];
  stack.use(measureDisks(folders));
  stack.use(watchDisks(folders, notifyDeps));
  if (takesJobs && only !== 'trading') await workResearch(context, queue);
  if (only !== 'research') {
    stack.use(await startHeartbeat(cache, slot, { sha, bootedAt }));
    stack.use(await startTrading(context, takesJobs ? queue : undefined));
  }
  log.info({ event: 'worker_started', slot, sha }, 'The worker has started');
  return stack.move();
}

/** Trades the accounts that this worker gets, and takes every job but research from `queue`. */
async function startTrading(context: WorkerContext, queue: Queue | undefined): Promise<AsyncDisposable> {
  const { cache, database, env, log, venues } = context;
  await using stack = new AsyncDisposableStack();
  const clocks = setInterval(() => {
    for (const venue of venues.opened()) venue.keepClock();
  }, CLOCK_EVERY_MS);
  stack.defer(() => clearInterval(clocks));
  const leases = stack.use(keepLeases(context));
  stack.use(keepEquity(context, leases));
  stack.use(measureAccounts(() => leases.running()));
  stack.use(measureVenues(() => venues.opened()));
  stack.use(measurePositions(database));
  stack.use(await followCommands(cache, leases, log));
  const listener = stack.use(new Listener(env.DATABASE_URL));
  stack.use(await followActions(context, leases, listener));
  stack.use(await followSignals(context, leases, listener));
  if (queue !== undefined) {
    await workJobs(context, queue, leases);
    await watchDeadLetters(context, queue);
  }
  return stack.move();
}

async function refuseLiveDemo(env: Environment, database: ReturnType<typeof openDatabase>): Promise<void> {
  if (!env.LIVE_DEMO) return;
  const live = (await loadAccountsToRun(database)).filter(({ account }) => account.exchangeMode === 'live');
  if (live.length === 0) return;
  const names = live.map(({ account }) => `"${account.name}"`).join(', ');
  throw new BootRefused(
    `LIVE_DEMO is on, but ${names} trades real money (exchange mode live). A public demo must not share a database with live accounts: turn LIVE_DEMO off, or use another database.`,
  );
}
