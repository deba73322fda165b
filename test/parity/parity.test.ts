// The same minutes through the engine and through the backtest: the same decisions at the same closes, the same fills.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, playKernel, reportOf } from './compare.ts';
import { playLive } from './live.ts';
import { recordedPlays, RECORDED, syntheticPlays } from './plays.ts';

const DAYS = Number(process.env['PARITY_DAYS'] ?? 2);
/** More than half a tick of the coarsest coin at its lowest price, and nothing else. */
const MOST_BPS = 1;

async function play(on: ReturnType<typeof syntheticPlays>[number]): Promise<{ text: string; fills: number }> {
  const live = await playLive(on);
  const comparison = compare(on.name, live, playKernel(on, live.rules));
  const text = reportOf(comparison);
  assert.equal(comparison.closes, ((on.toMs - on.fromMs) / 60_000) * on.minutes.size, text);
  assert.deepEqual([comparison.decisions, comparison.fills], [[], []], text);
  assert.ok(Math.abs(comparison.worstBps) < MOST_BPS, text);
  return { text, fills: comparison.pairs };
}

const recorded = recordedPlays(DAYS);
if (recorded === undefined) {
  const skip = `needs recorded candles in ${RECORDED}, and there are none`;
  test('live and backtest agree over recorded days', { skip }, () => undefined);
}

for (const on of recorded ?? []) {
  test(`live and backtest agree over ${DAYS} recorded days: ${on.name}`, async (t) => {
    const { text, fills } = await play(on);
    t.diagnostic(text);
    assert.ok(on.strategy.name === 'hold' ? fills === 0 : fills >= 4 * DAYS, text);
  });
}

for (const on of syntheticPlays(1)) {
  test(`live and backtest agree over a made-up day: ${on.name}`, async (t) => {
    const { text } = await play(on);
    t.diagnostic(text);
  });
}
