import { availableParallelism } from 'node:os';
import { RANKS, type Rank } from '#backtest/sweep/search.ts';
import { readRunOptions, RUN_FLAGS, type RunOptions } from '#cli/backtest/options.ts';
import { parseFlags } from '#cli/flags.ts';

const SEARCHES = ['grid', 'random', 'halving'] as const;
const DAY_MS = 86_400_000;

export interface SweepOptions {
  readonly run: RunOptions;
  readonly knobs: string;
  readonly search: (typeof SEARCHES)[number];
  /** Sets drawn at random; undefined for all of them. */
  readonly draw: { readonly count: number; readonly seed: number } | undefined;
  readonly rank: Rank;
  readonly top: number;
  readonly threads: number;
  /** Trials of earlier sweeps, which count towards the luck of the best set. */
  readonly before: number;
  readonly walkForward: { readonly trainMs: number; readonly testMs: number } | undefined;
}

type ParsedSweep =
  | { readonly kind: 'options'; readonly options: SweepOptions }
  | { readonly kind: 'problem'; readonly sentence: string };

const kinds = {
  ...RUN_FLAGS,
  knobs: 'text',
  search: 'text',
  count: 'text',
  seed: 'text',
  rank: 'text',
  top: 'text',
  threads: 'text',
  'trials-before': 'text',
  'walk-forward': 'text',
} as const;

/** Parses the flags of `tradewind sweep`; paths are taken from `cwd`. */
export function parseSweepOptions(argv: readonly string[], cwd: string): ParsedSweep {
  const flags = parseFlags('sweep', argv, kinds);
  if (flags.kind === 'problem') return flags;
  const { values } = flags;
  const run = readRunOptions(values, cwd);
  if (run.kind === 'problem') return run;
  const problems: string[] = [];
  const whole = (name: string, fallback: number, least: number): number => {
    const text = values.get(name) ?? String(fallback);
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    problems.push(`--${name} is "${text}", but must be a whole number from ${least}.`);
    return fallback;
  };
  const choice = <T extends string>(name: string, known: readonly T[], fallback: T): T => {
    const text = values.get(name) ?? fallback;
    const found = known.find((one) => one === text);
    if (found === undefined) problems.push(`--${name} is "${text}", but must be one of ${known.join(', ')}.`);
    return found ?? fallback;
  };
  const knobs = values.get('knobs');
  if (knobs === undefined)
    problems.push('--knobs is missing: set it to settings with their values, such as "ema.fast=5..50:5".');
  const search = choice('search', SEARCHES, 'grid');
  const count = whole('count', 1000, 1);
  const drawn = search === 'random' || (search === 'halving' && values.has('count'));
  const folds = values.get('walk-forward');
  const days = /^(\d{1,5}):(\d{1,5})$/.exec(folds ?? '1:1');
  if (days === null)
    problems.push(`--walk-forward is "${folds}", but must be days of training and of test such as 90:30.`);
  const options = {
    run: run.options,
    knobs: knobs ?? '',
    search,
    draw: drawn ? { count, seed: whole('seed', 1, 0) } : undefined,
    rank: choice('rank', RANKS, 'sharpe'),
    top: whole('top', 20, 1),
    threads: Math.min(whole('threads', availableParallelism(), 1), 64),
    before: whole('trials-before', 0, 0),
    walkForward:
      folds === undefined ? undefined : { trainMs: Number(days?.[1]) * DAY_MS, testMs: Number(days?.[2]) * DAY_MS },
  };
  const [sentence] = problems;
  return sentence === undefined ? { kind: 'options', options } : { kind: 'problem', sentence };
}
