// The strategies that ship as files, through the engine and through the backtest.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare, playKernel, reportOf } from './compare.ts';
import { playLive } from './live.ts';
import { ownPlays } from './own-plays.ts';
import { RECORDED, recordedPlays, syntheticPlays } from './plays.ts';

const DAYS = Number(process.env['PARITY_DAYS'] ?? 1);
const MOST_BPS = 1;

const recorded = recordedPlays(DAYS);
const market = recorded === undefined ? `a made-up day (no recorded candles in ${RECORDED})` : `${DAYS} recorded days`;

for (const on of ownPlays(recorded ?? syntheticPlays(1))) {
  test(`live and backtest agree over ${market}: ${on.name}`, async (t) => {
    const live = await playLive(on);
    const comparison = compare(on.name, live, playKernel(on, live.rules));
    const text = reportOf(comparison);
    t.diagnostic(text);
    assert.deepEqual([comparison.decisions, comparison.fills], [[], []], text);
    assert.ok(Math.abs(comparison.worstBps) < MOST_BPS, text);
    assert.ok(comparison.pairs > 0, 'it trades');
  });
}
