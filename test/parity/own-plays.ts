// Plays of the strategies that ship as files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strategyOf } from '#worker/strategy/find.ts';
import type { Play } from './live.ts';

const EXAMPLES = join(import.meta.dirname, '../../authoring/examples');
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
    name: ['own', name, ...base.minutes.keys()].join(' '),
    strategy,
    config: { candleInterval: '5m', entrySizing, lossCooldownMinutes: 0, settings },
  };
}

/** One play for each file and each coin that is traded alone in `plays`. */
export const ownPlays = (plays: readonly Play[]): Play[] =>
  plays
    .filter(({ strategy }) => strategy.name === 'hold')
    .flatMap((base) => Object.entries(SETTINGS).map(([name, example]) => playOf(base, name, example)));
