import { statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { CandleColumns } from '#core/market/candle.ts';
import { INTERVAL_MS, INTERVALS, type Interval, isInterval } from '#core/market/candle.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import { endpointsOf } from '#exchange/endpoints.ts';
import { createMarketReader } from '#exchange/read.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { type CandleSeries, readEachFile, readNamedFile } from '#paper/market/candle-files.ts';
import { CandleStore, CandleStoreError, type StoredSeries } from '#storage/candles/store.ts';
import { backfillCandles } from '#worker/backfill.ts';
import type { CommandContext } from '#cli/command.ts';
import { parseFlags } from '#cli/flags.ts';
import { readInstant } from '#cli/instant.ts';

const kinds = {
  from: 'text',
  to: 'text',
  file: 'text',
  symbol: 'text',
  interval: 'text',
  market: 'text',
  'data-dir': 'text',
  json: 'switch',
} as const;
const MARKETS = ['live', 'testnet', 'demo', 'paper'] as const;
type Market = (typeof MARKETS)[number];
const isMarket = (text: string): text is Market => MARKETS.some((market) => market === text);

interface Order {
  readonly values: ReadonlyMap<string, string>;
  readonly store: CandleStore;
  readonly market: Market;
  readonly context: CommandContext;
}

const ACTIONS: Readonly<Record<string, (order: Order) => Promise<void> | void>> = {
  import: importFiles,
  fetch: fetchCandles,
  export: exportFile,
  list: listSeries,
};

/** `tradewind candles import|fetch|export|list`. Returns the exit code: 0 done, 1 cannot be done, 2 wrong usage. */
export async function runCandles([name = '', ...argv]: readonly string[], context: CommandContext): Promise<number> {
  const action = ACTIONS[name];
  const flags = parseFlags(`candles ${name}`, argv, kinds);
  const market = flags.kind === 'flags' ? (flags.values.get('market') ?? 'live') : 'live';
  const problem =
    action === undefined
      ? `"tradewind candles" needs one of ${Object.keys(ACTIONS).join(', ')}, not "${name}".`
      : flags.kind === 'problem'
        ? flags.sentence
        : `--market is "${market}", but must be one of ${MARKETS.join(', ')}.`;
  if (action === undefined || flags.kind === 'problem' || !isMarket(market)) {
    console.error(problem);
    return 2;
  }
  const { values } = flags;
  const dataDir = resolve(values.get('data-dir') ?? join(context.home, '.tradewind'));
  try {
    await action({ values, store: new CandleStore(join(dataDir, 'candles', market)), market, context });
    return 0;
  } catch (error) {
    if (error instanceof BadInputError || error instanceof CandleStoreError) console.error(error.message);
    else if (error instanceof Error) console.error(`The candles could not be used: ${error.message}.`);
    else throw error;
    return 1;
  }
}

function required(values: ReadonlyMap<string, string>, name: string, example: string): string {
  const value = values.get(name);
  if (value === undefined) throw new BadInputError(`--${name} is missing: set it to ${example}.`);
  return value;
}

function seriesFlags(values: ReadonlyMap<string, string>): { symbol: string; interval: Interval } {
  const symbol = required(values, 'symbol', 'a coin such as BTCUSDT');
  const interval = required(values, 'interval', 'one such as 1m');
  if (isInterval(interval) && /^[A-Z0-9]+$/.test(symbol)) return { symbol, interval };
  throw new BadInputError(`--interval must be one of ${INTERVALS.join(', ')}, and --symbol letters such as BTCUSDT.`);
}

function dateFlag(values: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = values.get(name);
  const date = text === undefined ? undefined : readInstant(text);
  if (text === undefined || date !== undefined) return date?.getTime();
  throw new BadInputError(`--${name} is "${text}", but must be a date such as 2022-06-01 or 2022-06-01T12:00:00Z.`);
}

/** Stores candles only when every file is valid. */
function importFiles({ values, store }: Order): void {
  const path = resolve(
    required(values, 'file', 'a candle file, a zip file of the public archive, or a folder of them'),
  );
  const folder = statSync(path).isDirectory();
  const each = (): Iterable<CandleSeries> => (folder ? readEachFile(path) : [readNamedFile(path)]);
  let files = 0;
  for (const { columns } of each()) files += Math.sign(columns.openMs.length);
  const total = { added: 0, replaced: 0 };
  for (const { symbol, interval, columns } of each()) {
    const { added, replaced } = store.add(symbol, interval, columns);
    total.added += added;
    total.replaced += replaced;
  }
  console.log(
    `Read ${files} ${files === 1 ? 'file' : 'files'}: ${total.added} candles are new, ${total.replaced} replaced others.`,
  );
  listSeries({ values, store });
}

async function fetchCandles({ values, store, market, context }: Order): Promise<void> {
  const { symbol, interval } = seriesFlags(values);
  const fromMs = dateFlag(values, 'from');
  if (fromMs === undefined) throw new BadInputError('--from is missing: set it to a date such as 2022-06-01.');
  const env = parseEnvironment({ ...context.environment, DATABASE_URL: 'postgres://unused' });
  const reader = createMarketReader({ restUrl: endpointsOf(market, env).restUrl });
  await reader.clock.sync();
  const toMs = Math.min(dateFlag(values, 'to') ?? Number.MAX_SAFE_INTEGER, reader.clock.marketMs());
  const added = await backfillCandles(reader, store, { symbol, interval, fromMs, toMs });
  console.log(`Fetched ${added} candles of ${symbol} at ${interval}.`);
}

function exportFile({ values, store }: Order): void {
  const { symbol, interval } = seriesFlags(values);
  const path = resolve(required(values, 'file', 'the name of the file to write, such as BTCUSDT-1m.csv.gz'));
  const [fromMs, toMs] = [dateFlag(values, 'from'), dateFlag(values, 'to')];
  const columns = store.load(symbol, interval, {
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
  });
  if (columns === undefined) throw new BadInputError(`No ${interval} candles of ${symbol} are stored for that time.`);
  const text = csvOf(columns);
  writeFileSync(path, path.endsWith('.gz') ? gzipSync(text) : text);
  console.log(`Wrote ${columns.openMs.length} candles to ${path}.`);
}

function csvOf({ openMs, open, high, low, close, volume }: CandleColumns): string {
  const lines = ['openTime,open,high,low,close,volume'];
  for (const [row, ms] of openMs.entries()) {
    const values = [open, high, low, close, volume].map((column) => plain(column[row] ?? 0));
    lines.push(`${ms},${values.join(',')}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Shortest decimal text that reads back as the same number, without an exponent. */
function plain(value: number): string {
  const text = String(value);
  const [digits = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  return value.toFixed(Math.min(100, (digits.split('.')[1]?.length ?? 0) + Math.max(0, -Number(exponent))));
}

const time = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

function listSeries({ values, store }: Pick<Order, 'values' | 'store'>): void {
  const list = store.list();
  if (values.has('json')) return console.log(JSON.stringify(list, null, 2));
  for (const series of list) console.log(lineOf(series));
  if (list.length === 0) console.log('No candles are stored.');
}

function lineOf({ symbol, interval, fromMs, toMs, candles, missing, gaps }: StoredSeries): string {
  const holes = gaps.length === 1 ? 'one gap' : `${gaps.length} gaps`;
  const covered = ((candles * INTERVAL_MS[interval] * 100) / (toMs - fromMs)).toFixed(2);
  const lack = missing === 0 ? 'complete' : `${missing} missing in ${holes}, ${covered} % covered`;
  return `${symbol} ${interval}  ${time(fromMs)} to ${time(toMs)} UTC  ${candles} candles, ${lack}`;
}
