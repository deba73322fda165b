import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { TickView } from '#core/judge/view.ts';
import { flatView, GRID, HOUR_MS, heldView, hourCandle } from '#strategies/test-view.ts';
import { config } from './config.ts';
import { createInstance } from './instance.ts';

const SHORT = { ema: { fast: 3, slow: 5 }, entryExtension: { maxPercentage: '' } };
const instanceOf = (change: object = {}, state?: unknown) =>
  createInstance(config.parse({ ...SHORT, ...change }), GRID, state);

/** Falls, then rises: candle 8 is the cross up. */
const CLOSES = [100, 99, 98, 97, 96, 95, 97, 100];

/** The moment right after candle number `i`, counted from 1, has closed. */
const at = (i: number, price: number): Partial<TickView> => ({ nowMs: i * HOUR_MS, price: Math.round(price * 100) });

function crossed(change: object = {}) {
  const instance = instanceOf(change);
  for (const [i, close] of CLOSES.entries()) instance.onCandle(hourCandle(i, close), flatView());
  return instance;
}

test('a cross buys while its candle is the newest one, and never later', () => {
  const instance = crossed();
  assert.equal(instance.decide(flatView(at(8, 100))).reason, 'entry-cross-up');
  assert.equal(instance.decide(flatView({ ...at(9, 100), nowMs: 9 * HOUR_MS - 1 })).reason, 'entry-cross-up');
  assert.equal(instance.decide(flatView(at(9, 100))).reason, 'entry-no-cross');
});

test('a candle on which a fill arrived brings no second buy', () => {
  const instance = crossed();
  instance.onFill('buy', heldView({ ...at(8, 100), firstBuyFillMs: 8 * HOUR_MS }));
  instance.onFill('sell', flatView(at(8, 100)));
  assert.equal(instance.decide(flatView(at(8, 100))).reason, 'entry-already-this-candle');
});

const answers: readonly [string, Partial<TickView>, object][] = [
  ['entry-disabled', at(8, 100), { entryEnabled: false }],
  ['entry-config-unreadable', { ...at(8, 100), readable: false }, {}],
  ['order-entry-open', { ...at(8, 100), entryOrderOpen: true }, {}],
  ['entry-history-short', at(8, 100), { ema: { fast: 3, slow: 8 } }],
  ['entry-no-cross', at(8, 100), { entryMarginPercentage: '1.005' }],
  ['entry-below-trend', at(8, 100), { trendFilter: { maType: 'sma', period: 2 }, ema: { fast: 1, slow: 2 } }],
  ['entry-trend-not-rising', at(8, 100), { trendFilter: { maType: 'sma', period: 5, slopeBars: 3 } }],
  ['entry-cross-up', at(8, 100), { trendFilter: { maType: 'sma', period: 5, slopeBars: 1 } }],
  ['entry-overextended', at(8, 100), { entryExtension: { period: 4, maxPercentage: '1.03' } }],
  ['entry-cross-up', at(8, 99.91), { entryExtension: { period: 4, maxPercentage: '1.03' } }],
  ['hold-sell-disabled', heldView(at(8, 1)), { exitEnabled: false }],
  ['hold-exit-order-open', heldView({ ...at(8, 1), exitOrderOpen: true }), {}],
  ['hold-above-stop', heldView(at(8, 95.01)), {}],
  ['exit-trailing-stop', heldView(at(8, 95)), {}],
  ['exit-trailing-stop', heldView({ ...at(8, 95), readable: false }), { ema: { fast: 3, slow: 998 } }],
];
for (const [reason, change, overrides] of answers) {
  const view = flatView(change);
  test(`answers ${reason} at ${view.price / 100} with ${JSON.stringify(overrides)}`, () => {
    const instance = reason === 'entry-below-trend' ? crossedBelowTrend(overrides) : crossed(overrides);
    assert.equal(instance.decide(view).reason, reason);
  });
}

/** The fast average of one candle rises over the slow one, while the close equals the trend average. */
function crossedBelowTrend(change: object) {
  const instance = instanceOf({ ...change, trendFilter: { maType: 'sma', period: 4 } });
  const closes = [100, 110, 110, 108, 100, 91, 90, 92];
  for (const [i, close] of closes.entries()) instance.onCandle(hourCandle(i, close), flatView());
  return instance;
}

test('a cross down while held is remembered until the sale; a cross up forgets it', () => {
  const instance = crossed({ trailingStopPercentage: '0.4' });
  const held = (i: number, price: number) => heldView({ ...at(i, price), firstBuyFillMs: 8 * HOUR_MS });
  const feed = (i: number, close: number): string => {
    instance.onCandle(hourCandle(i, close), held(i + 1, close));
    return instance.decide(held(i + 1, close)).reason;
  };
  assert.equal(feed(8, 80), 'exit-cross-down');
  assert.equal(feed(9, 79), 'exit-cross-down');
  assert.equal(feed(10, 130), 'hold-above-stop');
  assert.equal(feed(11, 60), 'exit-cross-down');
  instance.onFill('sell', flatView({ ...at(12, 60), cycle: 1 }));
  assert.equal(instance.decide(flatView({ ...at(12, 60), cycle: 1 })).reason, 'entry-no-cross');
  assert.equal(instance.decide(heldView({ ...at(12, 60), cycle: 2 })).reason, 'hold-above-stop');
});

test('crosses before the buy do not sell', () => {
  const instance = instanceOf();
  const view = heldView({ firstBuyFillMs: 100 * HOUR_MS });
  for (const [i, close] of [100, 101, 102, 103, 104, 105, 90, 80].entries()) {
    instance.onCandle(hourCandle(i, close), view);
  }
  assert.equal(instance.decide(view).reason, 'hold-above-stop');
});

test('a wick of a forming candle changes nothing', () => {
  const instance = crossed();
  const before = JSON.stringify(instance.state());
  instance.onCandle({ ...hourCandle(8, 500), closed: false }, flatView());
  assert.equal(JSON.stringify(instance.state()), before);
});

test('the stop stands from the fill on and follows the closes by the average true range', () => {
  const instance = crossed({ atrTrailing: { multiplier: '2', period: 2 } });
  // True ranges 1 1 1 1 1 2 3: their average 1 1 1 1 1.5 2.25.
  instance.onFill('buy', heldView({ ...at(8, 100), avgTicks: 10_010 }));
  const view = heldView({ ...at(9, 103), avgTicks: 10_010, firstBuyFillMs: 8 * HOUR_MS });
  assert.equal(instance.stopTicks(view), 10_010 - 450);
  assert.equal(instance.stopReason(view), 'exit-trailing-stop');
  // A true range of 3 makes the average 2.625.
  instance.onCandle(hourCandle(8, 103), view);
  assert.equal(instance.stopTicks(view), 10_300 - 525);
});

test('by volatility an entry is sized for a stop so many true ranges below its price, half of it at the most', () => {
  // The average true range is 2.25 after eight candles: 1 - 2 * 2.25 / 100.
  const wide = crossed({ atrTrailing: { multiplier: '2', period: 2 } });
  assert.equal(wide.stopMultiple?.(flatView(at(8, 100))), 0.955);
  const widest = crossed({ atrTrailing: { multiplier: '20', period: 2 } });
  assert.equal(widest.stopMultiple?.(flatView(at(8, 50))), 0.5);
  assert.equal(crossed().stopMultiple?.(flatView(at(8, 100))), undefined);
});

test('the tighter stop starts only where it pays the fees', () => {
  const instance = crossed({ profitTrail: { activationPercentage: '1.001' } });
  const view = heldView({ ...at(9, 100.2), firstBuyFillMs: 8 * HOUR_MS });
  instance.onFill('buy', view);
  instance.onCandle(hourCandle(8, 100.2), view);
  assert.equal(instance.decide(view).reason, 'hold-above-stop');
  instance.onCandle(hourCandle(9, 100.21), { ...view, price: 10_021 });
  assert.equal(instance.stopTicks(view), 10_021);
  assert.equal(instance.stopReason(view), 'exit-profit-trail');
});

test('the stop never falls inside a position and starts anew after a buy fill', () => {
  const path = fc.array(fc.integer({ min: 9600, max: 14_000 }), { minLength: 1, maxLength: 60 });
  const params = [
    {},
    { atrTrailing: { multiplier: '3', period: 2 } },
    { profitTrail: { activationPercentage: '1.03' } },
  ];
  fc.assert(
    fc.property(path, fc.constantFrom(...params), (closes, change) => {
      const instance = instanceOf(change);
      let before = 0;
      for (const [i, ticks] of closes.entries()) {
        instance.onCandle(hourCandle(i + 1, ticks / 100), heldView({ price: ticks }));
        const now = instance.stopTicks(heldView());
        assert.ok(now >= before);
        before = now;
      }
      instance.onFill('buy', heldView());
      assert.ok(instance.stopTicks(heldView()) <= Math.max(9500, 10_000));
    }),
  );
});

const EVERYTHING = {
  atrTrailing: { multiplier: '3', period: 4 },
  trendFilter: { maType: 'sma', period: 3, slopeBars: 2 },
  entryExtension: { period: 3, maxPercentage: '1.4' },
  profitTrail: { activationPercentage: '1.02' },
};

test('saved state goes on bit for bit, also after a repeated warm-up', () => {
  const path = fc.array(fc.integer({ min: 9000, max: 11_000 }), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(path, fc.nat(), (closes, cut) => {
      const instance = instanceOf(EVERYTHING);
      let restored = instanceOf(EVERYTHING);
      for (const [i, ticks] of closes.entries()) {
        if (i === cut % closes.length) {
          const saved: unknown = JSON.parse(JSON.stringify(restored.state()));
          restored = instanceOf(EVERYTHING, saved);
          for (const [j, old] of closes.slice(0, i).entries()) restored.onCandle(hourCandle(j, old / 100), heldView());
        }
        for (const each of [instance, restored]) each.onCandle(hourCandle(i, ticks / 100), heldView());
      }
      assert.deepEqual(restored.state(), instance.state());
    }),
  );
});

test('other averages keep the stop and start anew; a finer tick keeps it at its price', () => {
  const instance = crossed();
  const view = heldView({ ...at(9, 120), firstBuyFillMs: 8 * HOUR_MS });
  instance.onCandle(hourCandle(8, 120), view);
  assert.equal(instance.stopTicks(view), 11_400);
  const slower = instanceOf({ ema: { fast: 3, slow: 6 } }, instance.state());
  assert.equal(slower.stopTicks(view), 11_400);
  const empty = slower.explain({ kind: 'nothing', reason: 'entry-history-short' }, view);
  assert.deepEqual([empty['have'], empty['need']], [0, 7]);
  const finer = createInstance(config.parse(SHORT), { ...GRID, tick: requireDecimal('0.001') }, instance.state());
  assert.equal(finer.stopTicks({ ...view, avgTicks: 100_000 }), 114_000);
});

test('unreadable state starts afresh, and so do averages after a hole no load can fill', () => {
  const fresh = instanceOf().state();
  for (const state of [null, 5, { v: 2 }, { v: 1, ratchets: 'x' }])
    assert.deepEqual(instanceOf({}, state).state(), fresh);
  const instance = crossed();
  instance.onCandle(hourCandle(2000, 100), flatView());
  const numbers = instance.explain({ kind: 'nothing', reason: 'entry-history-short' }, flatView());
  assert.deepEqual([numbers['have'], numbers['need']], [1, 6]);
});

test('the plan shows the stop, and the start of the tighter one until it has started', () => {
  const instance = crossed({ profitTrail: { activationPercentage: '1.03' } });
  const names = (view: TickView) => instance.plan(view).map((line) => `${line.name} ${line.ticks}`);
  assert.deepEqual(names(flatView()), []);
  const view = heldView({ firstBuyFillMs: 8 * HOUR_MS });
  assert.deepEqual(names(view), ['cost 10000', 'arm 10300', 'stop 9500']);
  instance.onCandle(hourCandle(8, 104), view);
  assert.deepEqual(names(view), ['cost 10000', 'trail 10088', 'stop 9880']);
});
