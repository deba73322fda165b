import { type RobustnessReport, reportRobustness, reportSharedRobustness } from '#backtest/robustness.ts';
import { type Explained, explainFills } from '#backtest/explain.ts';
import { type PortfolioInput, runPortfolioBacktest, SEPARATE_WARNING } from '#backtest/portfolio-backtest.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';
import { runBacktest } from '#backtest/run.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { jsonPieces } from '#cli/json-pieces.ts';
import { print } from '#cli/print.ts';
import { type Input, readAccount, readInputs, readProfile, symbolsOf } from './inputs.ts';
import { type BacktestOptions, parseBacktestOptions } from './options.ts';
import { robustnessTable } from './robustness.ts';
import { explainedTable, resultTable } from './table.ts';

/** A result as JSON, in pieces. */
function jsonOf(result: BacktestResult, explained?: readonly Explained[], robustness?: RobustnessReport) {
  const fills = explained === undefined ? result.fills : result.fills.map((fill, i) => ({ ...fill, ...explained[i] }));
  return jsonPieces({ ...result, fills, ...(robustness === undefined ? {} : { robustness }) });
}

function tablesOf(result: BacktestResult, explained?: readonly Explained[], robustness?: RobustnessReport): string {
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
    const printed = requestsOf(options).map((request) => outputOf(request, options));
    await print(options.json ? listed(printed) : tables(printed));
    return 0;
  } catch (error) {
    if (!(error instanceof BadInputError)) throw error;
    console.error(error.message);
    return 1;
  }
}

type Output = Iterable<string>;

/** One object, or a list of objects when each coin has its own balance. */
function* listed(outputs: readonly Output[]): Output {
  const isList = outputs.length !== 1;
  if (isList) yield '[';
  for (const [i, output] of outputs.entries()) {
    if (i > 0) yield ',';
    yield* output;
  }
  if (isList) yield ']';
}

function* tables(outputs: readonly Output[]): Output {
  for (const [i, output] of outputs.entries()) {
    if (i > 0) yield '\n\n';
    yield* output;
  }
}

type RunInput = Input | PortfolioInput;

/** Input of the run: coins with one balance together, or each coin separately. */
function requestsOf(options: BacktestOptions): RunInput[] {
  if (options.account !== undefined) return [readAccount(options, options.account)];
  const { strategy, purse, limits } = options;
  const symbols = symbolsOf(options);
  if (purse === 'separate' && symbols !== undefined) return symbols.map((symbol) => readInputs({ ...options, symbol }));
  const alone = strategy.plansBaskets !== true && limits === undefined && (symbols?.length ?? 1) === 1;
  return [alone ? readInputs(options) : readProfile(options)];
}

function outputOf(request: RunInput, options: BacktestOptions): Output {
  const outcome = 'profiles' in request ? runPortfolioBacktest(request) : runBacktest(request);
  if (outcome.kind === 'refused') throw new BadInputError(outcome.sentence);
  const separate = options.account === undefined && options.purse === 'separate';
  const warnings = [...(separate ? [SEPARATE_WARNING] : []), ...outcome.result.warnings];
  const result = { ...outcome.result, warnings };
  const robustness = options.robustness ? robustnessOf(request, result) : undefined;
  const explained = options.explain ? explainFills(request, result.fills) : undefined;
  return options.json ? jsonOf(result, explained, robustness) : [tablesOf(result, explained, robustness)];
}

const robustnessOf = (request: RunInput, result: BacktestResult): RobustnessReport =>
  'profiles' in request
    ? reportSharedRobustness(
        request.profiles.flatMap(({ coins }) => coins),
        result,
      )
    : reportRobustness(request, { ...request, result });
