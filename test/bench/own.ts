// Speed of a strategy file against the same rules as code of this repository, in the same process: npm run bench
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answersOf } from '#authoring/answers.ts';
import { type KernelRun, runKernel } from '#backtest/kernel.ts';
import { openKernel } from '#backtest/run.ts';
import { requireDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import { createRsi } from '#core/indicators/rsi.ts';
import type { TickView } from '#core/judge/view.ts';
import { listingOf } from '#paper/market/listings.ts';
import type { BoundStrategy, Grid, StrategyInstance } from '#strategies/strategy.ts';
import { snapDown } from '#strategies/ticks.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { ownStrategy } from '#authoring/own-strategy.ts';
import { loadVersion } from '#worker/strategy/version.ts';
import { benchMinutes } from './market.ts';

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
