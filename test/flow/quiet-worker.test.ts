import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { startProfile } from './profile.ts';
import { openStack } from './stack.ts';
import { until } from './until.ts';

const COINS = Array.from({ length: 20 }, (_, index) => `C${index}USDT`);
/** A lease is renewed every 2 s; counting by renewals instead of seconds also holds on a slow machine. */
const RENEWALS = 10;
const MOST_PER_RENEWAL = 20;
const LIMIT_MS = 120_000;
const RENEWAL = /update "account_leases"/;

/** Counts the statements of this process, worker and api, until disposed. */
function countStatements() {
  const counts = new Map<string, number>();
  const prototype: { query: (...args: unknown[]) => unknown } = pg.Client.prototype;
  const { query } = prototype;
  prototype.query = function counted(this: unknown, ...args: unknown[]): unknown {
    const [first] = args;
    const found = typeof first === 'string' ? first : Object(first).text;
    const text = String(found).trim().slice(0, 80);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return query.apply(this, args);
  };
  const of = (wanted: RegExp): number =>
    [...counts].filter(([text]) => wanted.test(text)).reduce((sum, [, count]) => sum + count, 0);
  return { counts, of, [Symbol.dispose]: () => void (prototype.query = query) };
}

test('20 coins without a browser cost the database at most ten statements a second', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-quiet-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [seed, symbol] of COINS.entries()) writeSwingingCandles(folder, 24 * 60, { symbol, seed });
  const stack = resources.use(
    await openStack({ source: { kind: 'replay', folder }, fromMs: MARKET_START + 7_200_000 }),
  );
  await startProfile(stack, COINS, { config: { buy: { enabled: false } } });
  const states = "select count(*)::int as count from cache_entries where key like 'coin-state:%'";
  await until(
    'every coin to run',
    async () => (await stack.database.pool.query<{ count: number }>(states)).rows[0]?.count === COINS.length,
    LIMIT_MS,
  );
  using statements = countStatements();
  await until('ten renewals of the lease', () => statements.of(RENEWAL) >= RENEWALS, LIMIT_MS);
  const [all, renewals] = [statements.of(/./), statements.of(RENEWAL)];
  const most = [...statements.counts].toSorted((a, b) => b[1] - a[1]).slice(0, 20);
  assert.ok(all <= renewals * MOST_PER_RENEWAL, `${all} statements in ${renewals} renewals: ${JSON.stringify(most)}`);
});
