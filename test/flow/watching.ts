import assert from 'node:assert/strict';
import { bindCoin, createProfile, readCoin, setAverageEntryPrice } from '#api/contract/profiles.ts';
import { cachedWallet, cacheKeys } from '#core/installation/cache-keys.ts';
import type { ProfileId } from '#core/ids.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import { control as askControl } from '#test/paper/test-server.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openQueue, type Queue } from '#storage/jobs/queue.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

/** A stack whose profile only watches, so that nothing but the operator and the sweeps moves a position. */
interface Flow {
  readonly stack: Stack;
  readonly queue: Queue;
  readonly cache: CacheStore;
  readonly profileId: ProfileId;
}
let opened: Flow | undefined;
export const flow = (): Flow => {
  assert.ok(opened !== undefined);
  return opened;
};

export async function openWatching(): Promise<void> {
  const stack = await openStack({ source: { kind: 'synthetic' } });
  const databaseUrl = stack.database.pool.options.connectionString ?? '';
  const body = { accountId: stack.accountId, name: 'Watch', strategyName: 'hold', enabled: true };
  const { profile } = await stack.call(createProfile, { body: { ...body, config: {}, symbols: ['BTCUSDT'] } });
  const log = { warn: () => undefined, error: () => undefined };
  const queue = await openQueue(databaseUrl, { log, works: false });
  opened = { stack, queue, cache: await openCache({ databaseUrl }), profileId: profile.id };
  await until('the first tick', async () => (await coinOf('BTCUSDT')).state !== null);
}

export async function closeWatching(): Promise<void> {
  await opened?.queue[Symbol.asyncDispose]();
  await opened?.cache[Symbol.asyncDispose]();
  await opened?.stack[Symbol.asyncDispose]();
}

export const paramsOf = (symbol: string) => ({ id: flow().profileId, symbol });
export const coinOf = async (symbol: string) => (await flow().stack.call(readCoin, { params: paramsOf(symbol) })).coin;

export async function control(path: string, body: unknown = {}): Promise<void> {
  await askControl(flow().stack.paper, `POST ${path}`, body);
}

/** Sets the balances of the wallet; the worker reads them again when its stream reconnects. */
export async function hold(balances: Readonly<Record<string, string>>): Promise<void> {
  const { cache, stack } = flow();
  await control('/balances', { account: 'a', balances });
  await control('/streams/drop');
  await until('the snapshot', async () => {
    const text = await cache.get(cacheKeys.wallet(stack.accountId));
    if (text === undefined) return false;
    const wallet = cachedWallet.parse(JSON.parse(text));
    return Object.entries(balances).every(
      ([asset, free]) => Number(wallet.balances[asset]?.free ?? 0) === Number(free),
    );
  });
}

export async function ended(jobId: string | undefined): Promise<void> {
  assert.ok(jobId !== undefined);
  const { pool } = flow().stack.database;
  const state = async () => {
    const found = await pool.query<{ state: string }>('select state from pgboss.job where id = $1', [jobId]);
    return found.rows[0]?.state ?? '';
  };
  await until(`job ${jobId} to end`, async () => ['completed', 'failed'].includes(await state()));
  assert.equal(await state(), 'completed');
}

export const setPrice = async (symbol: string, averageEntryPrice: string): Promise<void> =>
  ended(
    (await flow().stack.call(setAverageEntryPrice, { params: paramsOf(symbol), body: { averageEntryPrice } })).jobId,
  );
export const sweep = async (): Promise<void> =>
  ended(await flow().queue.enqueue('reconcile-positions', { accountId: flow().stack.accountId }));

export const add = (symbol: string, averageEntryPrice?: string) =>
  flow().stack.call(bindCoin, {
    params: { id: flow().profileId },
    body: { symbol, ...(averageEntryPrice === undefined ? {} : { averageEntryPrice }) },
  });
/** The average entry price that the strategy received at the last tick: the level that it shows as cost. */
export const costLine = async (symbol: string): Promise<string | undefined> =>
  (await coinOf(symbol)).state?.plan.find(({ name }) => name === 'cost')?.price;
export const ready = (symbol: string) =>
  until(`price and tick of ${symbol}`, async () => {
    const { price, state } = await coinOf(symbol);
    return price !== null && state !== null;
  });
export const row = async (symbol: string) => (await coinOf(symbol)).costBasis;
