// Speed of a strategy file against the same rules as code of this repository, in the same process: npm run bench
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { answersOf } from '#authoring/answers.ts';
import { type KernelRun, runKernel } from '#backtest/kernel.ts';
import { openKernel } from '#backtest/run.ts';
import { searchAll } from '#backtest/sweep/search.ts';
import { requireDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import { createRsi } from '#core/indicators/rsi.ts';
import type { TickView } from '#core/judge/view.ts';
import { listingOf } from '#paper/market/listings.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import type { BoundStrategy, Grid, StrategyInstance } from '#strategies/strategy.ts';
import { snapDown } from '#strategies/ticks.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { ownStrategy } from '#authoring/own-strategy.ts';
import { loadVersion } from '#worker/strategy/version.ts';
import { SweepThreads } from '#worker/sweep-threads.ts';
import { benchMinutes } from './market.ts';
import { report } from './report.ts';

const ROWS = 1_000_000;
const [WARM_UP, ROUNDS] = [5, 11];
const [LENGTH, BUY_BELOW, SELL_ABOVE, STOP_BELOW] = [14, 30, 55, 0.05];
const CONFIG = {
  ...{ candleInterval: '1m', entrySizing: { mode: 'fixed', amount: '100' }, lossCooldownMinutes: 0 },
};

const text = readFileSync(join(ROOT, 'authoring/examples/rsi-reversion.ts'), 'utf8');
const loaded = loadVersion('rsi-reversion.ts', text);
assert.ok(loaded.kind === 'version');
const { host, entry, exit } = answersOf(loaded.version.description);

/** The rules of the file by hand: the same indicator, decisions and stop, without the adapter and the context. */
function byHand({ tick }: Grid): StrategyInstance {
  const size = toNumber(tick);
  const rsi = createRsi(LENGTH);
  let [stop, cycle, lastOpenMs, actionMs] = [0, -1, -1, -1];
  let [wasReady, isReady] = [false, false];
  const raise = (view: TickView, price: number): void => {
    if (view.cycle !== cycle) [cycle, stop] = [view.cycle, 0];
    stop = Math.max(stop, snapDown((price * (1 - STOP_BELOW)) / size));
  };
  return {
    onCandle(candle, view) {
      lastOpenMs = candle.openMs;
      wasReady = isReady;
      rsi.push(candle.close);
      isReady = rsi.ready;
      if (view.sellable) raise(view, view.avgTicks * size);
    },
    onFill(side, view) {
      actionMs = lastOpenMs;
      if (side === 'buy' && view.sellable) raise(view, view.avgTicks * size);
    },
    decide(view) {
      if (view.sellable) {
        if (view.exitOrderOpen) return host['hold-exit-order-open'];
        if (view.price <= stop) return host['stop-reached'];
        if (actionMs === lastOpenMs) return host['hold-until-candle'];
        return exit(rsi.value > SELL_ABOVE ? 0 : 1, view) ?? host['hold-until-candle'];
      }
      if (view.entryOrderOpen) return host['order-entry-open'];
      if (!wasReady) return host['entry-history-short'];
      if (rsi.value >= BUY_BELOW) return entry(0, view.target);
      return actionMs === lastOpenMs ? host['entry-already-this-candle'] : entry(1, view.target);
    },
    explain: () => ({}),
    stopTicks: (view) => (view.sellable ? stop : 0),
    stopReason: () => 'stop-reached',
    plan: () => [],
    state: () => ({}),
  };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function timed(work: () => KernelRun): { ms: number; result: KernelRun } {
  const started = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(started);
  return { ms: (user + system) / 1000, result };
}

const bound = ownStrategy(loaded.version).bind(CONFIG);
const candles = benchMinutes(ROWS);
const { rules } = listingOf('BTCUSDT', 60_000);
const terms = { balance: requireDecimal('10000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
function kernelOf(each: BoundStrategy) {
  const opened = openKernel({ bound: each, rules, terms, candles });
  assert.ok(opened.kind === 'kernel');
  return opened.kernel;
}
const [fileKernel, handKernel] = [kernelOf(bound), kernelOf({ ...bound, create: byHand })];
const times: { file: number; hand: number }[] = [];
let fills = 0;
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const file = timed(() => runKernel(fileKernel));
  const hand = timed(() => runKernel(handKernel));
  fills = file.result.book.fills.length;
  assert.equal(hand.result.book.fills.length, fills, 'both trade alike');
  assert.equal(hand.result.meter.last, file.result.meter.last, 'both end with the same money');
  if (round >= WARM_UP) times.push({ file: file.ms, hand: hand.ms });
}
const rate = (ms: number): string => `${(ROWS / ms / 1000).toFixed(1)} M candles/s`;
console.log(
  `strategy file rsi-reversion: ${ROWS} candles, ${fills} fills, ${rate(median(times.map(({ file }) => file)))}; ` +
    `the same rules by hand ${rate(median(times.map(({ hand }) => hand)))}; ` +
    `ratio ${median(times.map(({ file, hand }) => hand / file)).toFixed(2)}`,
);
const rates = (of: 'file' | 'hand') => times.map((each) => ROWS / each[of] / 1000);
report({
  ...{ id: 'own.file', what: 'the strategy file `rsi-reversion` over 1,000,000 candles, run alone, processor time' },
  ...{ unit: 'M candles/s', values: rates('file'), floor: { name: 'the same rules by hand', values: rates('hand') } },
});

// A sweep of the file through the threads that the command uses, on one and on all of them.
const SWEPT_ROWS = 100_000;
const SWEEPS = 5;
const strategy = ownStrategy(loaded.version);
const made = candidatesOf(strategy, strategy.config.parse(CONFIG), {
  knobs: 'settings.buyBelow=20..35:1;settings.sellAbove=50..65:5',
  draw: undefined,
});
assert.ok(made.kind === 'ok');
const { candidates: sets } = made.value;
const { bound: _, ...base } = { ...kernelOf(bound), end: SWEPT_ROWS };
const file = { name: 'rsi-reversion.ts', text };
const poolOf = (threads: number): SweepThreads =>
  new SweepThreads({ base, strategyName: strategy.name, file }, { threads });
/** Ms of a sweep, and of processor time over all its threads: other work on the machine costs the first, not the second. */
async function sweep(pool: SweepThreads): Promise<{ readonly ms: number; readonly cpuMs: number }> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  await searchAll(pool.evaluate, sets, { start: base.start, end: base.end });
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - startedMs, cpuMs: (user + system) / 1000 };
}
const setRate = (ms: readonly number[]): string =>
  `${((SWEPT_ROWS * sets.length) / median(ms) / 1000).toFixed(1)} M candle-sets/s`;
console.log(`sweep of that file: ${sets.length} sets, ${SWEPT_ROWS} candles`);
for (const threads of [1, availableParallelism()]) {
  await using pool = poolOf(threads);
  await sweep(pool);
  const swept = [];
  for (let round = 0; round < SWEEPS; round++) swept.push(await sweep(pool));
  console.log(
    `  ${threads} thread${threads === 1 ? '' : 's'}: ${setRate(swept.map(({ ms }) => ms))}; ` +
      `of each processor used ${setRate(swept.map(({ cpuMs }) => cpuMs))}`,
  );
  report({
    id: `own.sweep-${threads}`,
    what: `a sweep of that file on ${threads === 1 ? 'one thread' : `${threads} threads`}, each second of processor time`,
    unit: 'M candle-sets/s',
    values: swept.map(({ cpuMs }) => (SWEPT_ROWS * sets.length) / cpuMs / 1000),
  });
}
