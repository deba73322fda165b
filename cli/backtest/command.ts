import { runBasketBacktest } from '#backtest/basket-backtest.ts';
import { examine } from '#backtest/examine.ts';
import { runBacktest } from '#backtest/run.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { print } from '../print.ts';
import { readBasketInputs, readInputs } from './inputs.ts';
import { parseBacktestOptions } from './options.ts';
import { robustnessTable } from './robustness.ts';
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
    const inputs = options.strategy.plansBaskets === true ? readBasketInputs(options) : [readInputs(options)];
    const [input] = inputs;
    if (input === undefined) throw new BadInputError(`${options.candles} holds no candles.`);
    const outcome = options.strategy.plansBaskets === true ? runBasketBacktest(inputs) : runBacktest(input);
    if (outcome.kind === 'refused') throw new BadInputError(outcome.sentence);
    const { result } = outcome;
    const robustness = options.robustness ? examine(input, { ...options, ...input, result }) : undefined;
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
