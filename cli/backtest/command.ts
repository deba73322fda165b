import { runBasketBacktest } from '#backtest/basket-backtest.ts';
import { type Examination, examine } from '#backtest/examine.ts';
import { type Explained, explainFills } from '#backtest/explain.ts';
import type { BacktestResult } from '#backtest/result.ts';
import { runBacktest } from '#backtest/run.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { print } from '../print.ts';
import { readBasketInputs, readInputs } from './inputs.ts';
import { parseBacktestOptions } from './options.ts';
import { robustnessTable } from './robustness.ts';
import { explainedTable, resultTable } from './table.ts';

function jsonOf(result: BacktestResult, explained?: readonly Explained[], robustness?: Examination): string {
  const fills = explained === undefined ? result.fills : result.fills.map((fill, i) => ({ ...fill, ...explained[i] }));
  return JSON.stringify({ ...result, fills, ...(robustness === undefined ? {} : { robustness }) }, null, 2);
}

function tablesOf(result: BacktestResult, explained?: readonly Explained[], robustness?: Examination): string {
  const sections = [
    resultTable(result),
    ...(explained === undefined ? [] : [explainedTable(result.fills, explained)]),
    ...(robustness === undefined ? [] : [robustnessTable(robustness)]),
  ];
  return sections.join('\n\n');
}

/** Runs one backtest on files. Returns the exit code: 0 done, 1 the files cannot be used, 2 wrong usage. */
export async function runBacktestCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseBacktestOptions(argv, process.cwd());
  if (parsed.kind === 'problem') {
    console.error(parsed.sentence);
    return 2;
  }
  const { options } = parsed;
  try {
    const inputs = options.strategy.plansBaskets === true ? readBasketInputs(options) : [readInputs(options)];
    const [input] = inputs;
    if (input === undefined) throw new BadInputError(`${options.candles} holds no candles.`);
    const outcome = options.strategy.plansBaskets === true ? runBasketBacktest(inputs) : runBacktest(input);
    if (outcome.kind === 'refused') throw new BadInputError(outcome.sentence);
    const { result } = outcome;
    const robustness = options.robustness ? examine(input, { ...options, ...input, result }) : undefined;
    const explained = options.explain ? explainFills(inputs, result.fills) : undefined;
    await print(options.json ? jsonOf(result, explained, robustness) : tablesOf(result, explained, robustness));
    return 0;
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error;
    console.error(error.message);
    return 1;
  }
}
