import { resolve } from 'node:path';
import type { Terms } from '#backtest/fills.ts';
import { type Decimal, divide, readDecimal, requireDecimal, ZERO } from '#core/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { parseFlags } from '../flags.ts';
import { readInstant } from '../instant.ts';

export interface BacktestOptions {
  /** File or folder. */
  readonly candles: string;
  readonly detail: string | undefined;
  /** Of a basket several, with commas between them. */
  readonly symbol: string | undefined;
  readonly strategy: AnyStrategy;
  /** Undefined: the defaults of the strategy. */
  readonly config: string | undefined;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
  readonly terms: Terms;
  readonly json: boolean;
  /** Also checks how much the result owes to luck. */
  readonly robustness: boolean;
}

export type ParsedBacktest =
  | { readonly kind: 'options'; readonly options: BacktestOptions }
  | { readonly kind: 'problem'; readonly sentence: string };

export const RUN_FLAGS = {
  candles: 'text',
  detail: 'text',
  symbol: 'text',
  strategy: 'text',
  config: 'text',
  from: 'text',
  to: 'text',
  'fee-bps': 'text',
  'maker-fee-bps': 'text',
  'slippage-bps': 'text',
  'spread-bps': 'text',
  'volume-percent': 'text',
  balance: 'text',
  json: 'switch',
} as const;

const TWO = requireDecimal('2');
const HUNDRED = requireDecimal('100');
const BPS = requireDecimal('10000');
const MOST_BPS = requireDecimal('1000');
const MOST_BALANCE = requireDecimal('1000000000000');

/** Flags as they are read; what is wrong with them gathers in `problems`. */
interface Reading {
  readonly values: ReadonlyMap<string, string>;
  readonly problems: string[];
}

/** Parses the flags of `tradewind backtest`; paths are taken from `cwd`. */
export function parseBacktestOptions(argv: readonly string[], cwd: string): ParsedBacktest {
  const flags = parseFlags('backtest', argv, { ...RUN_FLAGS, robustness: 'switch' });
  return flags.kind === 'problem' ? flags : readRunOptions(flags.values, cwd, { baskets: true });
}

/** The flags that backtests and sweeps share. */
export function readRunOptions(
  values: ReadonlyMap<string, string>,
  cwd: string,
  { baskets = false } = {},
): ParsedBacktest {
  const reading: Reading = { values, problems: [] };
  const candles = values.get('candles');
  if (candles === undefined) reading.problems.push('--candles is missing: give a candle file or a folder of them.');
  const strategy = readStrategy(reading, baskets);
  const from = readDate(reading, 'from');
  const to = readDate(reading, 'to');
  if (from !== undefined && to !== undefined && from >= to) reading.problems.push('--from must lie before --to.');
  const terms = {
    balance: readAmount(reading, 'balance', '1000'),
    feeRate: readBps(reading, 'fee-bps', '10'),
    slippage: readBps(reading, 'slippage-bps', '0'),
    halfSpread: divide(readBps(reading, 'spread-bps', '0'), TWO),
    ...(values.has('maker-fee-bps') ? { makerFeeRate: readBps(reading, 'maker-fee-bps', '0') } : {}),
    ...(values.has('volume-percent') ? { participation: readShare(reading, 'volume-percent') } : {}),
  };
  const [sentence] = reading.problems;
  if (sentence !== undefined) return { kind: 'problem', sentence };
  if (candles === undefined || strategy === undefined) throw new Error('a missing flag is a problem');
  const pathOf = (name: string): string | undefined => {
    const path = values.get(name);
    return path === undefined ? undefined : resolve(cwd, path);
  };
  return {
    kind: 'options',
    options: {
      candles: resolve(cwd, candles),
      detail: pathOf('detail'),
      config: pathOf('config'),
      symbol: values.get('symbol'),
      strategy,
      fromMs: from?.getTime(),
      toMs: to?.getTime(),
      terms,
      json: values.has('json'),
      robustness: values.has('robustness'),
    },
  };
}

function readStrategy({ values, problems }: Reading, baskets: boolean): AnyStrategy | undefined {
  const name = values.get('strategy');
  const strategy = name === undefined ? undefined : STRATEGIES.get(name);
  const fits = (each: AnyStrategy): boolean => baskets || each.plansBaskets !== true;
  const known = [...STRATEGIES.values()].flatMap((each) => (fits(each) ? [each.name] : [])).join(', ');
  if (name === undefined) problems.push(`--strategy is missing: give one of ${known}.`);
  else if (strategy === undefined) problems.push(`--strategy is "${name}", but must be one of ${known}.`);
  else if (!fits(strategy))
    problems.push(`--strategy is "${name}", which plans over several coins at once; a sweep tries one coin.`);
  return strategy;
}

function readDate({ values, problems }: Reading, name: string): Date | undefined {
  const text = values.get(name);
  const date = text === undefined ? undefined : readInstant(text);
  if (text !== undefined && date === undefined) {
    problems.push(`--${name} is "${text}", but must be a date such as 2022-06-01 or 2022-06-01T12:00:00Z.`);
  }
  return date;
}

/** Hundredths of a percent as a fraction. */
function readBps({ values, problems }: Reading, name: string, fallback: string): Decimal {
  const text = values.get(name) ?? fallback;
  const value = readDecimal(text);
  if (value !== undefined && value >= 0n && value <= MOST_BPS) return divide(value, BPS);
  problems.push(`--${name} is "${text}", but must be a number from 0 to 1000 (hundredths of a percent), such as 10.`);
  return ZERO;
}

/** A percentage above 0 as a fraction. */
function readShare({ values, problems }: Reading, name: string): Decimal {
  const text = values.get(name) ?? '';
  const value = readDecimal(text);
  if (value !== undefined && value > 0n && value <= HUNDRED) return divide(value, HUNDRED);
  problems.push(`--${name} is "${text}", but must be a percentage above 0 and at most 100, such as 10.`);
  return ZERO;
}

function readAmount({ values, problems }: Reading, name: string, fallback: string): Decimal {
  const text = values.get(name) ?? fallback;
  const value = readDecimal(text);
  if (value !== undefined && value > 0n && value <= MOST_BALANCE) return value;
  problems.push(`--${name} is "${text}", but must be an amount above 0, such as 1000.`);
  return ZERO;
}
