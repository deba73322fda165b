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
import { LIVELY, UNGUARDED } from '#test/flow/profile.ts';
import type { RequestFault } from './fault-table.ts';
import type { Schedule } from './schedule.ts';
import { openSeat, type WorkerSeat } from './seat.ts';
import type { Theatre } from './theatre.ts';
import type { Trail } from './trail.ts';

/** Market seconds in a second of the wall, as long as the machine keeps up: half an hour of candles a second. */
const SPEED = 1_800;
const MOVE_MS = 50;
const ASKED_FOR_SECONDS = 5;
/** Of market for a play of less than a minute. */
const HOURS = 24;
const KEY = { apiKey: 'faults-key-0123456789', secret: 'faults-secret-0123456789' };
const PRICES = { method: 'GET', path: '/api/v3/ticker/price' };
export const EXCHANGE_ACCOUNT = 'a';
/** What the account opens with, by asset. */
export const OPENING: Readonly<Record<string, string>> = { USDT: '100000', BNB: '100' };

/** One run's world: an exchange with its market, a database, and a worker that can be killed and started again. */
export interface Stage extends AsyncDisposable {
  readonly paper: PaperExchange;
  readonly database: Database;
  readonly cache: CacheStore;
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly worker: WorkerSeat;
  readonly symbols: readonly string[];
  /** For files of this play. */
  readonly folder: string;
  /** Kinds of what the operator has asked for; a restore forgets requests, and this does not. */
  readonly asked: readonly string[];
  /** Asks the control plane of the exchange. */
  control(method: Dispatcher.HttpMethod, path: string, body?: unknown): Promise<void>;
  addFault(fault: RequestFault): Promise<void>;
  dropConnections(): Promise<void>;
  /** What the database answers to writes of sessions that begin from now on; those of the worker are ended. */
  refuseWrites(refused: boolean): Promise<void>;
  /** Asks the worker, as the api does, for something to be done with a coin, the first one by itself; the action's id. */
  ask(kind: string, payload: object, symbol?: string): Promise<string>;
  /** Tells the worker what the api would. */
  tell(kind: 'halts-changed' | 'profiles-changed'): Promise<void>;
  /** From now on nothing trades any more, so that both sides can be compared. */
  stopMarket(): Promise<void>;
}

interface StageSettings {
  readonly theatre: Theatre;
  readonly trail: Trail;
  /** Of market. */
  readonly hours?: number;
  /** How many times as slowly as on a free machine (pace.ts). */
  readonly pace?: number;
}

export async function openStage(schedule: Schedule, settings: StageSettings): Promise<Stage> {
  const { coins, seed, thirdAssetFees } = schedule;
  const { theatre, trail, hours = HOURS, pace = 1 } = settings;
  const { url, database, cache } = theatre;
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
  const market = stack.use(moveMarket(paper.venue, pace));
  const owner = await seedTrader(database, schedule);
  const worker = stack.use(openSeat({ databaseUrl: url, paperUrl: paper.url, trail, pace }));
  const control: Stage['control'] = async (method, path, body) => {
    // A connection for each request: one that is kept may be closed by the other side while it is about to be used.
    const sent = JSON.stringify(body) ?? null;
    const reply = await sendRequest(`${paper.controlUrl}${path}`, {
      ...{ method, headers: paper.controlHeaders, body: sent, reset: true },
    });
    const answer = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`${method} ${path} answered ${reply.statusCode}: ${answer}`);
  };
  trail.probe = () => stateOf(database);
  const noPrice = { match: PRICES, kind: 'fail-before', status: 500, times: 1_000 } as const;
  if (thirdAssetFees) await control('POST', '/faults', [noPrice]);
  const asked: string[] = [];
  const dropConnections = async (): Promise<void> =>
    void (await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
         and application_name in ('tradewind-worker', 'tradewind-trading', 'tradewind-queue', 'tradewind-listen')`,
    ));
  const kept = stack.move();
  return {
    ...{ paper, database, cache, worker, control, ...owner, folder, asked, dropConnections },
    symbols: coins.map(({ symbol }) => symbol),
    async refuseWrites(refused) {
      await theatre.refuseWrites(refused);
      await dropConnections();
    },
    addFault: (fault) => control('POST', '/faults', [{ ...fault, delayMs: (fault.delayMs ?? 0) * pace }]),
    async ask(kind, payload, symbol = coins[0]?.symbol ?? '') {
      const { accountId, profileId, userId: requestedBy } = owner;
      const wish = { accountId, profileId, symbol, kind, payload, requestedBy };
      asked.push(kind);
      const validSeconds = ASKED_FOR_SECONDS * pace;
      return (await database.transaction((open) => requestAction(open, { ...wish, validSeconds }))).id;
    },
    tell: (kind) => cache.publish(COMMAND_CHANNEL, JSON.stringify({ kind })),
    stopMarket: async () => market[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The market moves as fast as the machine can follow: on a busy one it is slower instead of a blur. */
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

/** What PostgreSQL does for a run, and its orders. */
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
  { coins, amount, guarded }: Schedule,
): Promise<Pick<Stage, 'accountId' | 'profileId'> & { readonly userId: UserId }> {
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
  const config = JSON.stringify({ ...(guarded ? LIVELY : UNGUARDED), buy });
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
