import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, request as sendRequest } from 'undici';
import { COMMAND_CHANNEL } from '#core/installation/cache-keys.ts';
import { type AccountId, newId, type ProfileId, type UserId } from '#core/ids.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { advanceTo } from '#paper/exchange/market-loop.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import type { Venue } from '#paper/exchange/venue.ts';
import type { Database } from '#storage/postgres/database.ts';
import { requestAction } from '#storage/trading/operator-actions.ts';
import { seedAccount, seedUser } from '#test/harness/test-trading.ts';
import { MARKET_START, writeSwingingCandles } from '#test/flow/candles.ts';
import { LISTED, LIVELY, UNGUARDED } from '#test/flow/profile.ts';
import type { RequestFault } from './fault-table.ts';
import type { Schedule } from './schedule.ts';
import { openHarness, type WorkerHarness } from './harness.ts';
import type { Recorder } from './recorder.ts';
import type { Sandbox } from './sandbox.ts';
import type { Trace } from './trace.ts';

/** Market seconds per wall-clock second while the machine keeps up: half an hour of candles a second. */
const SPEED = 1_800;
const MOVE_MS = 50;
/** How long a request of the operator is valid, at pace 1. */
const REQUEST_SECONDS = 5;
/** Market hours for a run of less than a minute. */
const HOURS = 24;
const KEY = { apiKey: 'faults-key-0123456789', secret: 'faults-secret-0123456789' };
const PRICES = { method: 'GET', path: '/api/v3/ticker/price' };
export const EXCHANGE_ACCOUNT = 'a';
/** Opening balances of the account, by asset. */
export const OPENING: Readonly<Record<string, string>> = { USDT: '100000', BNB: '100' };

/** The environment of one run: an exchange with its market, a database, and a worker that can be killed and restarted. */
export interface Environment extends AsyncDisposable {
  readonly paper: PaperExchange;
  readonly database: Database;
  readonly cache: CacheStore;
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly worker: WorkerHarness;
  readonly symbols: readonly string[];
  /** For files of this run. */
  readonly folder: string;
  /** Kinds of all requests of the operator; a restore loses rows of requests, this list keeps them. */
  readonly requested: readonly string[];
  /** Sends a request to the control plane of the exchange. */
  control(method: Dispatcher.HttpMethod, path: string, body?: unknown): Promise<void>;
  addFault(fault: RequestFault): Promise<void>;
  dropConnections(): Promise<void>;
  /** Sets whether the database refuses writes of new sessions, and ends the sessions of the worker. */
  refuseWrites(refused: boolean): Promise<void>;
  /** Requests an operator action for a coin, by default the first, as the api does; returns the id of the action. */
  request(kind: string, payload: object, symbol?: string): Promise<string>;
  /** Notifies the worker as the api does. */
  notify(kind: 'halts-changed' | 'profiles-changed'): Promise<void>;
  /** Stops all trades, so that both sides can be compared. */
  stopMarket(): Promise<void>;
}

interface EnvironmentOptions {
  readonly sandbox: Sandbox;
  readonly trace: Trace;
  /** Market hours. */
  readonly hours?: number;
  /** How many times slower than on an idle machine (pace.ts). */
  readonly pace?: number;
  readonly recorder?: Recorder | undefined;
}

export async function openEnvironment(schedule: Schedule, settings: EnvironmentOptions): Promise<Environment> {
  const { coins, seed, thirdAssetFees } = schedule;
  const { sandbox, trace, hours = HOURS, pace = 1, recorder } = settings;
  const { url, database, cache } = sandbox;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-faults-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  for (const coin of coins) writeSwingingCandles(folder, hours * 60, { ...coin, seed });
  if (thirdAssetFees) writeSwingingCandles(folder, hours * 60, { symbol: 'BNBUSDT', seed });
  const startMs = MARKET_START + 3_600_000;
  const paper = stack.use(
    await startPaper({
      source: { kind: 'replay', folder },
      fromMs: startMs,
      speed: SPEED / pace,
      clock: { kind: 'virtual', startMs },
      port: 0,
      controlPort: 0,
      accounts: parseAccounts([{ name: EXCHANGE_ACCOUNT, ...KEY, balances: OPENING, feesInBnb: thirdAssetFees }]),
    }),
  );
  recorder?.follow(paper.venue);
  const market = stack.use(moveMarket(paper.venue, pace));
  const owner = await seedTrader(database, schedule);
  const worker = stack.use(openHarness({ databaseUrl: url, paperUrl: paper.url, trace, pace, recorder }));
  const control: Environment['control'] = async (method, path, body) => {
    // One connection per request: the other side may close a kept connection just before it is used.
    const sent = JSON.stringify(body) ?? null;
    const reply = await sendRequest(`${paper.controlUrl}${path}`, {
      ...{ method, headers: paper.controlHeaders, body: sent, reset: true },
    });
    const answer = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`${method} ${path} answered ${reply.statusCode}: ${answer}`);
  };
  trace.probe = () => stateOf(database);
  const noPrice = { match: PRICES, kind: 'fail-before', status: 500, times: 1_000 } as const;
  if (thirdAssetFees) await control('POST', '/faults', [noPrice]);
  const requested: string[] = [];
  const dropConnections = async (): Promise<void> =>
    void (await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
         and application_name in ('tradewind-worker', 'tradewind-trading', 'tradewind-queue', 'tradewind-listen')`,
    ));
  const kept = stack.move();
  return {
    ...{ paper, database, cache, worker, control, ...owner, folder, requested, dropConnections },
    symbols: coins.map(({ symbol }) => symbol),
    async refuseWrites(refused) {
      await sandbox.refuseWrites(refused);
      await dropConnections();
    },
    addFault: (fault) => control('POST', '/faults', [{ ...fault, delayMs: (fault.delayMs ?? 0) * pace }]),
    async request(kind, payload, symbol = coins[0]?.symbol ?? '') {
      const { accountId, profileId, userId: requestedBy } = owner;
      const action = { accountId, profileId, symbol, kind, payload, requestedBy };
      requested.push(kind);
      const validSeconds = REQUEST_SECONDS * pace;
      return (await database.transaction((open) => requestAction(open, { ...action, validSeconds }))).id;
    },
    notify: (kind) => cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind })),
    stopMarket: async () => market[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Moves the market as fast as the machine can follow: a busy machine gets a slower market, not larger steps. */
function moveMarket(venue: Venue, pace: number): AsyncDisposable {
  let stopped = false;
  const moving = (async (): Promise<void> => {
    while (!stopped) {
      await advanceTo(venue, venue.clock.nowMs() + MOVE_MS * SPEED);
      await delay(MOVE_MS * pace);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      await moving;
    },
  };
}

/** The orders of a run and the sessions of PostgreSQL, for the report of a failure. */
async function stateOf({ kysely, pool }: Database): Promise<string> {
  const orders = await kysely.selectFrom('orders').select(['client_order_id', 'state', 'recorded_at']).execute();
  const { rows } = await pool.query<Record<string, unknown>>(
    `select application_name, state, wait_event_type, wait_event, left(query, 60) as query, now() - query_start as since
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return [...orders, ...rows].map((row) => JSON.stringify(row)).join('\n    ');
}

/** Stores an account with a verified key and one enabled profile on the coins. */
async function seedTrader(
  database: Database,
  { coins, amount, guarded, listed }: Schedule,
): Promise<Pick<Environment, 'accountId' | 'profileId'> & { readonly userId: UserId }> {
  const { kysely } = database;
  const userId = await seedUser(database);
  const accountId = await seedAccount(database, userId);
  const key = { account_id: accountId, api_key: KEY.apiKey, secret: KEY.secret, status: 'healthy' } as const;
  await kysely
    .insertInto('api_keys')
    .values({ ...key, cause: null })
    .execute();
  const profileId = newId<ProfileId>();
  const buy = { ...LIVELY.buy, candleLimit: 15, entrySizing: { mode: 'fixed', amount } };
  const config = JSON.stringify({ ...(listed ? LISTED : guarded ? LIVELY : UNGUARDED), buy });
  const profile = {
    id: profileId,
    account_id: accountId,
    name: 'Dip ladder',
    strategy_name: 'trailing-trade',
    config,
    enabled: true,
  };
  await kysely.insertInto('profiles').values(profile).execute();
  await kysely
    .insertInto('profile_symbols')
    .values(coins.map(({ symbol }) => ({ profile_id: profileId, symbol })))
    .execute();
  return { accountId, profileId, userId };
}
