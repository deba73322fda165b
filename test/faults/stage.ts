import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND_CHANNEL } from '#core/cache-keys.ts';
import { parseEnvironment } from '#core/env.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import type { CacheStore } from '#core/ports.ts';
import { parseAccounts } from '#paper/accounts.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import type { Database } from '#storage/database.ts';
import { openCache } from '#storage/open-cache.ts';
import { openTestDatabase } from '#storage/test-database.ts';
import { openRelay } from '#storage/test-outage.ts';
import { seedAccount, seedUser } from '#storage/test-trading.ts';
import { openWorker } from '#worker/worker.ts';
import { MARKET_START, writeSwingingCandles } from '../flow/candles.ts';
import { UNGUARDED } from '../flow/profile.ts';
import type { Trail } from './trail.ts';
import { DRILL_TIMING, type RequestFault, type Schedule } from './schedule.ts';

/** Market seconds in a second of the wall: an hour of candles a second. */
const SPEED = 3_600;
const HOURS = 48;
const KEY = { apiKey: 'faults-key-0123456789', secret: 'faults-secret-0123456789' };
export const EXCHANGE_ACCOUNT = 'a';
export const OPENING_QUOTE = '100000';

/** One run's world: an exchange with its market, a database, and a worker that can be killed and started again. */
export interface Stage extends AsyncDisposable {
  readonly paper: PaperExchange;
  readonly database: Database;
  readonly cache: CacheStore;
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly worker: WorkerSeat;
  addFault(fault: RequestFault): Promise<void>;
  clearFaults(): Promise<void>;
  dropStreams(): Promise<void>;
  dropConnections(): Promise<void>;
  tellHalts(): Promise<void>;
}

export async function openStage(schedule: Schedule, trail: Trail): Promise<Stage> {
  const { coins, seed } = schedule;
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-faults-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  for (const coin of coins) writeSwingingCandles(folder, HOURS * 60, { ...coin, seed });
  const { url, database } = stack.use(await openTestDatabase());
  const paper = stack.use(
    await startPaper({
      source: { kind: 'replay', folder },
      fromMs: MARKET_START + 3_600_000,
      speed: SPEED,
      clock: { kind: 'real' },
      port: 0,
      controlPort: 0,
      accounts: parseAccounts([{ name: EXCHANGE_ACCOUNT, ...KEY, balances: { USDT: OPENING_QUOTE } }]),
    }),
  );
  const owner = await seedTrader(database, schedule);
  const cache = stack.use(await openCache({ databaseUrl: url }));
  const worker = stack.use(openSeat({ databaseUrl: url, paperUrl: paper.url, trail }));
  const ask = async (method: string, path: string, body?: unknown): Promise<void> => {
    const response = await fetch(`${paper.controlUrl}${path}`, { method, body: JSON.stringify(body) ?? null });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  };
  trail.probe = () => stateOf(database);
  const kept = stack.move();
  return {
    ...{ paper, database, cache, worker, ...owner },
    addFault: (fault) => ask('POST', '/faults', [fault]),
    clearFaults: () => ask('DELETE', '/faults'),
    dropStreams: () => ask('POST', '/streams/drop'),
    async dropConnections() {
      await database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
           and application_name in ('tradewind-worker', 'tradewind-trading', 'tradewind-queue')`,
      );
    },
    tellHalts: () => cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind: 'halts-changed' })),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** What PostgreSQL does for a run, and the orders whose outcome is open. */
async function stateOf({ kysely, pool }: Database): Promise<string> {
  const orders = await kysely.selectFrom('orders').select(['client_order_id', 'state', 'recorded_at']).execute();
  const { rows } = await pool.query<Record<string, unknown>>(
    `select application_name, state, wait_event_type, wait_event, left(query, 60) as query, now() - query_start as since
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return [...orders, ...rows].map((row) => JSON.stringify(row)).join('\n    ');
}

/** An account with a checked key and one enabled profile on the coins. */
async function seedTrader(
  database: Database,
  { coins, amount }: Schedule,
): Promise<Pick<Stage, 'accountId' | 'profileId'>> {
  const { kysely } = database;
  const accountId = await seedAccount(database, await seedUser(database));
  const key = { account_id: accountId, api_key: KEY.apiKey, secret: KEY.secret, status: 'healthy' } as const;
  await kysely
    .insertInto('api_keys')
    .values({ ...key, cause: null })
    .execute();
  const profileId = newId<ProfileId>();
  const buy = { ...UNGUARDED.buy, candleLimit: 15, entrySizing: { mode: 'fixed', amount } };
  const config = JSON.stringify({ ...UNGUARDED, buy });
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
  return { accountId, profileId };
}

/** The place of the worker: one at a time. */
export interface WorkerSeat extends AsyncDisposable {
  /** Starts a worker, again and again until it has started, as the supervisor would. */
  start(): Promise<void>;
  /**
   * What kill -9 looks like from outside, at any await: from this moment on nothing of the worker reaches database or
   * exchange. What is left of it in this process is disposed of meanwhile.
   */
  kill(): void;
  stop(): Promise<void>;
}

interface Seated {
  readonly worker: AsyncDisposable;
  readonly sever: () => void;
}

interface SeatSettings {
  readonly databaseUrl: string;
  readonly paperUrl: string;
  readonly trail: Trail;
}

function openSeat({ databaseUrl, paperUrl, trail }: SeatSettings): WorkerSeat {
  const relays = new AsyncDisposableStack();
  const graves: Promise<unknown>[] = [];
  let seated: Seated | null = null;

  const attempt = async (): Promise<Seated> => {
    const database = relays.use(await openRelay(new URL(databaseUrl)));
    const paper = relays.use(await openRelay(new URL(paperUrl)));
    const env = parseEnvironment({
      DATABASE_URL: database.url,
      PAPER_URL: paper.url,
      WORKER_SLOT: 'faults',
      LOG_LEVEL: 'info',
    });
    const sever = (): void => {
      database.sever();
      paper.sever();
    };
    const logTo = { write: (line: string) => trail.note(line.trimEnd()) };
    return { worker: await openWorker(env, { timing: DRILL_TIMING, logTo }), sever };
  };
  const take = (): Seated | null => {
    const taken = seated;
    seated = null;
    return taken;
  };
  const stop = async (): Promise<void> => {
    const worker = take()?.worker;
    if (worker !== undefined) await trail.during('stopping the worker', async () => worker[Symbol.asyncDispose]());
  };
  return {
    async start() {
      for (let tries = 1; seated === null; tries++) {
        seated = await trail.during('starting a worker', attempt).catch((error: unknown) => {
          if (tries === 5) throw error;
          return null;
        });
      }
    },
    kill() {
      const killed = take();
      killed?.sever();
      if (killed === null) return;
      graves.push(trail.during('burying a worker', async () => killed.worker[Symbol.asyncDispose]()).catch(() => {}));
    },
    stop,
    async [Symbol.asyncDispose]() {
      await stop();
      await Promise.all(graves);
      await relays.disposeAsync();
    },
  };
}
