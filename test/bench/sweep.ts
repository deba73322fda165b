// Speed of a sweep through the threads that the command uses, against a bare loop over the same averages: npm run bench
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { KernelInput } from '#backtest/run-state.ts';
import { evaluate } from '#backtest/sweep/row.ts';
import { rankTried, searchAll, type Tried } from '#backtest/sweep/search.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { listingOf } from '#paper/market/listings.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { SweepThreads } from '#worker/sweep-threads.ts';
import { benchMinutes } from './market.ts';
import { report } from './report.ts';

const ROWS = 525_600;
/** Every thread compiles alone, and the result differs by 6 %: so many pools of each kind take turns. */
const KITS = 3;
const ROUNDS = 4;
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

const bound = strategy.bind(candidates[0]?.config);
const byKernel = evaluate({ ...base, bound }).numbers.finalEquity;

const sharedCloses = new Float64Array(new SharedArrayBuffer(series.columns.close.byteLength));
sharedCloses.set(series.columns.close);

/** A thread of the bare loop, and milliseconds that some of them take for a hundred sets each. */
const bareThread = (): Worker =>
  new Worker(new URL('./bare-crosses.ts', import.meta.url), { workerData: { closes: sharedCloses } });
async function bare(threads: readonly Worker[], sets = 100): Promise<number> {
  const pairs = candidates.slice(0, sets).map(({ values }) => values);
  const startedMs = performance.now();
  await Promise.all(
    threads.map(async (worker) => {
      worker.postMessage(pairs);
      const [crosses] = (await once(worker, 'message')) as [number];
      assert.ok(crosses > 0);
    }),
  );
  return performance.now() - startedMs;
}

const poolOf = (threads: number): SweepThreads => new SweepThreads({ base, strategyName: 'momentum' }, { threads });

/** Ms of the search alone, without the ranking. */
async function search(pool: SweepThreads): Promise<{ readonly ms: number; readonly tried: readonly Tried[] }> {
  const startedMs = performance.now();
  const tried = await searchAll(pool.evaluate, candidates, window);
  return { ms: performance.now() - startedMs, tried };
}

interface Swept {
  readonly ms: number;
  readonly searchMs: number;
  readonly fingerprint: string;
  readonly fills: number;
}
async function sweep(pool: SweepThreads): Promise<Swept> {
  const startedMs = performance.now();
  const { ms: searchMs, tried } = await search(pool);
  const { rows, fingerprint } = rankTried(tried, { rank: 'sharpe', top: candidates.length });
  const ms = performance.now() - startedMs;
  assert.deepEqual(tried[0]?.evaluated.numbers.finalEquity, byKernel, 'as the kernel');
  return { ms, searchMs, fingerprint, fills: rows.reduce((sum, { fills }) => sum + fills, 0) };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const work = ROWS * candidates.length;
interface Kit {
  readonly one: SweepThreads;
  readonly other: SweepThreads;
  readonly two: SweepThreads;
  readonly ofOne: Swept[];
  readonly ofTwo: Swept[];
  readonly apartMs: number[];
}
const openKit = (two = poolOf(2)): Kit => ({
  ...{ one: poolOf(1), other: poolOf(1), two },
  ...{ ofOne: [], ofTwo: [], apartMs: [] },
});
/** Ms of two searches at once that share nothing, a thread each: what the cores of this machine leave each other. */
async function searchApart({ one, other }: Kit): Promise<number> {
  const startedMs = performance.now();
  await Promise.all([one, other].map(search));
  return performance.now() - startedMs;
}

const firstPool = poolOf(2);
const first = await sweep(firstPool);
console.log(`momentum: ${candidates.length} sets, ${ROWS} one-minute candles, ${first.fills} fills, ranked`);
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(`  memory       ${peakMb.toFixed(0)} MB at its peak, over all threads of one sweep`);
report({
  id: 'sweep.memory',
  what: 'memory of that sweep at its peak, over all threads',
  unit: 'MB',
  values: [peakMb],
});
const kits = Array.from({ length: KITS }, (_, i) => openKit(i === 0 ? firstPool : undefined));
const [bareOne, bareOther] = [bareThread(), bareThread()];
await bare([bareOne, bareOther], 10);
// Compiling is a tenth of a second of work: the measurement starts once each thread has done as many sets.
for (const { one, other, two } of kits) {
  await Promise.all([sweep(one), sweep(other)]);
  await sweep(two);
  await sweep(two);
}

const [bareAlone, bareBoth]: [number[], number[]] = [[], []];
const turnsOf = (kit: Kit): readonly (() => Promise<unknown>)[] => [
  async () => kit.ofOne.push(await sweep(kit.one)),
  async () => kit.ofTwo.push(await sweep(kit.two)),
  async () => kit.apartMs.push(await searchApart(kit)),
  async () => bareAlone.push(await bare([bareOne])),
  async () => bareBoth.push(await bare([bareOne, bareOther])),
];
// One order and then the other: a core that has just rested is slower for a while.
for (let round = 0; round < ROUNDS; round++)
  for (const kit of kits) for (const turn of round % 2 ? turnsOf(kit).toReversed() : turnsOf(kit)) await turn();
for (const { fingerprint } of kits.flatMap(({ ofOne, ofTwo }) => [...ofOne, ...ofTwo]))
  assert.equal(fingerprint, first.fingerprint, 'the same on one thread and on two, and each time');
await Promise.all(kits.flatMap(({ one, other, two }) => [one, other, two]).map((pool) => pool[Symbol.asyncDispose]()));
await Promise.all([bareOne, bareOther].map((worker) => worker.terminate()));
/** The mean over the pools of what is the median of each. */
const overKits = (of: (kit: Kit) => readonly number[]): number =>
  kits.reduce((sum, kit) => sum + median(of(kit)), 0) / KITS;
const rate = (ms: number): string => `${(work / ms / 1000).toFixed(0)} M candle-sets/s`;
const bareMs = (median(bareAlone) * candidates.length) / 100;
const times = {
  'one thread ': overKits(({ ofOne }) => ofOne.map(({ ms }) => ms)),
  'two threads': overKits(({ ofTwo }) => ofTwo.map(({ ms }) => ms)),
};
for (const [name, ms] of Object.entries({ ...times, 'bare loop  ': bareMs }))
  console.log(`  ${name}  ${rate(ms)}, ${(bareMs / ms).toFixed(2)} of the bare loop's`);
const share = times['one thread '] / times['two threads'] / 2;
const apartShare = overKits(({ ofOne }) => ofOne.map(({ searchMs }) => searchMs)) / overKits(({ apartMs }) => apartMs);
const bareShare = median(bareAlone) / median(bareBoth);
console.log(
  `  two threads make ${(share / apartShare).toFixed(2)} of what two searches that share nothing make, ${share.toFixed(2)} of twice one thread (the two searches ${apartShare.toFixed(2)}, two bare loops ${bareShare.toFixed(2)})`,
);

const sets = '1,000 sets of momentum over a year of minutes, ranked';
for (const [id, what, of] of [
  ['sweep.one', `${sets}, on one thread`, (kit: Kit) => kit.ofOne],
  ['sweep.two', `${sets}, on two threads`, (kit: Kit) => kit.ofTwo],
] as const)
  report({
    ...{ id, what, unit: 'M candle-sets/s' },
    values: kits.map((kit) => work / median(of(kit).map(({ ms }) => ms)) / 1000),
    floor: { name: 'what one thread of its bare loop makes', values: [work / bareMs / 1000] },
  });
report({
  ...{ id: 'sweep.share', what: 'two threads of that sweep, ranking included', unit: 'of twice one thread' },
  ...{ values: [share], floor: { name: 'what two searches make that share nothing', values: [apartShare] } },
});

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
report({
  ...{ id: 'sweep.command', what: '`tradewind sweep` with the same 1,000 sets, start and end included' },
  ...{ unit: 's', values: seconds },
});
