import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Terms } from '#backtest/fills.ts';
import { type Decimal, readDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { chargesOf } from '#core/research/costs.ts';
import { costTerms } from '#core/research/research.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { strategyOf } from '#worker/strategy/find.ts';
import { parseFlags } from '#cli/flags.ts';
import { readInstant } from '#cli/instant.ts';

/** Candles, window and terms of a run. */
export interface MarketOptions {
  /** File or folder. */
  readonly candles: string;
  readonly detail: string | undefined;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly terms: Terms;
  /** File with recorded signals. */
  readonly signals: string | undefined;
  readonly json: boolean;
}

export interface RunOptions extends MarketOptions {
  /** Separated by commas. */
  readonly symbol: string | undefined;
  readonly strategy: AnyStrategy;
  /** Undefined: the defaults of the strategy. */
  readonly config: string | undefined;
}

interface ProfileOptions extends RunOptions {
  readonly account?: undefined;
  /** File with the risk limits of the profile. */
  readonly limits: string | undefined;
  /** Whether the coins share the balance, or each coin has the whole balance. */
  readonly purse: 'shared' | 'separate';
}

interface AccountOptions extends MarketOptions {
  /** File with the profiles of an account. */
  readonly account: string;
}

export type BacktestOptions = (ProfileOptions | AccountOptions) & {
  /** Also tests how much of the result is luck. */
  readonly robustness: boolean;
  /** Also the numbers behind each fill. */
  readonly explain: boolean;
};

type Parsed<Options> =
  | { readonly kind: 'options'; readonly options: Options }
  | { readonly kind: 'problem'; readonly sentence: string };
type ParsedBacktest = Parsed<BacktestOptions>;

/** The name of a cost on the command line: --spread-bps for spreadBps. */
const flagOf = (cost: string): string => cost.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const COST_FLAGS = Object.fromEntries(Object.keys(costTerms.shape).map((cost) => [flagOf(cost), 'text'] as const));

export const RUN_FLAGS = {
  candles: 'text',
  detail: 'text',
  symbol: 'text',
  strategy: 'text',
  config: 'text',
  signals: 'text',
  from: 'text',
  to: 'text',
  ...COST_FLAGS,
  balance: 'text',
  json: 'switch',
} as const;

const MOST_BALANCE = requireDecimal('1000000000000');

/** Parsed flags; errors are collected in `problems`. */
interface Reading {
  readonly values: ReadonlyMap<string, string>;
  readonly problems: string[];
}

const OF_A_PROFILE = ['strategy', 'config', 'symbol', 'limits', 'purse'] as const;

/** Parses the flags of `tradewind backtest`; paths are taken from `cwd`. */
export function parseBacktestOptions(argv: readonly string[], cwd: string): ParsedBacktest {
  const flags = parseFlags('backtest', argv, {
    ...{ ...RUN_FLAGS, limits: 'text', purse: 'text', account: 'text' },
    ...{ robustness: 'switch', explain: 'switch' },
  });
  if (flags.kind === 'problem') return flags;
  const { values } = flags;
  const also = { robustness: values.has('robustness'), explain: values.has('explain') };
  const account = values.get('account');
  if (account !== undefined) {
    const other = OF_A_PROFILE.find((flag) => values.has(flag));
    if (other !== undefined)
      return problem(`--account already defines strategies, settings, coins and limits: leave out --${other}.`);
    const market = readMarketOptions({ values, problems: [] }, cwd);
    if (market.kind === 'problem') return market;
    return { kind: 'options', options: { ...market.options, ...also, account: resolve(cwd, account) } };
  }
  const purse = values.get('purse') ?? 'shared';
  if (purse !== 'shared' && purse !== 'separate')
    return problem(`--purse is "${purse}", but must be shared or separate.`);
  if (purse === 'separate' && values.has('limits'))
    return problem('--limits apply to all coins of a profile together: leave out --purse separate.');
  const run = readRunOptions(values, cwd, { baskets: true });
  if (run.kind === 'problem') return run;
  const limits = values.get('limits');
  return {
    kind: 'options',
    options: { ...run.options, ...also, purse, limits: limits === undefined ? undefined : resolve(cwd, limits) },
  };
}

const problem = (sentence: string) => ({ kind: 'problem', sentence }) as const;

/** The flags that backtests and sweeps share. */
export function readRunOptions(
  values: ReadonlyMap<string, string>,
  cwd: string,
  { baskets = false } = {},
): Parsed<RunOptions> {
  const reading: Reading = { values, problems: [] };
  const strategy = readStrategy(reading, { baskets, cwd });
  const market = readMarketOptions(reading, cwd);
  if (market.kind === 'problem') return market;
  if (strategy === undefined) throw new Error('a missing flag is a problem');
  const config = values.get('config');
  return {
    kind: 'options',
    options: {
      ...market.options,
      config: config === undefined ? undefined : resolve(cwd, config),
      symbol: values.get('symbol'),
      strategy,
    },
  };
}

function readMarketOptions(reading: Reading, cwd: string): Parsed<MarketOptions> {
  const { values, problems } = reading;
  const candles = values.get('candles');
  if (candles === undefined)
    problems.unshift('--candles is missing: set it to a candle file or a folder of candle files.');
  const from = readDate(reading, 'from');
  const to = readDate(reading, 'to');
  if (from !== undefined && to !== undefined && from >= to) problems.push('--from must be before --to.');
  const terms = { balance: readAmount(reading, 'balance', '1000'), ...readCosts(reading) };
  const [sentence] = problems;
  if (sentence !== undefined) return problem(sentence);
  if (candles === undefined) throw new Error('a missing flag is a problem');
  const detail = values.get('detail');
  const signals = values.get('signals');
  return {
    kind: 'options',
    options: {
      candles: resolve(cwd, candles),
      detail: detail === undefined ? undefined : resolve(cwd, detail),
      fromMs: from?.getTime(),
      toMs: to?.getTime(),
      terms,
      signals: signals === undefined ? undefined : resolve(cwd, signals),
      json: values.has('json'),
    },
  };
}

interface StrategyFlag {
  readonly baskets: boolean;
  readonly cwd: string;
}

function readStrategy({ values, problems }: Reading, { baskets, cwd }: StrategyFlag): AnyStrategy | undefined {
  const name = values.get('strategy');
  if (name?.endsWith('.ts') === true) return readStrategyFile(resolve(cwd, name), problems);
  const strategy = name === undefined ? undefined : STRATEGIES.get(name);
  const fits = (each: AnyStrategy): boolean => baskets || each.plansBaskets !== true;
  const known = [...STRATEGIES.values()].flatMap((each) => (fits(each) ? [each.name] : [])).join(', ');
  if (name === undefined) problems.push(`--strategy is missing: set it to one of ${known}.`);
  else if (strategy === undefined) problems.push(`--strategy is "${name}", but must be one of ${known}.`);
  else if (!fits(strategy))
    problems.push(`--strategy is "${name}", which plans over several coins together; a sweep runs one coin.`);
  return strategy;
}

function readStrategyFile(path: string, problems: string[]): AnyStrategy | undefined {
  try {
    return strategyOf({ name: basename(path), text: readFileSync(path, 'utf8') });
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function readDate({ values, problems }: Reading, name: string): Date | undefined {
  const text = values.get(name);
  const date = text === undefined ? undefined : readInstant(text);
  if (text !== undefined && date === undefined) {
    problems.push(`--${name} is "${text}", but must be a date such as 2022-06-01 or 2022-06-01T12:00:00Z.`);
  }
  return date;
}

/** Trading costs, validated by the schema of the API. */
function readCosts({ values, problems }: Reading) {
  const given = Object.keys(costTerms.shape).flatMap((cost) => {
    const text = values.get(flagOf(cost));
    return text === undefined ? [] : [[cost, text] as const];
  });
  const parsed = costTerms.safeParse(Object.fromEntries(given));
  if (parsed.success) return chargesOf(parsed.data);
  for (const { path, code } of parsed.error.issues) {
    const cost = String(path[0]);
    const must = code === 'invalid_value' ? 'received or other' : (MUST_BE[cost] ?? MUST_BE_BPS);
    problems.push(`--${flagOf(cost)} is "${values.get(flagOf(cost))}", but must be ${must}.`);
  }
  return chargesOf(costTerms.parse({}));
}

const MUST_BE_BPS = 'a number from 0 to 1000 (hundredths of a percent), such as 10';
const MUST_BE: Readonly<Record<string, string>> = {
  volumePercent: 'a percentage from 0 to 100, such as 5; 0 means no limit',
};

function readAmount({ values, problems }: Reading, name: string, fallback: string): Decimal {
  const text = values.get(name) ?? fallback;
  const value = readDecimal(text);
  if (value !== undefined && value > 0n && value <= MOST_BALANCE) return value;
  problems.push(`--${name} is "${text}", but must be an amount above 0, such as 1000.`);
  return ZERO;
}
