import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endDays, moveExtremes, openMeter } from './equity.ts';

const HOUR_MS = 3_600_000;

function measured(equities: readonly number[], balance = 100) {
  const meter = openMeter(balance, 0);
  for (const [i, equity] of equities.entries()) {
    const nowMs = (i + 1) * HOUR_MS;
    endDays(meter, nowMs);
    meter.last = equity;
    if (equity > meter.peak || equity < meter.floor) moveExtremes(meter, equity, nowMs);
  }
  return meter;
}

test('the deepest fall from a peak, with its window', () => {
  // 120 to 90 is 25 %; the later 160 to 128 is 20 %.
  const { drawdown } = measured([110, 120, 100, 90, 120, 121, 160, 128, 150]);
  assert.deepEqual(drawdown, { depth: 0.25, peakMs: 2 * HOUR_MS, troughMs: 4 * HOUR_MS, recoveredMs: 6 * HOUR_MS });
});

test('a later, deeper fall takes its place and lasts until the end', () => {
  const { drawdown } = measured([100, 95, 101, 80.8]);
  assert.ok(Math.abs(drawdown.depth - 0.2) < 1e-12);
  assert.deepEqual([drawdown.peakMs, drawdown.troughMs, drawdown.recoveredMs], [3 * HOUR_MS, 4 * HOUR_MS, null]);
});

test('money that only grows never falls', () => {
  const { drawdown } = measured([100, 101, 101, 102]);
  assert.deepEqual(drawdown, { depth: 0, peakMs: 0, troughMs: 0, recoveredMs: 0 });
});

test('a day ends with the last equity inside it; a day without candles repeats it', () => {
  const meter = openMeter(100, 20 * HOUR_MS);
  for (const [hour, equity] of [
    [21, 101],
    [24, 102],
    [25, 103],
    [80, 104],
  ] as const) {
    endDays(meter, hour * HOUR_MS);
    meter.last = equity;
  }
  assert.deepEqual(meter.days, [102, 103, 103]);
});
