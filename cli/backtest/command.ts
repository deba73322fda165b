import { runBacktest } from '#backtest/run.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { readInputs } from './inputs.ts';
import { parseBacktestOptions } from './options.ts';
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
    const outcome = runBacktest(readInputs(options));
    if (outcome.kind === 'refused') throw new BadInputError(outcome.sentence);
    await print(options.json ? JSON.stringify(outcome.result, null, 2) : resultTable(outcome.result));
    return 0;
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** Waits until the text is out, as the process ends right after; a reader that has seen enough may close the pipe. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(`${text}\n`, () => resolve());
  });
}
