import assert from 'node:assert/strict';
import { test } from 'node:test';
import { multiply, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { createEma } from '#core/indicators/ema.ts';
import type { Side } from '#core/order/order.ts';
import { foldFill } from '#core/position/position.ts';
import { GOLDEN_RULES as RULES } from '#test/golden/market-run.ts';
import { drawCandles, type LineValues, type PositionStep } from './draw-candles.ts';
import { STRATEGIES } from './registry.ts';
import { flatView, HOUR_MS, heldView, hourCandle as candleOf } from './test-view.ts';
import { gridOf } from './strategy.ts';

const bind = (name: string, config: object) => {
  const bound = STRATEGIES.get(name)?.bind(config);
  assert.ok(bound);
  return bound;
};

/** One unit traded in the middle of candle `hour`, without a fee. */
function stepOf(hour: number, side: Side, price: number): PositionStep {
  const atMs = (hour + 0.5) * HOUR_MS;
  const [at, quantity] = [requireDecimal(String(price)), requireDecimal('1')];
  const fill = {
    ...{ symbol: RULES.symbol, tradeId: String(hour), exchangeOrderId: String(hour), side, price: at, quantity },
    ...{ quoteQuantity: multiply(at, quantity), feeAmount: ZERO, feeAsset: null, maker: false, at: new Date(atMs) },
  };
  return {
    ...{ atMs, side, order: String(hour) },
    fold: (position) => foldFill(position, fill, { rules: RULES, cooldownMs: 0 }).position,
  };
}

const rounded = (values: LineValues | undefined): LineValues | undefined =>
  values?.map((value) => (value === null ? null : Number(value.toFixed(6))));

const TRAILING = {
  candleInterval: '1h',
  buy: { candleLimit: 2, gridLevels: [{ triggerPercentage: '1.01' }] },
  sell: { triggerPercentage: '1.05', trailingStopPercentage: '0.98', stopLossPercentage: '0.9' },
};

test('the low and the buy line are those in force during a candle, until the candle that bought', () => {
  const candles = [100, 98, 99, 101].map((low, i) => candleOf(i, low + 1, low));
  const steps = [stepOf(3, 'buy', 99)];
  const drawn = drawCandles({ bound: bind('trailing-trade', TRAILING), rules: RULES, candles, steps });
  assert.deepEqual(rounded(drawn.get('low')), [null, null, 98, 98]);
  assert.deepEqual(rounded(drawn.get('entry')), [null, null, 98.98, 98.98]);
});

test('the trailing stop starts in the candle that reaches its start, rises with the closes and ends with the sale', () => {
  const closes = [100, 104, 106, 110, 109, 107, 100];
  const candles = closes.map((close, i) => candleOf(i, close));
  const steps = [stepOf(0, 'buy', 100), stepOf(5, 'sell', 107.8)];
  const drawn = drawCandles({ bound: bind('trailing-trade', TRAILING), rules: RULES, candles, steps });
  assert.deepEqual(rounded(drawn.get('trail')), [null, null, 102.9, 103.88, 107.8, 107.8, null]);
});

test('momentum draws the averages that its decision compares', () => {
  const closes = [100, 101, 99, 103, 104, 102, 106];
  const candles = closes.map((close, i) => candleOf(i, close));
  const bound = bind('momentum', { candleInterval: '1h', ema: { fast: 2, slow: 3 } });
  const drawn = drawCandles({ bound, rules: RULES, candles, steps: [] });
  const fast = createEma(2);
  const expected = closes.map((close) => {
    fast.push(close);
    return fast.ready ? fast.value : null;
  });
  assert.deepEqual(drawn.get('fast'), expected);
  const instance = bound.create(gridOf(RULES));
  for (const candle of candles) instance.onCandle(candle, flatView());
  const compared = instance.explain({ kind: 'nothing', reason: 'entry-no-cross' }, flatView())['slow'];
  assert.equal(drawn.get('slow')?.at(-1)?.toFixed(2), compared);
});

test('an open candle has the levels in force and no value of an average', () => {
  const candles = [100, 101, 99, 103, 104].map((close, i) => ({ ...candleOf(i, close), closed: i < 4 }));
  const bound = bind('momentum', { candleInterval: '1h', ema: { fast: 2, slow: 3 } });
  const drawn = drawCandles({ bound, rules: RULES, candles, steps: [stepOf(2, 'buy', 99)] });
  assert.equal(drawn.get('fast')?.at(-1), null);
  assert.equal(typeof drawn.get('stop')?.at(-1), 'number');
});

test('every partial sale that is left is a level of the plan', () => {
  const takeProfits = ['1.02', '1.04', '1.06'].map((triggerPercentage) => ({ triggerPercentage, fraction: '0.3' }));
  const sell = { ...TRAILING.sell, takeProfits };
  const instance = bind('trailing-trade', { ...TRAILING, sell }).create(gridOf(RULES));
  const parts = instance.plan(heldView()).filter(({ name }) => name === 'part');
  assert.deepEqual(
    parts.map(({ ticks }) => ticks),
    [10_200, 10_400, 10_600],
  );
});

test('the target of a coin in a basket is the price at which it is worth its share', () => {
  const instance = bind('rebalance', {}).create(gridOf(RULES));
  const lots = 2000;
  const basket = { reason: 'plan-not-due', numbers: {}, leg: null, share: 240 };
  const target = instance.plan(heldView({ lots, basket })).find(({ name }) => name === 'target');
  assert.equal(target?.ticks.toFixed(3), '12000.000');
});

for (const [name, strategy] of STRATEGIES) {
  test(`${name}: every value that it draws has a declared line`, () => {
    const bound = strategy.bind(strategy.config.parse({}));
    const instance = bound.create(gridOf(RULES));
    const candles = Array.from({ length: bound.needs.want }, (_, i) => candleOf(i, 100 + (i % 7)));
    for (const candle of candles) instance.onCandle(candle, flatView());
    const declared = bound.drawings?.lines.map((line) => line.name) ?? [];
    const drawn = [flatView(), heldView({ price: 20_000 })].flatMap((view) => {
      instance.decide(view);
      return Object.keys(instance.draw?.(view) ?? {});
    });
    assert.deepEqual(
      drawn.filter((line) => !declared.includes(line)),
      [],
    );
  });
}
