import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { INTERVAL_MS, INTERVALS, type Interval } from '#core/candle.ts';
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
import { type BacktestInput, historyIntervals } from '#backtest/run.ts';
import type { BacktestOptions } from './options.ts';

type Input = BacktestInput & { readonly config: unknown };

/** Reads everything a run needs from files. Throws BadInputError with a sentence that names the file. */
export function readInputs(options: BacktestOptions): Input {
  const source = openSeries(options.candles);
  return inputOf(options, readConfig(options), {
    source,
    candles: source.of(options.symbol),
    detail: detailOf(options),
  });
}

/** The same for each coin of a basket: those named by --symbol, or all that there are. */
export function readBasketInputs(options: BacktestOptions): Input[] {
  const config = readConfig(options);
  const [source, detail] = [openSeries(options.candles), detailOf(options)];
  const symbols = options.symbol?.split(',') ?? source.symbols();
  return symbols.map((symbol) => inputOf(options, config, { source, candles: source.of(symbol), detail }));
}

interface Files {
  readonly source: Source;
  readonly candles: CandleSeries;
  /** Where --detail points. */
  readonly detail: Source | undefined;
}

function inputOf(options: BacktestOptions, config: unknown, { source, candles, detail: named }: Files): Input {
  const { terms, fromMs, toMs, strategy } = options;
  const bound = strategy.bind(config);
  const detail = named === undefined ? finerOf(source, candles, options) : named.of(candles.symbol);
  if (detail !== undefined && INTERVAL_MS[detail.interval] > INTERVAL_MS[candles.interval]) {
    throw new BadInputError(
      `--detail holds ${detail.interval} candles, which are coarser than the ${candles.interval} candles of --candles.`,
    );
  }
  const stored = source.intervals(candles.symbol).filter((interval) => interval !== candles.interval);
  const useful = new Set(historyIntervals(bound, (detail ?? candles).interval));
  return {
    config,
    bound,
    rules: listingOfSeries(detail ?? candles).rules,
    terms,
    candles,
    history: stored.filter((each) => useful.has(each)).map((each) => source.load(candles.symbol, each)),
    ...(detail === undefined ? {} : { detail }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
  };
}

/** The finest candles beside a named file that cover the window: they decide unless --detail says otherwise. */
function finerOf(source: Source, candles: CandleSeries, { fromMs, toMs }: BacktestOptions): CandleSeries | undefined {
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

/** Candles of one place, which is read once however many coins are asked of it. */
interface Source {
  /** The candles of --candles: those of the file, or the finest of a coin. */
  of(symbol: string | undefined): CandleSeries;
  symbols(): string[];
  /** Everything that is there of a coin, finest first. */
  intervals(symbol: string): Interval[];
  load(symbol: string, interval: Interval): CandleSeries;
}

const detailOf = ({ detail }: BacktestOptions): Source | undefined =>
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
  if (series === undefined) throw new BadInputError(`${path} holds no candles of ${symbol}, only of ${names}.`);
  if (another !== undefined)
    throw new BadInputError(`${path} holds several coins: give --symbol with one of ${names}.`);
  return series;
}

/** The finest interval that is stored of a coin. */
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
      throw new BadInputError(`${path} holds several coins: give --symbol with one of ${names}.`);
    if (found === undefined) throw new BadInputError(`${path} holds no candles of ${asked}, only of ${names}.`);
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

/** The settings as the form would save them: everything out of bounds is refused, with its path. */
function readConfig({ config: path, strategy }: BacktestOptions): unknown {
  const parsed = strategy.config.safeParse(path === undefined ? {} : readJson(path));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the config'}: ${issue.message}`);
  throw new BadInputError(`${path ?? 'The default config'} is no config of ${strategy.name}: ${problems.join('; ')}.`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new BadInputError(`The config ${path} cannot be read: ${messageOf(error)}.`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
