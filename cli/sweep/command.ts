import { openKernel, tickWarnings } from '#backtest/run.ts';
import {
  foldRows,
  rankTried,
  searchAll,
  searchByHalving,
  type SweepBase,
  type SweepResult,
  walkForward,
  whyInKernel,
} from '#backtest/sweep/search.ts';
import { sweepVerdict, type Verdict } from '#backtest/sweep/verdict.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { foldsOf } from '#core/research/research.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { StrategyRefused } from '#worker/strategy/version.ts';
import { SweepThreads } from '#worker/sweep-threads.ts';
import { readInputs } from '#cli/backtest/inputs.ts';
import { columns } from '#cli/backtest/table.ts';
import { print } from '#cli/print.ts';
import { parseSweepOptions, type SweepOptions } from './options.ts';

/** Runs a sweep on files. Returns the exit code: 0 done, 1 the files cannot be used, 2 wrong usage. */
export async function runSweepCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseSweepOptions(argv, process.cwd());
  if (parsed.kind === 'problem') {
    console.error(parsed.sentence);
    return 2;
  }
  try {
    await sweep(parsed.options);
    return 0;
  } catch (error) {
    if (!(error instanceof BadInputError) && !(error instanceof StrategyRefused)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function sweep(options: SweepOptions): Promise<void> {
  const { run, rank, top, threads, search } = options;
  const input = readInputs(run);
  const opened = openKernel(input);
  if (opened.kind === 'refused') throw new BadInputError(opened.sentence);
  const made = candidatesOf(run.strategy, input.config, options);
  if (made.kind === 'problem') throw new BadInputError(made.sentence);
  const { settings, candidates, refused } = made.value;
  const { bound, ...base } = opened.kernel;
  const window = { start: base.start, end: base.end };
  const startedMs = performance.now();
  const { name: strategyName, file } = run.strategy;
  await using pool = new SweepThreads({ base, strategyName, ...(file && { file }) }, { threads });
  const { tried, dropped } =
    search === 'halving'
      ? await searchByHalving(pool.evaluate, candidates, { window, rank })
      : { tried: await searchAll(pool.evaluate, candidates, window), dropped: [] };
  const result = rankTried(tried, { rank, top, before: options.before, dropped });
  const forward =
    options.walkForward &&
    (await walkForward(pool.evaluate, candidates, {
      rank,
      folds: foldRows(base, foldsOf(boundsOf(base), options.walkForward)),
    }));
  const seconds = (performance.now() - startedMs) / 1000;
  const facts = {
    strategy: run.strategy.name,
    symbol: base.rules.symbol,
    candles: window.end - window.start,
    threads,
    search,
    rank,
    knobs: settings.map(({ path }) => path),
    refused,
    warnings: tickWarnings(bound, base.detail.interval),
  };
  const { rows, ...found } = result;
  const forwarded = forward === undefined ? {} : { walkForward: forward };
  const verdict = sweepVerdict({ ...result, ...forwarded });
  const inKernel = whyInKernel(run.strategy, candidates, tried);
  const report = { ...facts, ...found, verdict, inKernel, seconds, ...forwarded, rows };
  const shown = { ...facts, seconds, result, forward, verdict, inKernel };
  await print(run.json ? JSON.stringify(report, null, 2) : sweepTable(shown));
}

const boundsOf = ({ detail: { columns, interval }, start, end }: SweepBase) => ({
  fromMs: columns.openMs[start] ?? 0,
  toMs: (columns.openMs[end - 1] ?? 0) + INTERVAL_MS[interval],
});

interface Shown {
  readonly strategy: string;
  readonly symbol: string;
  readonly candles: number;
  readonly rank: string;
  readonly knobs: readonly string[];
  readonly warnings: readonly string[];
  readonly refused: { readonly count: number; readonly example: string | null };
  readonly seconds: number;
  readonly result: SweepResult;
  readonly forward: Awaited<ReturnType<typeof walkForward>> | undefined;
  readonly verdict: Verdict;
  /** Why sets were not tried in vector runs. */
  readonly inKernel: string | undefined;
}

const percent = (value: number | null): string => (value === null ? '–' : `${(value * 100).toFixed(2)} %`);
const plain = (value: number | null): string => (value === null ? '–' : value.toFixed(2));

function sweepTable(shown: Shown): string {
  const { strategy, symbol, candles, rank, knobs, refused, warnings, seconds, result, forward, verdict, inKernel } =
    shown;
  const { evaluated, inLanes, trials, overfitting } = result;
  const header = [
    ...knobs,
    'return',
    'drawdown',
    'Sharpe',
    'cycles',
    'win rate',
    'profit factor',
    'time in the market',
  ];
  const rows = result.rows.map((row) => [
    ...row.values.map(String),
    percent(row.totalReturn),
    percent(row.drawdown),
    plain(row.sharpe),
    String(row.closedCycles),
    percent(row.winRate),
    plain(row.profitFactor),
    percent(row.exposure),
  ]);
  const folds = forward?.folds.map(({ best, outOfSample }) => [
    best.values.join(' '),
    `trained ${percent(best.totalReturn)}`,
    `then ${percent(outOfSample.totalReturn)}`,
  ]);
  return [
    `${strategy} on ${symbol}: ${evaluated} sets over ${candles} candles in ${seconds.toFixed(1)} s, ${inLanes} of them in vector runs${inKernel === undefined ? '' : ` (${inKernel})`}`,
    refused.count === 0 ? '' : `${refused.count} combinations are invalid, such as: ${refused.example}`,
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(forward === undefined
      ? []
      : [`Walk-forward, days not trained on: ${percent(forward.totalReturn)}`, ...columns(folds ?? [], 1), '']),
    `${verdict.title}. ${verdict.text}`,
    `Best by ${rank} of ${trials} tried sets${overfitting === null ? '' : `; overfitting (PBO) ${percent(overfitting)}`}.`,
    '',
    ...columns([header, ...rows], 0),
    '',
    `fingerprint ${result.fingerprint}`,
  ]
    .filter((line, i, lines) => line !== '' || lines[i - 1] !== '')
    .join('\n');
}
