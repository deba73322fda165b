import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type CandleColumns, INTERVAL_MS, type Interval, isInterval } from '#core/market/candle.ts';
import { joinColumns, lowerBound, sliceColumns } from '#core/market/candle-columns.ts';
import { CandleTextError, parseCandleText } from '#core/market/candle-text.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { unzipOnly } from './zip.ts';

export interface CandleSeries {
  readonly symbol: string;
  readonly interval: Interval;
  readonly intervalMs: number;
  readonly columns: CandleColumns;
}

const FILE_NAME = /^([A-Z0-9]+)-([0-9]+[mhd])(?:-[^.]+)?\.(?:csv|csv\.gz|zip)$/;

/** The candle files of a folder by name. Throws BadInputError if there are none. */
function listCandleFiles(folder: string) {
  const files = matchingFiles(folder);
  if (files.length > 0) return files;
  throw new BadInputError(
    `The folder ${folder} holds no candle files: it needs at least one named SYMBOL-INTERVAL.csv, .csv.gz or .zip, such as BTCUSDT-1m.csv.gz or BTCUSDT-1m-2024-01.zip.`,
  );
}

const matchingFiles = (folder: string) =>
  listFolder(folder).flatMap((name) => {
    const [, symbol, interval] = FILE_NAME.exec(name) ?? [];
    if (symbol === undefined || interval === undefined || !isInterval(interval)) return [];
    return [{ name, symbol, interval, intervalMs: INTERVAL_MS[interval] }];
  });

/** Reads every candle file of a folder, one after the other, without joining them. Throws BadInputError. */
export function* readEachFile(folder: string): Generator<CandleSeries> {
  for (const { name } of listCandleFiles(folder)) yield readNamedFile(join(folder, name));
}

/**
 * Reads every file named SYMBOL-INTERVAL[-part].csv(.gz) of a folder. Keeps only the finest interval of a coin, with
 * its parts joined. Throws BadInputError with the folder, or with the file, line and value.
 */
export function readCandleFolder(folder: string): CandleSeries[] {
  const files = listCandleFiles(folder);
  const bySymbol = Map.groupBy(files, (file) => file.symbol);
  return [...bySymbol].map(([symbol, all]) => {
    const finest = Math.min(...all.map((file) => file.intervalMs));
    const kept = all.filter((file) => file.intervalMs === finest);
    const interval = kept[0]?.interval ?? '1m';
    const parts = kept.map((file) => readCandleFile(join(folder, file.name), finest));
    return { symbol, interval, intervalMs: finest, columns: joinParts(parts) };
  });
}

/** Every interval that a folder has files of for a coin, finest first. Empty if the folder has no candle files. */
export function listFileIntervals(folder: string, symbol: string): Interval[] {
  const found = new Set(matchingFiles(folder).flatMap((file) => (file.symbol === symbol ? [file.interval] : [])));
  return [...found].toSorted((a, b) => INTERVAL_MS[a] - INTERVAL_MS[b]);
}

/** The candles of one coin and interval in a folder, with the parts joined. Throws BadInputError. */
export function readFileInterval(folder: string, symbol: string, interval: Interval): CandleSeries {
  const files = matchingFiles(folder).filter((file) => file.symbol === symbol && file.interval === interval);
  const intervalMs = INTERVAL_MS[interval];
  const columns = joinParts(files.map(({ name }) => readCandleFile(join(folder, name), intervalMs)));
  return { symbol, interval, intervalMs, columns };
}

/** Reads one candle file. Its name gives coin and interval. Throws BadInputError. */
export function readNamedFile(path: string): CandleSeries {
  const [, symbol, interval] = FILE_NAME.exec(basename(path)) ?? [];
  if (symbol === undefined || interval === undefined || !isInterval(interval)) {
    throw new BadInputError(
      `The candle file ${path} must be named SYMBOL-INTERVAL.csv, .csv.gz or .zip, such as BTCUSDT-1m.csv.gz.`,
    );
  }
  const intervalMs = INTERVAL_MS[interval];
  return { symbol, interval, intervalMs, columns: readCandleFile(path, intervalMs) };
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new BadInputError(`The candle folder ${folder} cannot be read: ${cause}.`);
  }
}

function readCandleFile(path: string, intervalMs: number): CandleColumns {
  try {
    const raw = readFileSync(path);
    const columns = parseCandleText(textOf(path, raw), intervalMs);
    if (columns.openMs.length > 0) return columns;
  } catch (error) {
    if (error instanceof CandleTextError)
      throw new BadInputError(`The candle file ${path} is broken: ${error.message}.`);
    const cause = error instanceof Error ? error.message : String(error);
    throw new BadInputError(`The candle file ${path} cannot be read: ${cause}.`);
  }
  throw new BadInputError(`The candle file ${path} holds no candles.`);
}

function textOf(path: string, raw: Buffer): Uint8Array {
  if (path.endsWith('.zip')) return unzipOnly(raw);
  return path.endsWith('.gz') ? gunzipSync(raw) : raw;
}

/** Joins parts by time. If two parts hold the same candle the earlier part wins. */
function joinParts(parts: readonly CandleColumns[]): CandleColumns {
  const ordered = parts.toSorted((a, b) => (a.openMs[0] ?? 0) - (b.openMs[0] ?? 0));
  const kept: CandleColumns[] = [];
  let lastMs = -1;
  for (const part of ordered) {
    const start = lowerBound(part.openMs, lastMs + 1);
    kept.push(sliceColumns(part, start, part.openMs.length));
    lastMs = Math.max(lastMs, part.openMs.at(-1) ?? lastMs);
  }
  return joinColumns(kept);
}
