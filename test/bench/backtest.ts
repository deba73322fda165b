// Speed of a backtest against a bare loop over the same columns in the same process: npm run bench
import assert from 'node:assert/strict';
import { type BacktestInput, runBacktest } from '#backtest/run.ts';
import { requireDecimal, toNumber, ZERO } from '#core/decimal.ts';
import { listingOf } from '#paper/market/listings.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { bareLoop } from './bare-loop.ts';
import { benchMinutes } from './market.ts';

const ROWS = 1_000_000;
const ROUNDS = 9;
const CONFIG = {
  candleInterval: '1m',
  buy: {
    candleLimit: 60,
    gridLevels: [{ triggerPercentage: '1.001', maxPurchaseAmount: '100' }],
    lossCooldownMinutes: 60,
  },
  // The bare loop decides at closes alone.
  sell: {
    stopLossPercentage: '0.98',
    triggerPercentage: '1.01',
    trailingStopPercentage: '0.995',
    protectiveStop: { enabled: false },
  },
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const million = (perSecond: number): string => `${(perSecond / 1e6).toFixed(1)} M candles/s`;

function timed<T>(work: () => T): { ms: number; result: T } {
  const startedMs = performance.now();
  const result = work();
  return { ms: performance.now() - startedMs, result };
}

const series = benchMinutes(ROWS);
const strategy = STRATEGIES.get('trailing-trade');
assert.ok(strategy);
const { rules } = listingOf('BTCUSDT', 60_000);
const input: BacktestInput = {
  bound: strategy.bind(strategy.config.parse(CONFIG)),
  rules,
  terms: { balance: requireDecimal('10000'), feeRate: requireDecimal('0.001'), slippage: ZERO },
  candles: series,
};
const settings = {
  window: 60,
  entry: 1.001,
  stop: 0.98,
  arm: 1.01,
  trail: 0.995,
  budget: 100,
  fee: 0.001,
  cooldownMs: 3_600_000,
  balance: 10_000,
  tick: toNumber(rules.price.tick),
  step: toNumber(rules.lot.step),
};

const ours: number[] = [];
const bare: number[] = [];
for (let round = 0; round < ROUNDS + 2; round++) {
  const backtest = timed(() => runBacktest(input));
  const floor = timed(() => bareLoop(series.columns, settings));
  assert.ok(backtest.result.kind === 'result');
  const { fills, metrics, drawdown } = backtest.result.result;
  assert.equal(fills.length, floor.result.fills, 'both trade alike');
  assert.ok(Math.abs(metrics.finalEquity - floor.result.equity) < 1e-3, 'both end with the same money');
  assert.ok(Math.abs(drawdown.depth - floor.result.drawdown) < 1e-6, 'both fall as deep');
  if (round < 2) continue;
  ours.push(backtest.ms);
  bare.push(floor.ms);
}
const ratio = median(ours.map((ms, round) => ms / (bare[round] ?? 1)));
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(
  `trailing-trade, ${ROWS} one-minute candles, ${bareLoop(series.columns, settings).fills} fills, full report`,
);
console.log(`  backtest   ${million((ROWS / median(ours)) * 1000)}`);
console.log(`  bare loop  ${million((ROWS / median(bare)) * 1000)}`);
console.log(`  ratio      ${ratio.toFixed(2)} times the bare loop (median of ${ROUNDS} alternating rounds)`);
console.log(`  memory     ${peakMb.toFixed(0)} MB at its peak`);
