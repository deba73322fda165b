import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { changedLines, diffLines } from '#authoring/line-diff.ts';
import { runBacktest } from '#backtest/run.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { readInputs } from '#cli/backtest/inputs.ts';
import { RUN_FLAGS, readRunOptions } from '#cli/backtest/options.ts';
import { columns } from '#cli/backtest/table.ts';
import { parseFlags } from '#cli/flags.ts';
import { print } from '#cli/print.ts';

const USAGE =
  'Use "tradewind strategy diff OLD.ts NEW.ts --candles PATH --symbol NAME", with the flags of "tradewind backtest".';
const NINETY_DAYS_MS = 90 * 86_400_000;
const MARKS = { same: ' ', added: '+', gone: '-' } as const;

interface Version {
  readonly strategy: string;
  readonly result: BacktestResult;
}

/** Prints the changed lines of two strategy files and the result of each over the same candles, by default the last 90 days. */
export async function runDiff(argv: readonly string[]): Promise<number> {
  const [before = '', after = '', ...rest] = argv;
  if (!before.endsWith('.ts') || !after.endsWith('.ts')) return refuse(USAGE, 2);
  const flags = parseFlags('strategy diff', rest, RUN_FLAGS);
  if (flags.kind === 'problem') return refuse(flags.sentence, 2);
  try {
    const [old, next] = [before, after].map((path) => run(path, flags.values));
    if (old === undefined || next === undefined) return refuse(USAGE, 2);
    const lines = changedLines(diffLines(readFileSync(resolve(before), 'utf8'), readFileSync(resolve(after), 'utf8')));
    const text = lines.map(({ kind, line, text: each }) => `${String(line).padStart(4)} ${MARKS[kind]} ${each}`);
    await print(
      flags.values.has('json')
        ? JSON.stringify({ lines, before: old, after: next }, null, 2)
        : [text.length === 0 ? 'The files are equal.' : text.join('\n'), tableOf(old, next)].join('\n\n'),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error;
    return refuse(error.message);
  }
}

function refuse(sentence: string, code = 1): number {
  console.error(sentence);
  return code;
}

function run(path: string, values: ReadonlyMap<string, string>): Version {
  const parsed = readRunOptions(new Map([...values, ['strategy', path]]), process.cwd());
  if (parsed.kind === 'problem') throw new BadInputError(parsed.sentence);
  const { options } = parsed;
  const input = readInputs(options);
  const endMs = options.toMs ?? input.candles.columns.openMs.at(-1) ?? 0;
  const outcome = runBacktest({ ...input, fromMs: options.fromMs ?? endMs - NINETY_DAYS_MS });
  if (outcome.kind === 'refused') throw new BadInputError(outcome.sentence);
  return { strategy: input.strategy.name, result: outcome.result };
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
const money = (value: number): string => value.toFixed(2);

interface Row {
  readonly name: string;
  readonly value: (result: BacktestResult) => number | null;
  readonly text: (value: number) => string;
}

const ROWS: readonly Row[] = [
  { name: 'return', value: ({ metrics }) => metrics.totalReturn, text: percent },
  { name: 'final equity', value: ({ metrics }) => metrics.finalEquity, text: money },
  { name: 'fees', value: ({ metrics }) => metrics.fees, text: money },
  { name: 'trades', value: ({ metrics }) => metrics.closedCycles, text: String },
  { name: 'win rate', value: ({ metrics }) => metrics.winRate, text: percent },
  { name: 'max drawdown', value: ({ drawdown }) => drawdown.depth, text: percent },
  { name: 'exposure', value: ({ metrics }) => metrics.exposure, text: percent },
  { name: 'buy and hold', value: ({ metrics }) => metrics.buyAndHold, text: percent },
];

const NONE = '–';
const short = (reference: string): string => reference.replace(/(@.{8}).*$/, '$1');

function tableOf(before: Version, after: Version): string {
  const rows = ROWS.map(({ name, value, text }) => {
    const [old, next] = [value(before.result), value(after.result)];
    const change = old === null || next === null ? NONE : `${next >= old ? '+' : ''}${text(next - old)}`;
    return [name, old === null ? NONE : text(old), next === null ? NONE : text(next), change];
  });
  const { symbol, quoteAsset, from, to } = after.result;
  return [
    `${symbol}, ${from.slice(0, 16)} to ${to.slice(0, 16)}, money in ${quoteAsset}`,
    ...columns([['', short(before.strategy), short(after.strategy), 'change'], ...rows], 1),
  ].join('\n');
}
