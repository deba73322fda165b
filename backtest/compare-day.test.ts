import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import { openKernel } from './run.ts';
import { compareDay, type LiveDay } from './compare-day.ts';
import { candlesOf, scripted } from './test-script.ts';

const MINUTE = 60_000;

function kernelOf() {
  const opened = openKernel({
    bound: scripted({
      decisions: { 4: { kind: 'buy', reason: 'go', level: 0 }, 20: { kind: 'sell', reason: 'stop', lots: 'all' } },
    }),
    rules: GOLDEN_RULES,
    terms: { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO },
    candles: candlesOf(
      '1m',
      Array.from({ length: 40 }, () => '100/100/100/100'),
    ),
  });
  assert.ok(opened.kind === 'kernel');
  return opened.kernel;
}

const decided = (reason: string, from: number, to: number) => ({
  reason,
  sentence: `It says ${reason}.`,
  firstMs: from * MINUTE,
  lastMs: to * MINUTE,
});

test('a day that went as replayed, but for the price of a sale and one close', () => {
  const live: LiveDay = {
    fromMs: 0,
    toMs: 40 * MINUTE,
    decisions: [
      decided('wait', 1, 4.5),
      decided('go', 5, 5),
      decided('wait', 5.01, 10),
      decided('halted', 11, 11.2),
      decided('wait', 11.5, 20.5),
      decided('stop', 21, 21),
    ],
    trades: [
      { atMs: 5 * MINUTE + 300, side: 'buy', quantity: '0.998', price: '100', reason: 'go' },
      { atMs: 21 * MINUTE + 300, side: 'sell', quantity: '0.997', price: '99.9', reason: 'stop' },
    ],
  };
  const { compared, agreed, differing, fills } = compareDay(kernelOf(), live);
  assert.deepEqual([compared, agreed], [21, 20]);
  assert.deepEqual(differing, [
    { at: '1970-01-01T00:11:00.000Z', live: 'halted', replayed: 'wait', sentence: 'It says halted.' },
  ]);
  assert.deepEqual(
    fills.map(({ side, bps, why }) => [side, bps?.toFixed(2), why]),
    [
      ['buy', '0.00', null],
      ['sell', '10.00', null],
    ],
  );
});

test('a trade that one of them alone made comes with what the other thought', () => {
  const live: LiveDay = {
    fromMs: 0,
    toMs: 40 * MINUTE,
    decisions: [decided('halt-kill-switch', 1, 15), decided('wait', 15.5, 40)],
    trades: [{ atMs: 35 * MINUTE + 300, side: 'buy', quantity: '1', price: '101', reason: 'manual-buy' }],
  };
  const { fills } = compareDay(kernelOf(), live);
  assert.deepEqual(
    fills.map((fill) => [fill.side, fill.live?.reason ?? null, fill.replayed?.reason ?? null, fill.why]),
    [
      ['buy', null, 'go', 'It says halt-kill-switch.'],
      ['sell', null, 'stop', 'It says wait.'],
      ['buy', 'manual-buy', null, 'wait'],
    ],
  );
});
