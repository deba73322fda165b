import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Candle, INTERVAL_MS } from '#core/market/candle.ts';
import { createGates, gateNeeds, type GateSettings } from './gates.ts';

const OFF = { policy: 'off', period: 200, confirmBars: 3 } as const;
const DAY_MS = INTERVAL_MS['1d'];

const candleOf = (i: number, close: number, lengthMs: number): Candle => {
  const prices = { open: close, high: close + 1, low: close - 1, close };
  return { openMs: i * lengthMs, closeMs: (i + 1) * lengthMs, ...prices, volume: 1, closed: true };
};

/** The trend after each daily close, and what a buy is refused for then. */
function daily(policy: GateSettings['regime']['policy'], closes: readonly number[]): (string | number | undefined)[][] {
  const gates = createGates({ regime: { policy, period: 3, confirmBars: 2 }, ratings: [] });
  return closes.map((close, i) => {
    gates.onCandle('1d', candleOf(i, close, DAY_MS));
    return [gates.regime, gates.refusal({ first: true, nowMs: (i + 1) * DAY_MS })?.reason];
  });
}

test('the trend counts closes on one side of the average of their own day', () => {
  // The average of 3 starts at (10 + 11 + 12) / 3 = 11, then moves half the way: 12, 10, 9, 9.5, 9.5.
  const closes = [10, 11, 12, 13, 8, 8, 10, 9.5];
  assert.deepEqual(daily('require-bull', closes), [
    [2, 'regime-unavailable'],
    [2, 'regime-unavailable'],
    [2, 'regime-unavailable'],
    [1, undefined], // 12 > 11 and 13 > 12
    [0, 'regime-not-bull'], // 8 < 10, the first
    [-1, 'regime-bear'], // 8 < 9, the second
    [0, 'regime-not-bull'], // 10 > 9.5, the first
    [0, 'regime-not-bull'], // 9.5 is the average: the count ends
  ]);
  const blocked = daily('block-in-bear', closes).map(([, reason]) => reason);
  assert.deepEqual(blocked.slice(2), ['regime-unavailable', undefined, undefined, 'regime-bear', undefined, undefined]);
});

test('a rating that is missing, too old or too low refuses a first buy, not an add', () => {
  const ratings = [{ interval: '1h', buyAtLeast: 'buy', sellAtMost: 'sell' }] as const;
  const gates = createGates({ regime: OFF, ratings });
  const hourMs = INTERVAL_MS['1h'];
  const feed = (from: number, to: number, close: (i: number) => number): void => {
    for (let i = from; i < to; i++) gates.onCandle('1h', candleOf(i, close(i), hourMs));
  };
  const asked = (nowMs: number) => gates.refusal({ first: true, nowMs });
  feed(0, 199, (i) => 100 + i);
  assert.deepEqual(asked(199 * hourMs), { reason: 'rating-missing', numbers: { interval: '1h' } });
  // A steady rise is rated buy by the averages; after a steady fall it is a sell.
  feed(199, 260, (i) => 100 + i);
  assert.equal(asked(260 * hourMs), undefined);
  assert.equal(gates.sells(260 * hourMs), false);
  assert.equal(asked(262 * hourMs), undefined);
  assert.equal(asked(262 * hourMs + 1)?.reason, 'rating-stale');
  feed(260, 400, (i) => 620 - i);
  const low = asked(400 * hourMs);
  assert.deepEqual([low?.reason, low?.numbers['needs']], ['rating-too-low', 'buy']);
  assert.equal(gates.sells(400 * hourMs), true);
  assert.equal(gates.sells(402 * hourMs + 1), false, 'an old rating sells nothing');
  assert.equal(gates.refusal({ first: false, nowMs: 400 * hourMs }), undefined);
});

test('each interval is loaded once, long enough for its averages', () => {
  const rows = ['1h', '1d'] as const;
  const ratings = rows.map((interval) => ({ interval, buyAtLeast: 'neutral', sellAtMost: 'off' }) as const);
  const regime = { policy: 'block-in-bear', period: 20, confirmBars: 3 } as const;
  assert.deepEqual(gateNeeds({ regime, ratings: [] }), [{ interval: '1d', want: 168 }]);
  assert.deepEqual(gateNeeds({ regime, ratings }), [
    { interval: '1d', want: 999 },
    { interval: '1h', want: 999 },
  ]);
});
