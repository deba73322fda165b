// Speed of a sweep through the threads that the command uses, against a bare loop over the same averages: npm run bench
import assert from 'node:assert/strict';
import type { KernelInput } from '#backtest/kernel.ts';
import { evaluate } from '#backtest/sweep/row.ts';
import { rankTried, searchAll } from '#backtest/sweep/search.ts';
import { requireDecimal, ZERO } from '#core/decimal.ts';
import { listingOf } from '#paper/market/listings.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { SweepThreads } from '#worker/sweep-threads.ts';
import { benchMinutes } from './market.ts';

const ROWS = 525_600;
const ROUNDS = 3;
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

/** Crosses of two averages, counted: what is left when everything but the candles and the periods is taken away. */
function bareCrosses([fast, slow]: readonly (string | number)[]): number {
  const { close } = series.columns;
  const [a, b] = [2 / (Number(fast) + 1), 2 / (Number(slow) + 1)];
  let [x, y, above, crosses] = [close[0] ?? 0, close[0] ?? 0, false, 0];
  for (let row = 1; row < ROWS; row++) {
    const price = close[row] ?? 0;
    x += a * (price - x);
    y += b * (price - y);
    if (x > y && !above) crosses += 1;
    above = x > y;
  }
  return crosses;
}

async function sweep(threads: number): Promise<{ ms: number; fingerprint: string; fills: number }> {
  await using pool = new SweepThreads({ base, strategyName: 'momentum' }, { threads });
  // The threads are up and their code is compiled once they have answered.
  const [first] = await searchAll(pool.evaluate, candidates.slice(0, 32), window);
  const bound = strategy?.bind(candidates[0]?.config);
  assert.ok(bound !== undefined);
  assert.deepEqual(
    first?.evaluated.numbers.finalEquity,
    evaluate({ ...base, bound }).numbers.finalEquity,
    'as the kernel',
  );
  const startedMs = performance.now();
  const { rows, fingerprint } = rankTried(await searchAll(pool.evaluate, candidates, window), {
    rank: 'sharpe',
    top: candidates.length,
  });
  const ms = performance.now() - startedMs;
  return { ms, fingerprint, fills: rows.reduce((sum, { fills }) => sum + fills, 0) };
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const work = ROWS * candidates.length;
const times: { one: number; two: number; bare: number }[] = [];
let fills = 0;
for (let round = 0; round < ROUNDS; round++) {
  const one = await sweep(1);
  const two = await sweep(2);
  assert.equal(one.fingerprint, two.fingerprint, 'the same on one thread and on two');
  fills = one.fills;
  const bareMs = performance.now();
  const some = candidates.slice(0, 100);
  for (const { values } of some) assert.ok(bareCrosses(values) > 0);
  times.push({ one: one.ms, two: two.ms, bare: ((performance.now() - bareMs) * candidates.length) / some.length });
}
const rate = (ms: number): string => `${(work / ms / 1000).toFixed(0)} M candle-sets/s`;
console.log(`momentum: ${candidates.length} sets, ${ROWS} one-minute candles, ${fills} fills, ranked`);
for (const what of ['one', 'two', 'bare'] as const) {
  const ratio = median(times.map((each) => each[what] / each.bare));
  const name = { one: 'one thread ', two: 'two threads', bare: 'bare loop  ' }[what];
  console.log(`  ${name}  ${rate(median(times.map((each) => each[what])))}, ${ratio.toFixed(2)} times the bare loop`);
}
console.log(
  `  two threads use ${median(times.map(({ one, two }) => one / two / 2)).toFixed(2)} of what twice one thread is`,
);
console.log(`  memory       ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB at its peak, over all threads`);
