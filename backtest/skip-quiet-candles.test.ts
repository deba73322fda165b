import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { aggregateSeries } from './columns.ts';
import { type KernelRun, runKernel } from './kernel.ts';
import type { KernelInput } from './run-state.ts';
import { rulesOf, walk } from './test-walk.ts';

const d = requireDecimal;
const ROWS = 1500;
const HOLE_ROW = 900;

const trailing = fc
  .record({
    candleLimit: fc.integer({ min: 1, max: 40 }),
    triggers: fc.constantFrom(['1.001'], ['1.01'], ['1.002', '0.99'], ['1', '0.995', '0.98']),
    amount: fc.constantFrom('', '20', '5.5'),
    basis: fc.constantFrom('lowest-price', 'lowest-price', 'lowest-price', 'immediate'),
    stop: fc.constantFrom('0.9', '0.98', '0.995'),
    arm: fc.constantFrom('1.002', '1.01', '1.03'),
    trail: fc.constantFrom('0.999', '0.995', '0.97'),
    breakEven: fc.constantFrom({}, { armAtPercentage: '1.005', floorPercentage: '1.002' }),
    takeProfits: fc.constantFrom([], [{ triggerPercentage: '1.006', fraction: '0.5' }]),
    timeStopBars: fc.constantFrom(0, 0, 12, 200),
    multiplier: fc.constantFrom('', '', '', '2'),
    entryMode: fc.constantFrom('market', 'market', 'maker'),
    pause: fc.constantFrom(0, 30),
    enabled: fc.boolean(),
  })
  .map((settings) => ({
    buy: {
      candleLimit: settings.candleLimit,
      firstBuyTriggerBasis: settings.basis,
      gridLevels: settings.triggers.map((triggerPercentage) => ({
        triggerPercentage,
        maxPurchaseAmount: settings.amount,
      })),
      lossCooldownMinutes: settings.pause,
    },
    sell: {
      stopLossPercentage: settings.stop,
      triggerPercentage: settings.arm,
      trailingStopPercentage: settings.trail,
      breakEven: settings.breakEven,
      takeProfits: settings.takeProfits,
      timeStopBars: settings.timeStopBars,
      atrTrailing: { multiplier: settings.multiplier },
      protectiveStop: { enabled: settings.enabled },
    },
    execution: { entryMode: settings.entryMode },
  }));

const momentum = fc.record({
  ema: fc.integer({ min: 3, max: 40 }).map((slow) => ({ slow, fast: Math.ceil(slow / 3) })),
  entryMarginPercentage: fc.constantFrom('1', '1.0005'),
  trailingStopPercentage: fc.constantFrom('0.999', '0.99', '0.95'),
  exitOnCross: fc.boolean(),
  lossCooldownMinutes: fc.constantFrom(0, 7),
  protectiveStop: fc.record({ enabled: fc.boolean() }),
  profitTrail: fc.constantFrom({}, { activationPercentage: '1.01' }),
  trendFilter: fc.constantFrom({}, {}, {}, { period: 9 }),
  atrTrailing: fc.constantFrom({}, {}, {}, { multiplier: '3' }),
  entryExtension: fc.constantFrom({}, { maxPercentage: '' }),
});

const cases = fc.record({
  name: fc.constantFrom('trailing-trade', 'momentum'),
  trailing,
  momentum,
  seed: fc.nat(),
  gaps: fc.boolean(),
  // Minutes that are missing in one place: after 1,000 an average restarts.
  hole: fc.constantFrom(0, 0, 0, 998, 999, 5000),
  interval: fc.constantFrom('1m', '1m', '5m', '1h'),
  grid: fc.constantFrom(
    { tick: '0.01', step: '0.001', price: 100 },
    { tick: '0.00001', step: '1', price: 0.02 },
    { tick: '0.5', step: '0.00001', price: 60_000 },
  ),
  start: fc.constantFrom(0, 300),
  slippage: fc.constantFrom(ZERO, d('0.0005')),
  balance: fc.constantFrom('1000', '60'),
  path: fc.constantFrom('rise-first', 'fall-first'),
  inside: fc.boolean(),
});

/** The outcome of a run, without the number of skipped candles. */
const left = ({ book, meter, reasons, counts, decisions, heldCandles, crossed }: KernelRun) => {
  const { fills, cycles, rejections, pending, entry, stop, position, ambiguous, doubtful, overrun } = book;
  const { cash } = book.balance;
  const money = { fills, cycles, rejections, pending, entry, stop, position, cash, ambiguous, doubtful, overrun };
  return { ...money, meter, reasons, counts, decisions, heldCandles, crossed };
};

test('skipping quiet candles gives the same run as deciding at every candle', () => {
  let [skipped, candles, filled, crossed] = [0, 0, 0, 0];
  fc.assert(
    fc.property(
      cases,
      ({ name, seed, gaps, hole, interval, grid, start, slippage, balance, path, inside, ...configs }) => {
        const strategy = STRATEGIES.get(name);
        assert.ok(strategy);
        const settings = name === 'momentum' ? configs.momentum : configs.trailing;
        const parsed = strategy.config.safeParse({ ...settings, candleInterval: interval });
        fc.pre(parsed.success);
        const detail = walk(seed, ROWS, { tick: Number(grid.tick), price: grid.price, gaps });
        const { openMs } = detail.columns;
        for (let row = HOLE_ROW; row < ROWS; row++) openMs[row] = (openMs[row] ?? 0) + hole * 60_000;
        const input = {
          bound: strategy.bind(parsed.data),
          rules: rulesOf(grid.tick, grid.step),
          terms: { balance: d(balance), feeRate: d('0.001'), slippage },
          signal: aggregateSeries(detail, interval),
          detail,
          start,
          end: ROWS,
          recordDecisions: true,
          path,
          inside,
        } satisfies KernelInput;
        const run = runKernel(input);
        assert.deepEqual(left(run), left(runKernel({ ...input, stepwise: true })));
        skipped += run.skipped;
        candles += ROWS - start;
        filled += run.book.fills.length;
        crossed += run.crossed;
      },
    ),
    { numRuns: 600, seed: 5 },
  );
  assert.ok(crossed > 5000, `${crossed} candles crossed a line`);
  assert.ok(skipped > candles * 0.3 && filled > 5000, `${skipped} of ${candles} candles skipped, ${filled} fills`);
});
