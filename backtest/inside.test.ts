import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import type { Series } from './columns.ts';
import { runKernel } from './kernel.ts';
import type { KernelInput } from './run-state.ts';
import { openKernel, runBacktest } from './run.ts';
import { candlesOf } from './test-script.ts';

const TERMS = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
const CONFIG = {
  candleInterval: '1h',
  buy: { candleLimit: 2, gridLevels: [{ triggerPercentage: '1', maxPurchaseAmount: '100' }] },
  sell: {
    stopLossPercentage: '0.9',
    triggerPercentage: '1.05',
    trailingStopPercentage: '0.98',
    protectiveStop: { enabled: false },
  },
};

function bind(name: string, config: unknown) {
  const strategy = STRATEGIES.get(name);
  assert.ok(strategy);
  return strategy.bind(strategy.config.parse(config));
}

function kernelOf(candles: Series): KernelInput {
  const opened = openKernel({ bound: bind('trailing-trade', CONFIG), rules: GOLDEN_RULES, terms: TERMS, candles });
  assert.ok(opened.kind === 'kernel');
  return opened.kernel;
}

const fillsOf = (input: KernelInput): string[] =>
  runKernel(input).book.fills.map(({ fill, reason }) => {
    const hour = Math.floor(fill.at.getTime() / INTERVAL_MS['1h']);
    return `${hour} ${fill.side} @ ${formatDecimal(fill.price)} ${reason}`;
  });

test('a low below the buy price that does not close there is doubtful; inside the candle it is a buy at that price', () => {
  // The low of two candles is 99. Hour 2 falls to 98 and closes at 101; hour 3 rises to 106 from 102 and closes at 103.
  const candles = candlesOf('1h', ['100/100/99/100', '100/101/99.5/101', '101/101/98/101', '102/106/102/103']);
  const kernel = kernelOf(candles);
  assert.deepEqual(fillsOf(kernel), []);
  // The buy, and the arm of the trail in hour 3.
  assert.deepEqual([runKernel(kernel).crossed, runKernel({ ...kernel, inside: true }).crossed], [0, 2]);
  // Bought at 99, armed at 99 * 1.05 = 103.95, whose trail of 2 % is 101.871; the low of 102 lies above it.
  assert.deepEqual(fillsOf({ ...kernel, inside: true }), ['2 buy @ 99 entry-first']);
  const fell = candlesOf('1h', ['100/100/99/100', '100/101/99.5/101', '101/101/98/101', '102/106/100/103']);
  assert.deepEqual(fillsOf({ ...kernelOf(fell), inside: true }), [
    '2 buy @ 99 entry-first',
    '3 sell @ 101.87 exit-trail',
  ]);
});

test('what opens beyond the price acts at the open', () => {
  const candles = candlesOf('1h', ['100/100/99/100', '100/101/99.5/101', '97/101/96/101']);
  assert.deepEqual(fillsOf({ ...kernelOf(candles), inside: true }), ['2 buy @ 97 entry-first']);
});

test('crossed candles enter worst and best, and the result says that such candles are too coarse', () => {
  const candles = candlesOf('1h', ['100/100/99/100', '100/101/99.5/101', '101/101/98/101', '102/106/102/103']);
  const input = { bound: bind('trailing-trade', CONFIG), rules: GOLDEN_RULES, terms: TERMS, candles };
  const outcome = runBacktest(input);
  assert.ok(outcome.kind === 'result');
  const { ambiguity, warnings } = outcome.result;
  assert.deepEqual([ambiguity.candles, ambiguity.crossed, ambiguity.base], [2, 2, 1000]);
  assert.ok(ambiguity.best > 1003 && ambiguity.worst === 1000, JSON.stringify(ambiguity));
  const says = /^Trailing trade acts at any price, but here it saw one price for each of its own candles \(1h\)/;
  assert.match(warnings.at(-1) ?? '', says);
});

test('nothing of this is said of a strategy that decides when candles close, or of finer candles', () => {
  const hours = candlesOf(
    '1h',
    Array.from({ length: 30 }, () => '100/101/99/100'),
  );
  const momentum = runBacktest({
    bound: bind('momentum', { candleInterval: '1h' }),
    rules: GOLDEN_RULES,
    terms: TERMS,
    candles: hours,
  });
  const minutes = candlesOf(
    '1m',
    Array.from({ length: 180 }, () => '100/100/100/100'),
  );
  const fine = runBacktest({
    bound: bind('trailing-trade', CONFIG),
    rules: GOLDEN_RULES,
    terms: TERMS,
    candles: minutes,
  });
  for (const outcome of [momentum, fine]) {
    assert.ok(outcome.kind === 'result');
    assert.ok(outcome.result.warnings.every((warning) => !warning.includes('acts at any price')));
    assert.equal(outcome.result.ambiguity.crossed, 0);
  }
});

test('coarser candles from before the window warm up as finer ones do: cold and warm copies agree', () => {
  const flat = (count: number): string[] => Array.from({ length: count }, (_, i) => `100/100/${99 + (i % 7) / 10}/100`);
  const all = candlesOf('1m', flat(6 * 60));
  const from = 3 * 60;
  const columns = Object.fromEntries(Object.entries(all.columns).map(([name, values]) => [name, values.slice(from)]));
  const late: Series = { interval: '1m', columns: { ...all.columns, ...columns } };
  const hours = candlesOf(
    '1h',
    Array.from({ length: 3 }, () => '100/100/99/100'),
  );
  const bound = bind('trailing-trade', CONFIG);
  const input = { bound, rules: GOLDEN_RULES, terms: TERMS, fromMs: from * 60_000 };
  const [warm, cold, bare] = [
    runBacktest({ ...input, candles: all }),
    runBacktest({ ...input, candles: late, history: [hours] }),
    runBacktest({ ...input, candles: late }),
  ];
  assert.ok(warm.kind === 'result' && cold.kind === 'result' && bare.kind === 'result');
  assert.deepEqual(cold.result, warm.result);
  assert.deepEqual([cold.result.coverage.warmUp, bare.result.coverage.warmUp], [2, 0]);
  assert.match(bare.result.warnings.join(), /^0 of 2 candles lie before the window/);
});
