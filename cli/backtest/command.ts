import { runBacktest } from '#backtest/run.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { print } from '../print.ts';
import { readInputs } from './inputs.ts';
import { parseBacktestOptions } from './options.ts';
import { robustnessTable, testRobustness } from './robustness.ts';
import { resultTable } from './table.ts';

/** Runs one backtest on files. Returns the exit code: 0 done, 1 the files cannot be used, 2 wrong usage. */
export async function runBacktestCommand(argv: readonly string[]): Promise<number> {
  const parsed = parseBacktestOptions(argv, process.cwd());
  if (parsed.kind === 'problem') {
    console.error(parsed.sentence);
    return 2;
  }
  const { options } = parsed;
  try {
    const input = readInputs(options);
    const outcome = runBacktest(input);
    if (outcome.kind === 'refused') throw new BadInputError(outcome.sentence);
    const { result } = outcome;
    const robustness = options.robustness ? testRobustness(input, options.strategy, result) : undefined;
    const report = robustness === undefined ? result : { ...result, robustness };
    const table = [resultTable(result), ...(robustness === undefined ? [] : [robustnessTable(robustness)])].join(
      '\n\n',
    );
    await print(options.json ? JSON.stringify(report, null, 2) : table);
    return 0;
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error;
    console.error(error.message);
    return 1;
  }
}
