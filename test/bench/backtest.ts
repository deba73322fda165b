// Speed of a backtest against a bare loop over the same columns in the same process: npm run bench
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KernelRun, runKernel } from '#backtest/kernel.ts';
import { runPortfolioBacktest } from '#backtest/portfolio-backtest.ts';
import { openKernel, runBacktest } from '#backtest/run.ts';
import { sharedColumns, sliceColumns } from '#core/market/candle-columns.ts';
import { requireDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { NO_LIMITS } from '#core/account/risk.ts';
import { listingOf } from '#paper/market/listings.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { type BareRun, bareCrosses, bareLoop } from './bare-loop.ts';
import { benchMinutes } from './market.ts';
import { measureCommand } from './command.ts';
import { report } from './report.ts';

const ROWS = 1_000_000;
/** The measurement starts once the code is compiled, as in a worker that has run a few. */
const [WARM_UP, ROUNDS] = [12, 15];
const LOADS = 15;
const series = benchMinutes(ROWS);
const { rules } = listingOf('BTCUSDT', 60_000);
const terms = { balance: requireDecimal('10000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
const market = { balance: 10_000, fee: 0.001, tick: toNumber(rules.price.tick), step: toNumber(rules.lot.step) };
// The bare loops decide at closes alone.
const protectiveStop = { enabled: false };
const TRAILING = {
  candleInterval: '1m',
  buy: {
    candleLimit: 60,
    gridLevels: [{ triggerPercentage: '1.001', maxPurchaseAmount: '100' }],
    lossCooldownMinutes: 60,
  },
  sell: {
    stopLossPercentage: '0.98',
    triggerPercentage: '1.01',
    trailingStopPercentage: '0.995',
    protectiveStop,
  },
};
const bareTrailing = { window: 60, entry: 1.001, stop: 0.98, arm: 1.01, trail: 0.995, cooldownMs: 3_600_000 };
const crossing = (fast: number, slow: number) => ({
  candleInterval: '1m',
  ema: { fast, slow },
  trailingStopPercentage: '0.95',
  entryExtension: { maxPercentage: '' },
  entrySizing: { mode: 'fixed', amount: '100' },
  lossCooldownMinutes: 0,
  protectiveStop,
});

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function timed<T>(work: () => T): { ms: number; result: T } {
  const startedMs = performance.now();
  const result = work();
  return { ms: performance.now() - startedMs, result };
}

const inputOf = (name: string, config: unknown) => {
  const strategy = STRATEGIES.get(name);
  assert.ok(strategy);
  return { bound: strategy.bind(strategy.config.parse(config)), rules, terms, candles: series };
};

interface Case {
  readonly id: string;
  readonly what: string;
  readonly strategy: string;
  readonly config: unknown;
  readonly bare: () => BareRun;
}

/** Alternates the full report, the run alone and the bare loop; the three must agree first. Returns the number of fills. */
function compare({ id, what, strategy: name, config, bare }: Case): number {
  const input = inputOf(name, config);
  const opened = openKernel(input);
  assert.ok(opened.kind === 'kernel');
  const times: { report: number; run: number; bare: number }[] = [];
  let fills = 0;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const report = timed(() => runBacktest(input));
    const alone: { ms: number; result: KernelRun } = timed(() => runKernel(opened.kernel));
    const floor = timed(bare);
    assert.ok(report.result.kind === 'result');
    const { metrics, drawdown } = report.result.result;
    // The list of the report would be built only for this.
    fills = alone.result.book.fills.length;
    assert.equal(fills, floor.result.fills, 'both trade alike');
    assert.equal(alone.result.meter.last, metrics.finalEquity, 'the run alone ends with the same money');
    assert.ok(Math.abs(metrics.finalEquity - floor.result.equity) < 1e-3, 'both end with the same money');
    assert.ok(Math.abs(drawdown.depth - floor.result.drawdown) < 1e-6, 'both fall as deep');
    if (round >= WARM_UP) times.push({ report: report.ms, run: alone.ms, bare: floor.ms });
  }
  const line = (what: 'report' | 'run' | 'bare'): string => {
    const ms = median(times.map((each) => each[what]));
    const ratio = median(times.map((each) => each[what] / each.bare));
    return `${(ROWS / ms / 1000).toFixed(1)} M candles/s, ${ratio.toFixed(2)} times the bare loop`;
  };
  console.log(`${name} ${JSON.stringify(config)}: ${ROWS} candles, ${fills} fills`);
  console.log(`  full report  ${line('report')}\n  run alone    ${line('run')}\n  bare loop    ${line('bare')}`);
  const rates = (of: 'report' | 'bare') => times.map((each) => ROWS / each[of] / 1000);
  report({
    ...{ id, what, unit: 'M candles/s', values: rates('report') },
    floor: { name: 'the speed of its bare loop', values: rates('bare') },
  });
  return fills;
}

assert.ok(runBacktest(inputOf('trailing-trade', TRAILING)).kind === 'result');
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(`one run with its report: ${peakMb.toFixed(0)} MB at its peak`);
report({ id: 'backtest.memory', what: 'memory of one run with its report, at its peak', unit: 'MB', values: [peakMb] });
compare({
  ...{ id: 'backtest.trailing', what: 'trailing trade over 1,000,000 candles, full report' },
  ...{ strategy: 'trailing-trade', config: TRAILING },
  bare: () => bareLoop(series.columns, { ...market, ...bareTrailing, budget: 100 }),
});
const compareCrossing = (id: string, what: string, [fast, slow]: readonly [number, number]): number =>
  compare({
    ...{ id, what, strategy: 'momentum', config: crossing(fast, slow) },
    bare: () => bareCrosses(series.columns, { ...market, trail: 0.95, budget: 100, fast, slow }),
  });
compareCrossing('backtest.momentum', 'momentum 120/600 over 1,000,000 candles, full report', [120, 600]);
const fills = compareCrossing('backtest.momentum-fills', 'momentum 9/21, 47,010 fills, full report', [9, 21]);
measureCommand(series, crossing(9, 21), fills);

const opened = openKernel(inputOf('trailing-trade', TRAILING));
assert.ok(opened.kind === 'kernel');
const { kernel } = opened;
const extra = Array.from({ length: ROUNDS }, () => {
  const recorded = timed(() => runKernel({ ...kernel, recordDecisions: true }));
  const plain = timed(() => runKernel(kernel));
  assert.deepEqual(recorded.result.counts, plain.result.counts);
  return ((recorded.ms - plain.ms) / ROWS) * 1e6;
});
console.log(`decision records: ${median(extra).toFixed(1)} ns more for each candle`);
report({
  id: 'backtest.decisions',
  what: 'records of all decisions, added to each candle',
  unit: 'ns',
  values: [median(extra)],
});

const [COINS, YEAR] = [20, 525_600];
/** The coins are stretches of the same walk, moved to the same year. */
const coins = Array.from({ length: COINS }, (_, nth) => {
  const { openMs, ...prices } = sliceColumns(series.columns, nth * 20_000, nth * 20_000 + YEAR);
  const columns = { ...prices, openMs: series.columns.openMs.subarray(0, openMs.length) };
  const symbol = `C${nth}USDT`;
  const { candles: _candles, ...input } = inputOf('trailing-trade', { ...TRAILING, candleInterval: '15m' });
  return { ...input, rules: { ...rules, symbol, baseAsset: `C${nth}` }, candles: { interval: '1m' as const, columns } };
});
const id = newId<ProfileId>();
const own = {
  scope: 'profile' as const,
  subject: id,
  limits: { ...NO_LIMITS, asset: 'USDT', openPositions: 5, dailyLoss: '500' },
};
const apart = timed(() => coins.map((coin) => runBacktest(coin)));
const together = timed(() =>
  runPortfolioBacktest({ profiles: [{ id, coins }], limits: { timezone: 'UTC', limits: [own] } }),
);
assert.ok(together.result.kind === 'result' && apart.result.every(({ kind }) => kind === 'result'));
console.log(
  `${COINS} coins x 1 year of minutes with one balance and limits, full report: ${(together.ms / 1000).toFixed(1)} s, ` +
    `${(together.ms / apart.ms).toFixed(2)} times the coins one by one (${together.result.result.fills.length} fills)`,
);
report({
  ...{ id: 'backtest.portfolio', what: '20 coins over a year of minutes with one balance and limits, full report' },
  ...{ unit: 's', values: [together.ms / 1000], floor: { name: 'the coins one by one', values: [apart.ms / 1000] } },
});

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const store = new CandleStore(folder);
store.add('BTCUSDT', '1m', series.columns);
const loads = Array.from({ length: LOADS + 2 }, () => {
  // Fresh memory has its price, and on some virtual machines a high one: every load of candles pays it.
  const memory = timed(() => Object.values(sharedColumns(ROWS)).map((column: Float64Array) => column.fill(1)));
  const loaded = timed(() => store.load('BTCUSDT', '1m'));
  assert.deepEqual(loaded.result?.close.subarray(0, 1000), series.columns.close.subarray(0, 1000));
  return { ms: loaded.ms, memoryMs: memory.ms };
}).slice(2);
rmSync(folder, { recursive: true });
const loadMs = median(loads.map(({ ms }) => ms)).toFixed(0);
const memoryMs = median(loads.map((each) => each.memoryMs)).toFixed(0);
console.log(
  `candles of the data directory: ${ROWS} loaded in ${loadMs} ms, ${memoryMs} ms to fill as much memory alone`,
);
report({
  ...{ id: 'backtest.load', what: '1,000,000 candles read from the data folder', unit: 'ms' },
  values: loads.map(({ ms }) => ms),
  floor: { name: 'filling as much memory', values: loads.map((each) => each.memoryMs) },
});
