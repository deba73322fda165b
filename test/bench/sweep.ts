// Speed of a sweep through the threads that the command uses, against a bare loop over the same averages: npm run bench
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { KernelInput } from '#backtest/kernel.ts';
import { evaluate } from '#backtest/sweep/row.ts';
import { rankTried, searchAll } from '#backtest/sweep/search.ts';
import { requireDecimal, ZERO } from '#core/decimal.ts';
import { listingOf } from '#paper/market/listings.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { SweepThreads } from '#worker/sweep-threads.ts';
import { benchMinutes } from './market.ts';

const ROWS = 525_600;
const ROUNDS = 3;
/** Sets that warm one thread up. */
const WARM = 200;
const KNOBS = 'ema.fast=5..50:5;ema.slow=60..240:20;trailingStopPercentage=0.9..0.99:0.01';

const strategy = STRATEGIES.get('momentum');
assert.ok(strategy);
const series = benchMinutes(ROWS);
const window = { start: 0, end: ROWS };
const base: Omit<KernelInput, 'bound'> = {
  rules: listingOf('BTCUSDT', 60_000).rules,
  terms: { balance: requireDecimal('10000'), feeRate: requireDecimal('0.001'), slippage: ZERO },
  signal: series,
  detail: series,
  ...window,
};
const made = candidatesOf(strategy, strategy.config.parse({ candleInterval: '1m' }), { knobs: KNOBS, draw: undefined });
assert.ok(made.kind === 'ok');
const { candidates } = made.value;

const sharedCloses = new Float64Array(new SharedArrayBuffer(series.columns.close.byteLength));
sharedCloses.set(series.columns.close);

/** Milliseconds that so many threads take for the bare loop over a hundred sets each. */
async function bare(threads: number): Promise<number> {
  const pairs = candidates.slice(0, 100).map(({ values }) => values);
  const workers = Array.from(
    { length: threads },
    () => new Worker(new URL('./bare-crosses.ts', import.meta.url), { workerData: { closes: sharedCloses } }),
  );
  const all = (some: typeof pairs): Promise<unknown> =>
    Promise.all(
      workers.map(async (worker) => {
        worker.postMessage(some);
        const [crosses] = (await once(worker, 'message')) as [number];
        assert.ok(crosses > 0);
      }),
    );
  await all(pairs.slice(0, 10));
  const startedMs = performance.now();
  await all(pairs);
  const ms = performance.now() - startedMs;
  await Promise.all(workers.map((worker) => worker.terminate()));
  return ms;
}

/** Every thread compiles by itself, a tenth of a second of work: what is measured begins once each has done as many sets. */
async function warmPool(threads: number) {
  const pool = new SweepThreads({ base, strategyName: 'momentum' }, { threads });
  const [first] = await searchAll(pool.evaluate, candidates.slice(0, WARM * threads), window);
  return { pool, first };
}

/** Milliseconds of two sweeps at once that share nothing, a thread each: what the cores of this machine leave each other. */
async function apart(): Promise<number> {
  const pools = [(await warmPool(1)).pool, (await warmPool(1)).pool];
  const startedMs = performance.now();
  await Promise.all(pools.map((pool) => searchAll(pool.evaluate, candidates, window)));
  const ms = performance.now() - startedMs;
  await Promise.all(pools.map((pool) => pool[Symbol.asyncDispose]()));
  return ms;
}

async function sweep(threads: number): Promise<{ ms: number; searchMs: number; fingerprint: string; fills: number }> {
  const { pool: warm, first } = await warmPool(threads);
  await using pool = warm;
  const bound = strategy?.bind(candidates[0]?.config);
  assert.ok(bound !== undefined);
  assert.deepEqual(
    first?.evaluated.numbers.finalEquity,
    evaluate({ ...base, bound }).numbers.finalEquity,
    'as the kernel',
  );
  const startedMs = performance.now();
  const tried = await searchAll(pool.evaluate, candidates, window);
  const searchMs = performance.now() - startedMs;
  const { rows, fingerprint } = rankTried(tried, { rank: 'sharpe', top: candidates.length });
  const ms = performance.now() - startedMs;
  return { ms, searchMs, fingerprint, fills: rows.reduce((sum, { fills }) => sum + fills, 0) };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const megabytes = (): string => (process.resourceUsage().maxRSS / 1024).toFixed(0);
const work = ROWS * candidates.length;
const first = await sweep(2);
console.log(`momentum: ${candidates.length} sets, ${ROWS} one-minute candles, ${first.fills} fills, ranked`);
console.log(`  memory       ${megabytes()} MB at its peak, over all threads of one sweep`);
const times: { one: number; two: number; bare: number; apart: number; share: number; bareShare: number }[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const one = await sweep(1);
  const two = await sweep(2);
  assert.equal(one.fingerprint, first.fingerprint, 'the same on one thread and on two');
  assert.equal(two.fingerprint, first.fingerprint, 'the same each time');
  const [bareOne, bareTwo] = [await bare(1), await bare(2)];
  const bareMs = (bareOne * candidates.length) / 100;
  const shares = { apart: one.searchMs / (await apart()), share: one.ms / two.ms / 2, bareShare: bareOne / bareTwo };
  times.push({ one: one.ms, two: two.ms, bare: bareMs, ...shares });
}
const rate = (ms: number): string => `${(work / ms / 1000).toFixed(0)} M candle-sets/s`;
for (const what of ['one', 'two', 'bare'] as const) {
  const ratio = median(times.map((each) => each[what] / each.bare));
  const name = { one: 'one thread ', two: 'two threads', bare: 'bare loop  ' }[what];
  console.log(`  ${name}  ${rate(median(times.map((each) => each[what])))}, ${ratio.toFixed(2)} times the bare loop`);
}
const shareOf = (what: 'share' | 'apart' | 'bareShare'): string => median(times.map((each) => each[what])).toFixed(2);
console.log(
  `  two threads make ${shareOf('share')} of twice one thread, two sweeps apart ${shareOf('apart')}, two bare loops ${shareOf('bareShare')}`,
);

// The same year from the command line, as an operator starts it: process, candles of the data directory, sweep, answer.
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
new CandleStore(folder).add('BTCUSDT', '1m', series.columns);
const command = resolve(import.meta.dirname, '..', '..', 'cli', 'tradewind.js');
const flags = ['--candles', folder, '--symbol', 'BTCUSDT', '--strategy', 'momentum', '--knobs', KNOBS, '--json'];
const seconds = Array.from({ length: 5 }, () => {
  const startedMs = performance.now();
  const answer = execFileSync(process.execPath, [command, 'sweep', ...flags], { encoding: 'utf8' });
  assert.equal((JSON.parse(answer) as { evaluated: number }).evaluated, candidates.length);
  return (performance.now() - startedMs) / 1000;
});
rmSync(folder, { recursive: true });
console.log(
  `  tradewind sweep ${median(seconds).toFixed(2)} s from start to end, ${Math.max(...seconds).toFixed(2)} s at most of ${seconds.length}`,
);
