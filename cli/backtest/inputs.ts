import { readFileSync, statSync } from 'node:fs';
import { INTERVAL_MS } from '#core/candle.ts';
import { CandleStore, CandleStoreError, isCandleStore } from '#storage/candles/store.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { type CandleSeries, readCandleFolder, readNamedFile } from '#paper/market/candle-files.ts';
import { listingOfSeries } from '#paper/market/replay.ts';
import type { BacktestInput } from '#backtest/run.ts';
import type { BacktestOptions } from './options.ts';

type Input = BacktestInput & { readonly config: unknown };

/** Reads everything a run needs from files. Throws BadInputError with a sentence that names the file. */
export function readInputs(options: BacktestOptions): Input {
  return inputOf(options, readConfig(options), readSeries(options.candles, options.symbol));
}

/** The same for each coin of a basket: those named by --symbol, or all that there are. */
export function readBasketInputs(options: BacktestOptions): Input[] {
  const { candles: path, symbol: named } = options;
  const config = readConfig(options);
  const stored = isFolder(path) && isCandleStore(path);
  const known = stored ? new CandleStore(path).list() : readFiles(path);
  const symbols = named?.split(',') ?? [...new Set(known.map(({ symbol }) => symbol))].toSorted();
  return symbols.map((symbol) => inputOf(options, config, readSeries(path, symbol)));
}

function inputOf(options: BacktestOptions, config: unknown, candles: CandleSeries): Input {
  const { terms, fromMs, toMs, strategy } = options;
  const detail = options.detail === undefined ? undefined : readSeries(options.detail, candles.symbol);
  if (detail !== undefined && INTERVAL_MS[detail.interval] > INTERVAL_MS[candles.interval]) {
    throw new BadInputError(
      `--detail holds ${detail.interval} candles, which are coarser than the ${candles.interval} candles of --candles.`,
    );
  }
  return {
    config,
    bound: strategy.bind(config),
    rules: listingOfSeries(detail ?? candles).rules,
    terms,
    candles,
    ...(detail === undefined ? {} : { detail }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
  };
}

const readFiles = (path: string): CandleSeries[] => (isFolder(path) ? readCandleFolder(path) : [readNamedFile(path)]);

function readSeries(path: string, symbol: string | undefined): CandleSeries {
  if (isFolder(path) && isCandleStore(path)) return readStored(path, symbol);
  const found = readFiles(path);
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
    const columns = found && store.load(found.symbol, found.interval);
    if (found === undefined || columns === undefined)
      throw new BadInputError(`${path} holds no candles of ${asked}, only of ${names}.`);
    return { symbol: found.symbol, interval: found.interval, intervalMs: INTERVAL_MS[found.interval], columns };
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
