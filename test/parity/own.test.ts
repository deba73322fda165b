// The strategies that ship as files, through the engine and through the backtest.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { strategyOf } from '#worker/strategy/find.ts';
import { compare, playKernel, reportOf } from './compare.ts';
import { type Play, playLive } from './live.ts';
import { RECORDED, recordedPlays, syntheticPlays } from './plays.ts';

const DAYS = Number(process.env['PARITY_DAYS'] ?? 1);
const EXAMPLES = join(import.meta.dirname, '../../authoring/examples');
const MOST_BPS = 1;

interface Example {
  readonly settings: Record<string, unknown>;
  /** Short candles and times of a few days instead of months, in the text of the file. */
  readonly shorter?: readonly (readonly [string, string])[];
}

const SETTINGS: Readonly<Record<string, Example>> = {
  'rsi-reversion': { settings: { length: 5, stopBelow: '2' } },
  'donchian-breakout': { settings: { channel: 8, range: 6 } },
  'bollinger-squeeze': { settings: { narrowest: 30, slack: '60' } },
  accumulate: {
    settings: { days: 3 },
    shorter: [
      ['from: 20,', 'from: 2,'],
      ["on('1d'", "on('2h'"],
      ["weekday: 'monday', hour: 8, within: 12", 'hour: 8, within: 14'],
    ],
  },
  'two-frames': { settings: { fast: 3, slow: 9, days: 8, trail: '1' }, shorter: [["on('1d'", "on('1h'"]] },
};

function playOf(base: Play, name: string, { settings, shorter = [] }: Example): Play {
  const source = readFileSync(join(EXAMPLES, `${name}.ts`), 'utf8');
  const text = shorter.reduce((changed, [from, to]) => changed.replace(from, to), source);
  const strategy = strategyOf({ name: `${name}.ts`, text });
  const entrySizing = { mode: 'fixed', amount: '400' };
  return {
    ...base,
    name: [name, ...base.minutes.keys()].join(' '),
    strategy,
    config: { candleInterval: '5m', entrySizing, lossCooldownMinutes: 0, settings },
  };
}

const singles = (plays: readonly Play[]): Play[] => plays.filter(({ strategy }) => strategy.name === 'hold');
const recorded = recordedPlays(DAYS);
const bases = singles(recorded ?? syntheticPlays(1));
const market = recorded === undefined ? `a made-up day (no recorded candles in ${RECORDED})` : `${DAYS} recorded days`;

for (const base of bases) {
  for (const [name, example] of Object.entries(SETTINGS)) {
    test(`live and backtest agree over ${market}: ${name} ${[...base.minutes.keys()].join()}`, async (t) => {
      const on = playOf(base, name, example);
      const live = await playLive(on);
      const comparison = compare(on.name, live, playKernel(on, live.rules));
      const text = reportOf(comparison);
      t.diagnostic(text);
      assert.deepEqual([comparison.decisions, comparison.fills], [[], []], text);
      assert.ok(Math.abs(comparison.worstBps) < MOST_BPS, text);
      assert.ok(comparison.pairs > 0, 'it trades');
    });
  }
}
