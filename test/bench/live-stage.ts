import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openApi } from '#api/boot.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { signUp } from '#api/contract/session.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { requireDecimal, toNumber, toSteps } from '#core/amount/decimal.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { playTrade } from '#paper/exchange/matching.ts';
import { advanceTo } from '#paper/exchange/market-loop.ts';
import { startPaper } from '#paper/server.ts';
import { control } from '#test/paper/test-server.ts';
import { commit, activate, type Venue } from '#paper/exchange/venue.ts';
import type { Database } from '#storage/postgres/database.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { openRelay, type Watch } from '#test/harness/test-outage.ts';
import { type ApiClient, createClient } from '#test/flow/client.ts';
import { UNGUARDED } from '#test/flow/profile.ts';
import { until } from '#test/flow/until.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { benchMinutes } from './market.ts';
import { temporaryFolder } from './program.ts';

/** The low of the candles before the start: a coin that trades there is bought. */
export const LOW = '30000.00000000';
/** Where all coins trade meanwhile: neither bought nor sold. */
export const REST = '30150.00000000';
const KEYS = [
  { name: 'ours', apiKey: 'bench-key-of-the-worker', secret: 'bench-secret-of-the-worker' },
  { name: 'bare', apiKey: 'bench-key-of-the-floor', secret: 'bench-secret-of-the-floor' },
] as const;
const START_MS = Date.UTC(2026, 0, 1);
const [HISTORY, FUTURE] = [60, 30];
const PER_PROFILE = 100;

/** The worker as a process of its own, all of it, on an exchange whose prices this process makes. */
export interface LiveStage extends AsyncDisposable {
  readonly symbols: readonly string[];
  readonly bareSymbols: readonly string[];
  readonly profiles: readonly ProfileId[];
  readonly database: Database;
  readonly cache: CacheStore;
  readonly api: ApiClient;
  readonly workerPid: number;
  readonly barePid: number;
  /** Looks at all pieces between each of the two and the exchange. */
  watch: { ours: Watch; bare: Watch };
  trade(symbol: string, price: string): void;
  /** Plays a minute of market: every coin's candle closes, so long after the minute's last prices; 0: all in one instant. */
  closeCandles(gapMs: number): Promise<void>;
  control(path: string, body: unknown): Promise<void>;
}

/** Candles with a low of LOW before the start, and none after. */
function writeCandles(symbols: readonly string[]): string {
  const folder = temporaryFolder();
  const rows = Array.from({ length: HISTORY + FUTURE }, (_, row) => {
    const low = row < HISTORY ? 30_000 : 30_149;
    return `${START_MS + (row - HISTORY) * 60_000},30150,30151,${low},30150,100`;
  });
  const text = `openTime,open,high,low,close,volume\n${rows.join('\n')}\n`;
  for (const symbol of symbols) writeFileSync(join(folder, `${symbol}-1m.csv`), text);
  return folder;
}

/** A year of minutes of one coin, for sweeps. */
function writeMinutes(symbol: string): string {
  const folder = temporaryFolder();
  const { interval, columns } = benchMinutes(366 * 1440);
  new CandleStore(join(folder, 'paper')).add(symbol, interval, columns);
  return folder;
}

export async function openLiveStage(coins: number): Promise<LiveStage> {
  await using stack = new AsyncDisposableStack();
  const symbols = Array.from({ length: coins }, (_, index) => `C${index}USDT`);
  const bareSymbols = Array.from({ length: 10 }, (_, index) => `B${index}USDT`);
  const test = stack.use(await openTestDatabase());
  const paper = stack.use(
    await startPaper({
      source: { kind: 'replay', folder: writeCandles([...symbols, ...bareSymbols]) },
      fromMs: START_MS,
      clock: { kind: 'virtual', startMs: START_MS },
      ...{ speed: 1, port: 0, controlPort: 0 },
      accounts: parseAccounts(
        KEYS.map((key) => ({ ...key, balances: { USDT: '1000000000' } })),
        'The accounts',
      ),
    }),
  );
  const watch: LiveStage['watch'] = { ours: () => undefined, bare: () => undefined };
  const ours = stack.use(await openRelay(new URL(paper.url), (...seen) => watch.ours(...seen)));
  const bare = stack.use(await openRelay(new URL(paper.url), (...seen) => watch.bare(...seen)));
  const [key, bareKey] = KEYS;
  const variables = {
    ...{ DATABASE_URL: test.url, PAPER_URL: ours.url, PORT: '0', WORKER_SLOT: 'bench', LOG_LEVEL: 'info' },
    ...{ PAPER_API_KEY: key.apiKey, PAPER_API_SECRET: key.secret, CANDLE_DIR: writeMinutes(symbols[0] ?? '') },
  };
  const served = stack.use(await openApi({ ...parseEnvironment(variables), LOG_LEVEL: 'silent' }));
  const api = createClient(`http://127.0.0.1:${served.port}/api`);
  await api.call(signUp, { body: { email: 'a@example.org', password: 'a long enough password' } });
  const [account] = (await api.call(listAccounts, {})).accounts;
  if (account === undefined) throw new Error('Signing up made no account.');
  const profiles = await seedProfiles(test.database, account.id, symbols);
  const cache = stack.use(await openCache({ databaseUrl: test.url }));
  const profiled = process.env['BENCH_PROFILE'];
  const flags = profiled === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiled}`];
  const workerPid = startProgram(stack, [...flags, 'worker/main.ts'], variables).pid;
  const wanted = { own: bareSymbols, followed: symbols, price: LOW, key: bareKey, database: test.url };
  const urls = { ws: bare.url.replace(/^http/, 'ws').replace(/\/$/, ''), rest: bare.url.replace(/\/$/, '') };
  const floor = startProgram(stack, ['test/bench/bare-trader.ts', JSON.stringify({ ...urls, ...wanted })]);
  await until('the bare program', () => floor.said().includes('ready'));
  const trade = (symbol: string, price: string): void => {
    const market = activate(paper.venue, symbol);
    if (market === undefined) throw new Error(`${symbol} is not listed.`);
    const ticks = Math.round(toSteps(requireDecimal(price), market.listing.rules.price.tick));
    const takerBuys = toNumber(requireDecimal(price)) >= 30_150;
    const atMs = paper.venue.clock.nowMs();
    playTrade(paper.venue.engine, symbol, { atMs, ticks, lots: 1_000, takerBuys, injected: true });
    commit(paper.venue, atMs);
  };
  for (const symbol of [...symbols, ...bareSymbols]) trade(symbol, REST);
  await until('every coin to tick', async () => {
    for (const symbol of symbols) trade(symbol, REST);
    const states = await Promise.all(profiles.map((id) => cache.list(cacheKeys.coinStates(id))));
    return states.reduce((sum, { size }) => sum + size, 0) === coins;
  });
  const kept = stack.move();
  return {
    ...{ symbols, bareSymbols, profiles, database: test.database, cache, api, workerPid, watch, trade },
    barePid: floor.pid,
    closeCandles: (gapMs) => closeCandles(paper.venue, gapMs),
    async control(path, body) {
      await control(paper, `POST ${path}`, body);
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function closeCandles(venue: Venue, gapMs: number): Promise<void> {
  const closeMs = venue.clock.nowMs() + 60_000;
  if (gapMs > 0) await advanceTo(venue, closeMs - 1);
  await delay(gapMs);
  await advanceTo(venue, closeMs);
}

async function seedProfiles(
  { kysely }: Database,
  accountId: AccountId,
  symbols: readonly string[],
): Promise<ProfileId[]> {
  const ids: ProfileId[] = [];
  for (let first = 0; first < symbols.length; first += PER_PROFILE) {
    const id = newId<ProfileId>();
    const row = { id, account_id: accountId, name: `From ${first}`, strategy_name: 'trailing-trade', enabled: true };
    await kysely
      .insertInto('profiles')
      .values({ ...row, config: JSON.stringify(UNGUARDED) })
      .execute();
    const bound = symbols.slice(first, first + PER_PROFILE).map((symbol) => ({ profile_id: id, symbol }));
    await kysely.insertInto('profile_symbols').values(bound).execute();
    ids.push(id);
  }
  return ids;
}

interface Started {
  readonly pid: number;
  readonly said: () => string;
}

function startProgram(
  stack: AsyncDisposableStack,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Started {
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  // Read and thrown away but for the beginning, as what follows a real worker's log would.
  child.stdout.on('data', (chunk) => (text += text.length < 1_000 ? String(chunk) : ''));
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return { pid: child.pid ?? 0, said: () => text };
}

/** CPU time of a process so far in ms, and its memory in MB. */
export function usageOf(pid: number): { readonly cpuMs: number; readonly rssMb: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuMs: ticks * 10, rssMb: Number(rss) / 1024 };
}
