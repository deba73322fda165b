import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_CLOSED } from '#core/market/candle.ts';
import { createGates } from '#core/decision/gates.ts';
import { STRATEGIES } from './registry.ts';
import type { StrategyInstance } from './strategy.ts';
import { flatView, GRID, HOUR_MS, hourCandle } from './test-view.ts';

function bind(name: string, stored: object) {
  const strategy = STRATEGIES.get(name);
  assert.ok(strategy !== undefined);
  return strategy.bind(stored);
}

/** All candles that a start reads: a fall, and a jump at the newest one. */
function feed(instance: StrategyInstance): void {
  for (let i = 0; i < MOST_CLOSED; i++)
    instance.onCandle(hourCandle(i, i === MOST_CLOSED - 1 ? 2_000 : 1_000 - i / 2), flatView());
}
const newest = flatView({ nowMs: MOST_CLOSED * HOUR_MS, price: 200_000 });
const OPEN = { entryExtension: { maxPercentage: '' } };

for (const slow of [999, 1_200, 100_000])
  test(`a stored slow average of ${slow} candles buys with the longest one that fits, and says so`, () => {
    const bound = bind('momentum', { ...OPEN, ema: { fast: 3, slow } });
    assert.deepEqual([bound.needs.min, bound.needs.want], [MOST_CLOSED, MOST_CLOSED]);
    const instance = bound.create(GRID);
    feed(instance);
    const decision = instance.decide(newest);
    assert.equal(decision.reason, 'entry-cross-up');
    const { storedSlow, ...numbers } = instance.explain(decision, newest);
    assert.equal(storedSlow, slow);
    const longest = bind('momentum', { ...OPEN, ema: { fast: 3, slow: 998 } }).create(GRID);
    feed(longest);
    assert.deepEqual(numbers, longest.explain(longest.decide(newest), newest));
  });

test('every other stored length that candles cannot fill counts as the longest that they can', () => {
  const long = 5_000;
  const momentum = bind('momentum', {
    ema: { fast: 3, slow: 5 },
    atrTrailing: { multiplier: '3', period: long },
    trendFilter: { maType: 'sma', period: long, slopeBars: 200 },
    entryExtension: { period: long },
  });
  assert.equal(momentum.needs.min, MOST_CLOSED);
  const trailing = bind('trailing-trade', {
    buy: { candleLimit: long },
    sell: { atrTrailing: { multiplier: '3', period: long } },
  });
  assert.equal(trailing.needs.min, MOST_CLOSED);
  const basket = bind('rebalance', { weightMode: 'momentum', momentum: { lookbackCandles: long } });
  const instance = basket.create(GRID);
  feed(instance);
  assert.notEqual(instance.ranking?.score(), null);
});

test('a stored daily trend over more days than there are is judged over those there are', () => {
  const { gates } = bind('momentum', { regime: { policy: 'block-in-bear', period: 5_000, confirmBars: 3 } }).shared;
  assert.ok(gates !== undefined);
  const judged = createGates(gates);
  for (let i = 0; i < MOST_CLOSED; i++) judged.onCandle('1d', hourCandle(i, 1_000 - i / 2));
  assert.equal(judged.regime, -1);
});
