import { BootRefused } from '#core/installation/boot-refused.ts';
import type { Environment } from '#core/installation/env.ts';
import { readDayTickers } from '#exchange/day-tickers.ts';
import { endpointsOf } from '#exchange/endpoints.ts';
import { rateLimiterFor } from '#exchange/limits.ts';
import { createMarketReader } from '#exchange/read.ts';
import { shareLimits } from '#exchange/shared-limits.ts';
import { ownSha } from '#integrations/git-sha.ts';
import { createLog } from '#integrations/log.ts';
import { serveMetrics } from '#integrations/metrics.ts';
import { openTracer } from '#integrations/tracing.ts';
import { countLiveAccounts } from '#storage/operator/accounts.ts';
import { removeAbandonedUploads } from '#storage/backup/unnamed-file.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { requireCurrentSchema } from '#storage/postgres/migrate.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { readOperator } from '#storage/operator/users.ts';
import type { ApiSettings, ServerContext } from '#api/frame/context.ts';
import { MAX_CONCURRENT } from '#api/guard/visitor-limits.ts';
import { NO_PAPER, type Paper } from '#api/frame/paper.ts';
import { type Address, serveApi } from './serve.ts';
import { readStrategyVersions } from '#api/frame/strategy-versions.ts';
import { Venues } from '#api/frame/venues.ts';

function settingsOf(env: Environment, bootedAt: Date): ApiSettings {
  const { PAPER_API_KEY: apiKey, PAPER_API_SECRET: secret } = env;
  return {
    origins: env.WEB_ORIGIN ?? [`http://127.0.0.1:${env.PORT}`, `http://localhost:${env.PORT}`],
    liveDemo: env.LIVE_DEMO,
    sha: ownSha(env.GIT_SHA),
    bootedAt,
    backupDir: env.BACKUP_DIR,
    candleDir: env.CANDLE_DIR,
    webDir: env.WEB_DIR,
    outgoingPrivate: env.OUTGOING_PRIVATE,
    paperKey: apiKey === undefined || secret === undefined ? null : { apiKey, secret },
  };
}

async function refuseLiveAccounts(database: Database): Promise<void> {
  const count = await countLiveAccounts(database.kysely);
  if (count === 0) return;
  throw new BootRefused(
    `LIVE_DEMO is on, but ${count === 1 ? 'an account trades' : `${count} accounts trade`} real money (exchange mode live): turn LIVE_DEMO off, or use a database without live accounts.`,
  );
}

/** A sentence for a port that is in use or not permitted. */
function portProblem(error: unknown, { host, port }: Address): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') return error;
  return new BootRefused(`Nothing can listen on ${host}, port ${port} (${code}): free it, or set HOST and PORT.`);
}

/**
 * Three connections: a kill switch may wait for intents, and the session check of the next request must not wait for it.
 * A live demo adds one for each request of visitors that may wait.
 */
export const openReserved = (url: string, liveDemo: boolean): Database =>
  openDatabase(url, { applicationName: 'tradewind-api-reserved', max: liveDemo ? 3 + MAX_CONCURRENT : 3, ready: true });

export interface Api extends AsyncDisposable {
  readonly port: number;
}

/** Opens the api's resources and serves; disposing closes them in reverse order. */
export async function openApi(env: Environment, paper: Paper = NO_PAPER): Promise<Api> {
  const settings = settingsOf(env, new Date());
  const log = createLog({ name: 'api', level: env.LOG_LEVEL, sha: settings.sha });
  await using stack = new AsyncDisposableStack();
  const tracer = stack.use(await openTracer(env, { process: 'api', sha: settings.sha, log }));
  const database = stack.use(openDatabase(env.DATABASE_URL, { applicationName: 'tradewind-api' }));
  await requireCurrentSchema(database);
  if (settings.liveDemo) await refuseLiveAccounts(database);
  const cache = stack.use(await openCache({ cacheUrl: env.CACHE_URL, databaseUrl: env.DATABASE_URL }));
  const sharing = stack.use(new AsyncDisposableStack());
  const queue = stack.use(await openQueue(env.DATABASE_URL, { log, works: false }));
  const failed = (err: unknown): void =>
    log.warn({ event: 'limits_not_shared', err }, 'The request limits could not be shared with the other processes');
  const openMarket: ConstructorParameters<typeof Venues>[0]['openMarket'] = (venue) => {
    const { restUrl } = endpointsOf(venue, env);
    sharing.use(
      shareLimits({ limiter: rateLimiterFor(restUrl), cache, egress: env.EGRESS, restUrl, onFailure: failed }),
    );
    return createMarketReader({ restUrl });
  };
  await removeAbandonedUploads(settings.bootedAt);
  const unread = (err: unknown): void =>
    log.warn({ event: 'strategies_not_read', err }, 'The versions of strategy files could not be read');
  stack.use(await readStrategyVersions(database, unread));
  const context: ServerContext = {
    settings,
    database,
    reserved: stack.use(openReserved(env.DATABASE_URL, settings.liveDemo)),
    cache,
    queue,
    paper,
    venues: new Venues({
      ...{ cache, openMarket, nowMs: Date.now },
      dayTickers: (venue) => readDayTickers(endpointsOf(venue, env).restUrl),
    }),
    log,
    tracer,
    now: () => new Date(),
    demoUserId: settings.liveDemo ? ((await readOperator(database.kysely))?.id ?? null) : null,
  };
  const { HOST: host, METRICS_PORT: metricsPort } = env;
  const what = { process: 'api', sha: settings.sha };
  if (metricsPort !== undefined)
    stack.use(await listening({ host, port: metricsPort }, (address) => serveMetrics(what, address)));
  const server = stack.use(await listening({ host, port: env.PORT }, (address) => serveApi(context, address)));
  log.info({ event: 'api_started', host, port: server.port }, 'The api is ready');
  const resources = stack.move();
  return { port: server.port, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function listening<Server>(address: Address, open: (address: Address) => Promise<Server>): Promise<Server> {
  try {
    return await open(address);
  } catch (error) {
    throw portProblem(error, address);
  }
}
