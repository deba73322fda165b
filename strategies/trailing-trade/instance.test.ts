import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { TickView } from '#core/judge/view.ts';
import type { Grid } from '#strategies/strategy.ts';
import { flatView as flat, GRID, HOUR_MS, heldView as held, hourCandle as candleOf } from '#strategies/test-view.ts';
import { config } from './config.ts';
import { createInstance } from './instance.ts';

interface Overrides {
  readonly buy?: object;
  readonly sell?: object;
  readonly regime?: object;
  readonly execution?: object;
}

const instanceOf = (overrides: Overrides = {}, state?: unknown, grid: Grid = GRID) => {
  const buy = { candleLimit: 2, ...overrides.buy };
  return createInstance(config.parse({ ...overrides, buy }), grid, state);
};

test('live arming starts at the arm price, not at an earlier close', () => {
  const instance = instanceOf({ sell: { trailingStopPercentage: '0.97' } });
  instance.onCandle(candleOf(1, 103.5), held());
  const view = held({ price: 10_502 });
  const decision = instance.decide(view);
  assert.equal(decision.reason, 'hold-trail-armed');
  const numbers = instance.explain(decision, view);
  assert.deepEqual([numbers['high'], numbers['trailStop'], instance.stopTicks(view)], ['105.00', '101.85', 10_185]);
});

test('the stop on the exchange goes by the level it stands at, as a sale of the strategy would', () => {
  const sell = { breakEven: { armAtPercentage: '1.02', floorPercentage: '1.005' } };
  const instance = instanceOf({ sell: { ...sell, trailingStopPercentage: '0.97' } });
  const level = (price: number): [number, string] => {
    const view = held({ price });
    instance.decide(view);
    return [instance.stopTicks(view), instance.stopReason(view)];
  };
  assert.deepEqual(level(10_100), [9700, 'exit-stop-loss']);
  assert.deepEqual(level(10_200), [10_050, 'exit-break-even']);
  assert.deepEqual(level(10_502), [10_185, 'exit-trail']);
  for (const price of [10_185, 10_051]) assert.equal(instance.decide(held({ price })).reason, 'exit-trail');
});

test('the stop sells on equality and not one tick above', () => {
  const instance = instanceOf();
  assert.equal(instance.decide(held({ price: 9701 })).reason, 'hold-below-arm');
  assert.deepEqual(instance.decide(held({ price: 9700 })), { kind: 'sell', reason: 'exit-stop-loss', lots: 'all' });
});

test('a wick of a forming candle changes nothing', () => {
  const instance = instanceOf();
  instance.onCandle({ ...candleOf(1, 1), closed: false }, flat());
  assert.deepEqual(instance.explain(instance.decide(flat()), flat()), { price: '100.00', have: 0, need: 2 });
});

test('the trail never falls inside a position and starts anew after a buy fill', () => {
  const path = fc.array(fc.integer({ min: 9800, max: 14_000 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(path, (closes) => {
      const instance = instanceOf();
      let before = 0;
      for (const [i, ticks] of closes.entries()) {
        instance.onCandle(candleOf(i + 1, ticks / 100), held({ price: ticks }));
        instance.decide(held({ price: ticks }));
        const now = instance.stopTicks(held());
        assert.ok(now >= before && now >= 9700);
        before = now;
      }
      instance.onFill('buy', held());
      assert.equal(instance.stopTicks(held()), 9700);
    }),
  );
});

test('the trail of one cycle does not guard the next', () => {
  const instance = instanceOf();
  instance.decide(held({ price: 12_000 }));
  assert.equal(instance.stopTicks(held()), 10_290);
  assert.equal(instance.decide(held({ price: 10_000, cycle: 2 })).reason, 'hold-below-arm');
});

test('candles that closed before the buy do not raise the high', () => {
  const instance = instanceOf();
  const view = held({ firstBuyFillMs: 10 * HOUR_MS, price: 10_600 });
  instance.onCandle(candleOf(3, 130), view);
  const decision = instance.decide(view);
  assert.equal(instance.explain(decision, view)['high'], '105.00');
});

/** A buy that waits since the second candle closed. */
const queued = (change: Partial<TickView>): Partial<TickView> => ({
  entryOrderOpen: true,
  waiting: { level: 0, stop: 0, limit: 9_900, placedMs: 2 * HOUR_MS, touched: false },
  ...change,
});

const PARTS = {
  takeProfits: [
    { triggerPercentage: '1.02', fraction: '0.01' },
    { triggerPercentage: '1.03', fraction: '0.4' },
    { triggerPercentage: '1.04', fraction: '0.55' },
  ],
};

test('parts of the largest position: too small ones join the next, a rest that is too small goes along', () => {
  // 5.25 in quote: 53 lots of 0.001 at 100. One hundredth of 1,000 lots cannot be sold alone.
  const instance = instanceOf({ sell: PARTS }, undefined, { ...GRID, minWorth: 525_000 });
  const decide = (price: number, lots: number) => instance.decide(held({ price, lots }));
  assert.equal(decide(10_299, 1000).kind, 'nothing');
  assert.deepEqual(decide(10_300, 1000), { kind: 'sell', reason: 'exit-take-profit', lots: 410 });
  // Refused, or not filled: the same part is sold again; a fill of all but one lot is enough.
  assert.deepEqual(decide(10_300, 1000), { kind: 'sell', reason: 'exit-take-profit', lots: 410 });
  const before: unknown = JSON.parse(JSON.stringify(instance.state()));
  instance.onFill('sell', held({ price: 10_300, lots: 591 }));
  assert.equal(decide(10_399, 591).kind, 'nothing');
  // 550 of 591 would leave 41 lots, worth 4.26.
  assert.deepEqual(decide(10_400, 591), { kind: 'sell', reason: 'exit-take-profit', lots: 'all' });
  // A crash between order and fill: the saved state knows which part was on its way.
  const restored = instanceOf({ sell: PARTS }, before, { ...GRID, minWorth: 525_000 });
  restored.onFill('sell', held({ price: 10_300, lots: 591 }));
  assert.equal(restored.decide(held({ price: 10_300, lots: 591 })).kind, 'nothing');
});

const LOOSE = { stopLossPercentage: '0.9' };
const GRID_LEVELS = [{}, { triggerPercentage: '0.96' }];
const FLOOR = { armAtPercentage: '1.02' };
const NO_EXIT = { stopLossPercentage: '', triggerPercentage: '', trailingStopPercentage: '' };
const answers: readonly [string, Partial<TickView>, Overrides][] = [
  ['entry-disabled', {}, { buy: { enabled: false } }],
  ['entry-config-unreadable', { readable: false }, {}],
  ['order-entry-open', { entryOrderOpen: true }, {}],
  ['entry-grid-complete', { target: 1 }, {}],
  ['entry-above-window-low', { price: 10_001 }, {}],
  ['entry-first', { price: 10_000 }, {}],
  ['hold-sell-disabled', held({ price: 1 }), { sell: { enabled: false } }],
  ['hold-exit-order-open', held({ price: 1, exitOrderOpen: true }), {}],
  ['hold-below-arm', held({ readable: false }), {}],
  ['hold-above-stop', held(), { sell: { triggerPercentage: '' } }],
  ['hold-no-exit', held(), { sell: { triggerPercentage: '', stopLossPercentage: '' } }],
  ['exit-stop-loss', held({ price: 9000, readable: false }), {}],
  ['hold-below-arm', held({ price: 9601 }), { sell: LOOSE, buy: { gridLevels: GRID_LEVELS } }],
  ['entry-add', held({ price: 9600 }), { sell: LOOSE, buy: { gridLevels: GRID_LEVELS } }],
  ['hold-below-arm', held({ price: 9600, target: 2 }), { sell: LOOSE, buy: { gridLevels: GRID_LEVELS } }],
  ['entry-above-level', { target: 1, avgTicks: 10_000, price: 9601 }, { buy: { gridLevels: GRID_LEVELS } }],
  ['entry-first', held({ price: 10_000, target: 0 }), {}],
  ['entry-immediate', { price: 99_999 }, { buy: { firstBuyTriggerBasis: 'immediate' } }],
  ['entry-history-short', {}, { buy: { firstBuyTriggerBasis: 'immediate', indicatorGate: { rsiMaxBuy: '30' } } }],
  ['hold-trail-pending', held(), { sell: { atrTrailing: { multiplier: '2', fromEntry: true } } }],
  ['hold-break-even-armed', held({ price: 10_200 }), { sell: { breakEven: FLOOR } }],
  ['hold-above-floor', held({ price: 10_200 }), { sell: { ...NO_EXIT, breakEven: FLOOR } }],
  ['hold-below-floor-arm', held({ price: 10_199 }), { sell: { ...NO_EXIT, breakEven: FLOOR } }],
  ['hold-until-time-stop', held({ firstBuyFillMs: HOUR_MS }), { sell: { ...NO_EXIT, timeStopBars: 3 } }],
  ['exit-time-stop', held({ firstBuyFillMs: HOUR_MS }), { sell: { ...NO_EXIT, timeStopBars: 2 } }],
  ['hold-no-exit', held({ price: 20_000 }), { sell: { ...NO_EXIT, triggerPercentage: '1.05' } }],
  ['exit-take-profit', held({ price: 10_300 }), { sell: { takeProfits: [{}] } }],
  ['hold-below-arm', held({ price: 10_299 }), { sell: { takeProfits: [{}] } }],
  // The price that pays the fees is 100.21.
  ['exit-rating', held({ price: 10_021, ratingSells: true }), {}],
  ['hold-below-arm', held({ price: 10_020, ratingSells: true }), {}],
  ['exit-regime', held({ regime: -1 }), { regime: { policy: 'exit-in-bear' } }],
  ['hold-below-arm', held({ regime: -1 }), { regime: { policy: 'block-in-bear' } }],
  ['order-entry-condition-gone', queued({ price: 10_001 }), {}],
  ['order-entry-condition-gone', queued({}), { buy: { enabled: false } }],
  ['order-entry-condition-gone', { ...queued({}), target: 1 }, {}],
  ['order-entry-open', queued({}), {}],
  ['order-entry-timeout', { ...queued({}), nowMs: 3 * HOUR_MS }, { execution: { entryTimeoutBars: 1 } }],
];
for (const [reason, change, overrides] of answers) {
  test(`answers ${reason}`, () => {
    const instance = instanceOf(overrides);
    for (const i of [1, 2]) instance.onCandle(candleOf(i, 101, 100), flat());

    assert.equal(instance.decide(flat(change)).reason, reason);
  });
}

test('answers are shared values: deciding nothing makes no garbage', () => {
  const [one, other] = [instanceOf(), instanceOf()];
  assert.equal(one.decide(flat()), other.decide(flat()));
});

test('saved state goes on where it was, also after a repeated warm-up', () => {
  const instance = instanceOf();
  for (const i of [1, 2, 3]) instance.onCandle(candleOf(i, 106, 100 + i), held());
  instance.decide(held({ price: 10_700 }));
  const saved: unknown = JSON.parse(JSON.stringify(instance.state()));
  const restored = instanceOf({}, saved);
  for (const i of [1, 2, 3]) restored.onCandle(candleOf(i, 106, 100 + i), held());
  assert.deepEqual(restored.state(), instance.state());
  assert.equal(restored.stopTicks(held()), instance.stopTicks(held()));
});

test('another window length keeps the trail and searches the low again', () => {
  const instance = instanceOf();
  for (const i of [1, 2]) instance.onCandle(candleOf(i, 100), held());
  instance.decide(held({ price: 11_000 }));
  const wider = instanceOf({ buy: { candleLimit: 3 } }, instance.state());
  assert.equal(wider.stopTicks(held()), instance.stopTicks(held()));
  const view = flat({ cycle: 1 });
  assert.equal(wider.decide(view).reason, 'entry-history-short');
  for (const i of [1, 2, 3]) wider.onCandle(candleOf(i, 100), view);
  assert.equal(wider.decide(view).reason, 'entry-first');
});

test('a finer tick keeps the trail at its price', () => {
  const instance = instanceOf();
  instance.decide(held({ price: 11_000 }));
  const finer = createInstance(config.parse({}), { ...GRID, tick: requireDecimal('0.001') }, instance.state());
  assert.equal(finer.stopTicks(held({ avgTicks: 100_000 })), instance.stopTicks(held()) * 10);
});

test('unreadable state starts afresh', () => {
  for (const state of [null, 5, { v: 2 }, { v: 1, high: 'x' }]) {
    assert.deepEqual(instanceOf({}, state).state(), instanceOf().state());
  }
});

test('the first buy waits until the strength index is low enough', () => {
  const instance = instanceOf({ buy: { firstBuyTriggerBasis: 'immediate', indicatorGate: { rsiMaxBuy: '50' } } });
  // 7 rises and 7 falls of the same size: an index of 50.
  for (let i = 0; i <= 14; i += 1) instance.onCandle(candleOf(i, 100 + (i % 2)), flat());
  assert.equal(instance.decide(flat()).reason, 'entry-immediate');
  // (13/14 · 1/2 + 1/14) of rises against 13/14 · 1/2 of falls: 15 / 28.
  instance.onCandle(candleOf(15, 101), flat());
  const refusal = instance.decide(flat());
  assert.deepEqual([refusal.reason, instance.explain(refusal, flat())['rsi']], ['entry-rsi-high', '53.57']);
});

test('a trail by true ranges follows the high, from the first candle where that is wanted', () => {
  const waiting = { atrTrailing: { multiplier: '2', period: 2 } };
  const early = { atrTrailing: { multiplier: '2', period: 2, fromEntry: true } };
  const view = held({ firstBuyFillMs: 3 * HOUR_MS, price: 10_100 });
  for (const [sell, stop] of [
    [waiting, 9700],
    // A high of 101 less twice the range of 1: the true ranges are all 1.
    [early, 9900],
  ] as const) {
    const instance = instanceOf({ sell });
    for (const i of [0, 1, 2]) instance.onCandle(candleOf(i, 100 + (i % 2)), flat());
    instance.onFill('buy', view);
    assert.equal(instance.stopTicks(view), 9700);
    instance.onCandle(candleOf(3, 101), view);
    assert.equal(instance.stopTicks(view), stop);
  }
});

test('averages are filled anew when another is asked for, and go on bit for bit when not', () => {
  const sell = { atrTrailing: { multiplier: '2', period: 2 } };
  const instance = instanceOf({ sell });
  for (const i of [0, 1, 2, 3]) instance.onCandle(candleOf(i, 100 + i * i), flat());
  const saved: unknown = JSON.parse(JSON.stringify(instance.state()));
  assert.deepEqual(instanceOf({ sell }, saved).state(), instance.state());
  const other = instanceOf({ sell: { atrTrailing: { multiplier: '2', period: 3 } } }, saved);
  assert.equal(other.decide(flat({ price: 1 })).reason, 'entry-history-short');
});

test('the plan shows what comes next', () => {
  const instance = instanceOf();
  assert.deepEqual(instance.plan(flat()), []);
  for (const i of [1, 2]) instance.onCandle(candleOf(i, 101, 100), flat());
  assert.deepEqual(instance.plan(flat()), [{ name: 'entry', ticks: 10_000 }]);
  const names = (view: TickView) => instance.plan(view).map((line) => `${line.name} ${line.ticks}`);
  assert.deepEqual(names(held()), ['cost 10000', 'arm 10500', 'stop 9700']);
  instance.decide(held({ price: 11_000 }));
  assert.deepEqual(names(held()), ['cost 10000', 'trail 10290', 'stop 9700']);
  const grid = instanceOf({ buy: { gridLevels: GRID_LEVELS } });
  assert.deepEqual(grid.plan(held()).at(-1), { name: 'entry', ticks: 9600 });
  const floored = instanceOf({ sell: { breakEven: FLOOR } });
  floored.decide(held({ price: 10_200 }));
  assert.deepEqual(
    floored.plan(held()).map((line) => `${line.name} ${line.ticks}`),
    ['cost 10000', 'arm 10500', 'floor 10030', 'stop 9700'],
  );
});
