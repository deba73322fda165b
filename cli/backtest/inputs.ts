import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { isTimezone } from '#api/frame/timezone.ts';
import { INTERVAL_MS, INTERVALS, type Interval } from '#core/market/candle.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { type ListedSignal, readSignalList } from '#core/order/signal-list.ts';
import { NO_LIMITS, riskLimits } from '#core/account/risk.ts';
import { CandleStore, CandleStoreError, isCandleStore } from '#storage/candles/store.ts';
import { BadInputError } from '#paper/bad-input.ts';
import {
  type CandleSeries,
  listFileIntervals,
  readCandleFolder,
  readFileInterval,
  readNamedFile,
} from '#paper/market/candle-files.ts';
import { listingOfSeries } from '#paper/market/replay.ts';
import type { PortfolioInput } from '#backtest/portfolio-backtest.ts';
import { type BacktestInput, historyIntervals } from '#backtest/run.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { MarketOptions, RunOptions } from './options.ts';

/** A run of one coin, with the strategy and config for the robustness report. */
export type Input = BacktestInput & { readonly strategy: AnyStrategy; readonly config: unknown };

/** Reads everything a run of one coin needs from files. Throws BadInputError with a sentence that names the file. */
export function readInputs(options: RunOptions): Input {
  const { strategy, config: path, symbol } = options;
  const source = openSeries(options.candles);
  const config = readConfig(strategy, path);
  const traded = { strategy, config, source, detail: detailOf(options) };
  return inputOf(options, { ...traded, candles: source.of(symbol) });
}

/** The requested coins; undefined for the only one in the file. */
export const symbolsOf = ({ symbol, strategy, candles }: RunOptions): string[] | undefined => {
  if (symbol === undefined) return strategy.plansBaskets === true ? openSeries(candles).symbols() : undefined;
  return symbol.split(',').map((name) => name.trim());
};

/** The coins of one profile with one balance, under its limits. */
export function readProfile(options: RunOptions & { readonly limits: string | undefined }): PortfolioInput {
  const { strategy, config: path, limits } = options;
  const config = readConfig(strategy, path);
  const source = openSeries(options.candles);
  const symbols = symbolsOf(options) ?? [source.of(undefined).symbol];
  const profile = {
    strategy: strategy.name,
    config,
    symbols,
    limits: limits === undefined ? NO_LIMITS : readLimits(limits),
  };
  return portfolioOf(options, { timezone: 'UTC', limits: NO_LIMITS, profiles: [profile] });
}

/** The profiles of an account file with one balance, under all its limits. */
export function readAccount(options: MarketOptions, path: string): PortfolioInput {
  const parsed = accountFile.safeParse(readJson(path, 'account'));
  if (parsed.success) return portfolioOf(options, parsed.data);
  throw new BadInputError(`${path} is not a valid account file: ${problemsOf(parsed.error)}.`);
}

/** Limits in the form of the API. An absent field is no limit. */
const someLimits = z
  .record(z.string(), z.unknown())
  .transform((given) => ({ ...NO_LIMITS, ...given }))
  .pipe(riskLimits);
const accountFile = z.strictObject({
  /** Time zone of the day for the daily loss. */
  timezone: z.string().refine(isTimezone, 'is not a time zone such as Europe/Berlin').default('UTC'),
  limits: someLimits.prefault({}),
  profiles: z
    .array(
      z.strictObject({
        strategy: z.string(),
        config: z.unknown().default({}),
        symbols: z.array(z.string()).min(1),
        limits: someLimits.prefault({}),
      }),
    )
    .min(1),
});

function readLimits(path: string): z.output<typeof someLimits> {
  const parsed = someLimits.safeParse(readJson(path, 'limits'));
  if (parsed.success) return parsed.data;
  throw new BadInputError(`${path} is not a valid limits file: ${problemsOf(parsed.error)}.`);
}

function portfolioOf(options: MarketOptions, account: z.output<typeof accountFile>): PortfolioInput {
  const { timezone, profiles } = account;
  const [source, detail] = [openSeries(options.candles), detailOf(options)];
  const read = profiles.map(({ strategy: name, config: given, symbols, limits }, i) => {
    const strategy = STRATEGIES.get(name);
    if (strategy === undefined)
      throw new BadInputError(
        `profiles.${i}.strategy is "${name}", but must be one of ${[...STRATEGIES.keys()].join(', ')}.`,
      );
    const config = checkConfig(strategy, given, `The config of profiles.${i}`);
    const coins = symbols.map((symbol) =>
      inputOf(options, { strategy, config, source, detail, candles: source.of(symbol) }),
    );
    return { id: newId<ProfileId>(), coins, limits };
  });
  const all = [
    { scope: 'account' as const, subject: 'account', limits: account.limits },
    ...read.map(({ id, limits }) => ({ scope: 'profile' as const, subject: id, limits })),
  ];
  return { profiles: read.map(({ id, coins }) => ({ id, coins })), limits: { timezone, limits: all } };
}

function readSignals(path: string): readonly ListedSignal[] {
  const list = readSignalList(readText(path, 'signals'));
  if ('problem' in list) throw new BadInputError(`${path} is not a list of signals: ${list.problem}.`);
  return list;
}

interface Traded {
  readonly strategy: AnyStrategy;
  readonly config: unknown;
  readonly source: Source;
  readonly candles: CandleSeries;
  /** The candles of --detail. */
  readonly detail: Source | undefined;
}

function inputOf(options: MarketOptions, { strategy, config, source, candles, detail: named }: Traded): Input {
  const { terms, fromMs, toMs } = options;
  const bound = strategy.bind(config);
  const detail = named === undefined ? finerOf(source, candles, options) : named.of(candles.symbol);
  if (detail !== undefined && INTERVAL_MS[detail.interval] > INTERVAL_MS[candles.interval]) {
    throw new BadInputError(
      `--detail contains ${detail.interval} candles, which are coarser than the ${candles.interval} candles of --candles.`,
    );
  }
  const stored = source.intervals(candles.symbol).filter((interval) => interval !== candles.interval);
  const useful = new Set(historyIntervals(bound, (detail ?? candles).interval));
  return {
    ...{ strategy, config },
    bound,
    rules: listingOfSeries(detail ?? candles).rules,
    terms,
    candles,
    history: stored.filter((each) => useful.has(each)).map((each) => source.load(candles.symbol, each)),
    ...(options.signals === undefined ? {} : { signals: readSignals(options.signals) }),
    ...(detail === undefined ? {} : { detail }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
  };
}

/** The finest candles next to a named file that cover the window: the detail candles unless --detail is set. */
function finerOf(source: Source, candles: CandleSeries, { fromMs, toMs }: MarketOptions): CandleSeries | undefined {
  const { symbol, intervalMs, columns } = candles;
  const [first, last] = [columns.openMs[0] ?? 0, columns.openMs.at(-1) ?? 0];
  const neededFrom = Math.max(fromMs ?? first, first);
  const neededTo = Math.min(toMs ?? Number.POSITIVE_INFINITY, last + intervalMs);
  for (const interval of source.intervals(symbol)) {
    if (INTERVAL_MS[interval] >= intervalMs) return undefined;
    const finer = source.load(symbol, interval);
    const endMs = (finer.columns.openMs.at(-1) ?? 0) + finer.intervalMs;
    if ((finer.columns.openMs[0] ?? 0) <= neededFrom && endMs >= neededTo) return finer;
  }
  return undefined;
}

/** Candles of one file or folder, read once for all coins. */
interface Source {
  /** The candles of --candles: those of the file, or the finest series of a coin. */
  of(symbol: string | undefined): CandleSeries;
  symbols(): string[];
  /** All series of a coin, finest first. */
  intervals(symbol: string): Interval[];
  load(symbol: string, interval: Interval): CandleSeries;
}

const detailOf = ({ detail }: MarketOptions): Source | undefined =>
  detail === undefined ? undefined : openSeries(detail);

function openSeries(path: string): Source {
  const namesOf = (list: readonly { readonly symbol: string }[]): string[] =>
    [...new Set(list.map(({ symbol }) => symbol))].toSorted();
  if (isFolder(path) && isCandleStore(path)) {
    const store = new CandleStore(path);
    return {
      of: (symbol) => readStored(path, symbol),
      symbols: () => namesOf(store.list()),
      intervals: (symbol) => INTERVALS.filter((interval) => store.find(symbol, interval) !== undefined),
      load: (symbol, interval) => loadStored(path, symbol, interval),
    };
  }
  const folder = isFolder(path) ? path : dirname(path);
  const found = isFolder(path) ? readCandleFolder(path) : [readNamedFile(path)];
  return {
    of: (symbol) => pick(path, found, symbol),
    symbols: () => namesOf(found),
    intervals: (symbol) => listFileIntervals(folder, symbol),
    load: (symbol, interval) => readFileInterval(folder, symbol, interval),
  };
}

function pick(path: string, found: readonly CandleSeries[], symbol: string | undefined): CandleSeries {
  const fitting = symbol === undefined ? found : found.filter((one) => one.symbol === symbol);
  const [series, another] = fitting;
  const names = found.map((one) => one.symbol).join(', ');
  if (series === undefined) throw new BadInputError(`${path} contains no candles of ${symbol}, only of ${names}.`);
  if (another !== undefined)
    throw new BadInputError(`${path} contains several coins: set --symbol to one of ${names}.`);
  return series;
}

/** The finest stored interval of a coin. */
function readStored(path: string, asked: string | undefined): CandleSeries {
  const store = new CandleStore(path);
  try {
    const finest = new Map(
      store
        .list()
        .toReversed()
        .map((one) => [one.symbol, one]),
    );
    const names = [...finest.keys()].toSorted().join(', ');
    const found = asked === undefined && finest.size === 1 ? [...finest.values()][0] : finest.get(asked ?? '');
    if (found === undefined && asked === undefined)
      throw new BadInputError(`${path} contains several coins: set --symbol to one of ${names}.`);
    if (found === undefined) throw new BadInputError(`${path} contains no candles of ${asked}, only of ${names}.`);
    return loadStored(path, found.symbol, found.interval);
  } catch (error) {
    throw error instanceof CandleStoreError ? new BadInputError(error.message) : error;
  }
}

function loadStored(path: string, symbol: string, interval: Interval): CandleSeries {
  try {
    const columns = new CandleStore(path).load(symbol, interval);
    if (columns === undefined) throw new BadInputError(`${path} holds no ${interval} candles of ${symbol}.`);
    return { symbol, interval, intervalMs: INTERVAL_MS[interval], columns };
  } catch (error) {
    throw error instanceof CandleStoreError ? new BadInputError(error.message) : error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    throw new BadInputError(`The candles ${path} cannot be read: ${messageOf(error)}.`);
  }
}

/** Validates a config like the form: a value out of bounds is refused, with its path. */
const readConfig = (strategy: AnyStrategy, path: string | undefined): unknown =>
  checkConfig(strategy, path === undefined ? {} : readJson(path, 'config'), path ?? 'The default config');

function checkConfig(strategy: AnyStrategy, given: unknown, name: string): unknown {
  const parsed = strategy.config.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new BadInputError(`${name} is not a config of ${strategy.name}: ${problemsOf(parsed.error)}.`);
}

const problemsOf = ({ issues }: z.ZodError): string =>
  issues.map((issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`).join('; ');

function readText(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new BadInputError(`The ${what} ${path} cannot be read: ${messageOf(error)}.`);
  }
}

function readJson(path: string, what: string): unknown {
  const text = readText(path, what);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadInputError(`The ${what} ${path} cannot be read: ${messageOf(error)}.`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
