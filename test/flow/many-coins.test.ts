import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { startProfile, UNGUARDED } from './profile.ts';
import { openStack } from './stack.ts';
import { until } from './until.ts';

/** MANY_COINS=1000 takes minutes: the exchange takes ten orders a second. */
const COUNT = Number(process.env['MANY_COINS'] ?? 150);
const COINS = Array.from({ length: COUNT }, (_, index) => `C${index}USDT`);
const PER_PROFILE = 100;
const LIMIT_MS = 120_000 + COUNT * 1_000;
/** Buys at almost any price, for little more than an order must be worth. */
const EAGER = {
  ...UNGUARDED,
  buy: {
    ...UNGUARDED.buy,
    entrySizing: { mode: 'fixed', amount: '8' },
    gridLevels: [{ triggerPercentage: '1.05' }],
  },
};
/** One percent of all reads, for as long as the exchange runs. */
const FAILING = [
  { match: { method: 'GET' }, every: 100, times: 1_000_000, kind: 'fail-before', status: 500, body: {} },
];

test(`${COUNT} coins start and trade while one percent of all reads fail`, { timeout: 2 * LIMIT_MS }, async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-many-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [seed, symbol] of COINS.entries()) writeSwingingCandles(folder, 300, { symbol, seed });
  const source = { kind: 'replay', folder } as const;
  const faults: string[] = [];
  const onWarning = (line: string): void => void (line.includes('"account_fault"') && faults.push(line));
  const stack = resources.use(await openStack({ source, fromMs: MARKET_START + 7_200_000, onWarning }));
  await stack.stopWorker();
  for (let first = 0; first < COUNT; first += PER_PROFILE)
    await startProfile(stack, COINS.slice(first, first + PER_PROFILE), { config: EAGER, name: `From ${first}` });
  const reply = await fetch(`${stack.paper.controlUrl}/faults`, {
    ...{ method: 'POST', headers: stack.paper.controlHeaders },
    body: JSON.stringify(FAILING),
  });
  assert.equal(reply.status, 200);
  await stack.startWorker();
  let bought = 0;
  await until(
    'every coin to buy',
    async () => {
      const rows = await stack.database.kysely.selectFrom('fills').select('symbol').distinct().execute();
      bought = rows.length;
      return bought === COUNT;
    },
    LIMIT_MS,
  ).catch((error: unknown) => {
    throw new Error(`${bought} of ${COUNT} coins have bought; account faults: ${faults.length}`, { cause: error });
  });
});
