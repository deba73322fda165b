// Speed of a sweep in one thread against a bare loop over the same averages: npm run bench
import assert from 'node:assert/strict';
import type { KernelInput } from '#backtest/kernel.ts';
import { evaluate } from '#backtest/sweep/row.ts';
import { runMomentumLanes } from '#backtest/sweep/momentum-lanes.ts';
import { requireDecimal, ZERO } from '#core/decimal.ts';
import { listingOf } from '#paper/market/listings.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { benchMinutes } from './market.ts';

const ROWS = 525_600;
const ROUNDS = 5;

const strategy = STRATEGIES.get('momentum');
assert.ok(strategy);
const series = benchMinutes(ROWS);
const base: Omit<KernelInput, 'bound'> = {
  rules: listingOf('BTCUSDT', 60_000).rules,
  terms: { balance: requireDecimal('10000'), feeRate: requireDecimal('0.001'), slippage: ZERO },
  signal: series,
  detail: series,
  start: 0,
  end: ROWS,
};
const periods = Array.from({ length: 128 }, (_, i) => ({ fast: 5 + 2 * (i % 16), slow: 60 + 20 * Math.floor(i / 16) }));
const sets = periods.map((ema) => {
  const config = strategy.config.parse({ candleInterval: '1m', lossCooldownMinutes: 0, ema });
  return { config, bound: strategy.bind(config) };
});

/** Crosses of two averages, counted: what is left when everything but the candles and the periods is taken away. */
function bareCrosses({ fast, slow }: { fast: number; slow: number }): number {
  const { close } = series.columns;
  const [a, b] = [2 / (fast + 1), 2 / (slow + 1)];
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

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const lanes: number[] = [];
const bare: number[] = [];
for (let round = 0; round <= ROUNDS; round++) {
  const startedMs = performance.now();
  const found = runMomentumLanes(base, sets);
  const laneMs = performance.now() - startedMs;
  if (round === 0) {
    const [first, set] = [found[5], sets[5]];
    assert.ok(first !== undefined && set !== undefined);
    assert.equal(
      first.numbers.finalEquity,
      evaluate({ ...base, bound: set.bound }).numbers.finalEquity,
      'as the kernel',
    );
  }
  const bareMs = performance.now();
  for (const ema of periods) assert.ok(bareCrosses(ema) > 0);
  if (round === 0) continue;
  lanes.push(laneMs);
  bare.push(performance.now() - bareMs);
}
const rate = (ms: number): string => `${((ROWS * sets.length) / ms / 1000).toFixed(0)} M candle-sets/s`;
console.log(`momentum in lanes, ${sets.length} sets, ${ROWS} one-minute candles, one thread, equal to the kernel`);
console.log(`  lanes      ${rate(median(lanes))}`);
console.log(`  bare loop  ${rate(median(bare))} (crosses counted, nothing traded)`);
console.log(`  ratio      ${(median(lanes) / median(bare)).toFixed(2)} times the bare loop`);
