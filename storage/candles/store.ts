import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CandleColumns, INTERVAL_MS, INTERVALS, type Interval, isInterval } from '#core/market/candle.ts';
import { lowerBound, sharedColumns, sliceColumns } from '#core/market/candle-columns.ts';
import { type BlockHeader, decodeBlock, encodeBlock, readBlockHeader } from './block.ts';
import { takeTurn } from './turn.ts';

const ENDING = '.candles';
/** Headers are read without the candles after them; a file whose header is longer is read completely. */
const HEADER_BYTES = 4096;

/** A candle file that cannot be read; the message names it and says what to do. */
export class CandleStoreError extends Error {
  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The candle file ${path} cannot be used (${reason}): delete it and import its month again.`);
    this.name = 'CandleStoreError';
  }
}

/** Summary of one stored series. */
export interface StoredSeries {
  readonly symbol: string;
  readonly interval: Interval;
  readonly fromMs: number;
  /** End of the last candle. */
  readonly toMs: number;
  readonly candles: number;
  /** Number of missing candles between the first and the last one, and the gaps. */
  readonly missing: number;
  readonly gaps: readonly { readonly fromMs: number; readonly candles: number }[];
}

interface TimeWindow {
  readonly fromMs?: number;
  readonly toMs?: number;
}

interface Part {
  readonly path: string;
  readonly header: BlockHeader;
}

const foldersOf = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .toSorted()
    : [];

function readHeader(path: string): BlockHeader {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(HEADER_BYTES);
    const read = readBlockHeader(bytes.subarray(0, readSync(file, bytes))) ?? readBlockHeader(readFileSync(path));
    if (read === undefined) throw new Error('it is not a candle file');
    return read.header;
  } catch (error) {
    throw new CandleStoreError(path, error);
  } finally {
    closeSync(file);
  }
}

function decodeFile({ path }: Part, into: CandleColumns, at: number): void {
  try {
    decodeBlock(readFileSync(path), into, at);
  } catch (error) {
    throw new CandleStoreError(path, error);
  }
}

const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

/**
 * Candles of one venue in a folder: one file per coin, interval and month (UTC). The files are the catalogue: the
 * header of each describes its content. Every write replaces a whole file atomically.
 */
export class CandleStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  #parts(symbol: string, interval: Interval): Part[] {
    const folder = join(this.#root, symbol, interval);
    const names = existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith(ENDING))
          .toSorted()
      : [];
    return names.map((name) => ({ path: join(folder, name), header: readHeader(join(folder, name)) }));
  }

  /** All stored series, by coin and from the finest interval to the coarsest. */
  list(): StoredSeries[] {
    return foldersOf(this.#root).flatMap((symbol) =>
      INTERVALS.flatMap((interval) => this.find(symbol, interval) ?? []),
    );
  }

  /** Summary of one series; undefined when nothing is stored. Unpacks no candles. */
  find(symbol: string, interval: Interval): StoredSeries | undefined {
    const parts = this.#parts(symbol, interval);
    return parts.length === 0 ? undefined : seriesOf(symbol, interval, parts);
  }

  /**
   * Candles that open from `fromMs` on and before `toMs`, in shared memory; undefined when nothing is stored.
   * Throws CandleStoreError.
   */
  load(symbol: string, interval: Interval, window: TimeWindow = {}): CandleColumns | undefined {
    const reading = this.#read(symbol, interval, window);
    for (;;) {
      const step = reading.next();
      if (step.done === true) return step.value;
    }
  }

  /** Like load, but month by month, and yields to other work of the thread in between. */
  async loadInTurns(symbol: string, interval: Interval, window: TimeWindow = {}): Promise<CandleColumns | undefined> {
    const reading = this.#read(symbol, interval, window);
    for (;;) {
      const step = reading.next();
      if (step.done === true) return step.value;
      await nextTurn();
    }
  }

  *#read(
    symbol: string,
    interval: Interval,
    { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER }: TimeWindow,
  ): Generator<void, CandleColumns | undefined> {
    const parts = this.#parts(symbol, interval).filter(
      ({ header }) => header.lastMs >= fromMs && header.firstMs < toMs,
    );
    if (parts.length === 0) return undefined;
    const columns = sharedColumns(parts.reduce((sum, { header }) => sum + header.rows, 0));
    let at = 0;
    for (const part of parts) {
      decodeFile(part, columns, at);
      at += part.header.rows;
      yield;
    }
    return sliceColumns(columns, lowerBound(columns.openMs, fromMs), lowerBound(columns.openMs, toMs));
  }

  /** The turn to fetch candles of a series, among all that share the folder: turn.ts. Rejects when aborted. */
  turn(symbol: string, interval: Interval, signal?: AbortSignal): Promise<Disposable> {
    return takeTurn(join(this.#root, symbol, interval), signal);
  }

  /** Adds candles of one series and replaces stored ones. Returns how many are new and how many differed. */
  add(symbol: string, interval: Interval, columns: CandleColumns): { added: number; replaced: number } {
    const folder = join(this.#root, symbol, interval);
    mkdirSync(folder, { recursive: true });
    const total = { added: 0, replaced: 0 };
    const rows = columns.openMs.length;
    for (let start = 0; start < rows; ) {
      const month = monthOf(columns.openMs[start] ?? 0);
      const next = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1);
      const end = lowerBound(columns.openMs, next);
      const path = join(folder, `${month}${ENDING}`);
      const merged = mergeColumns(readMonth(path), sliceColumns(columns, start, end));
      total.added += merged.added;
      total.replaced += merged.replaced;
      replaceFile(path, encodeBlock(interval, merged.columns));
      start = end;
    }
    return total;
  }
}

/** Workers in containers share a folder and have equal process ids, so those do not distinguish drafts. */
function replaceFile(path: string, bytes: Buffer): void {
  const draft = `${path}.${randomUUID()}.draft`;
  try {
    writeFileSync(draft, bytes, { flush: true });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function readMonth(path: string): CandleColumns {
  if (!existsSync(path)) return sharedColumns(0);
  const header = readHeader(path);
  const columns = sharedColumns(header.rows);
  decodeFile({ path, header }, columns, 0);
  return columns;
}

/** Merges both by time; the fresh candle wins. */
function mergeColumns(old: CandleColumns, fresh: CandleColumns) {
  const times = Float64Array.from(new Set([...old.openMs, ...fresh.openMs])).toSorted();
  const columns = sharedColumns(times.length);
  let [oldRow, freshRow, replaced] = [0, 0, 0];
  for (const [row, ms] of times.entries()) {
    const [inOld, inFresh] = [old.openMs[oldRow] === ms, fresh.openMs[freshRow] === ms];
    if (inOld && inFresh && differs(old, oldRow, { fresh, freshRow })) replaced += 1;
    copyRow(inFresh ? fresh : old, inFresh ? freshRow : oldRow, { columns, row });
    if (inOld) oldRow += 1;
    if (inFresh) freshRow += 1;
  }
  return { columns, replaced, added: times.length - old.openMs.length };
}

const NAMES = ['openMs', 'open', 'high', 'low', 'close', 'volume'] as const;

const differs = (old: CandleColumns, oldRow: number, { fresh, freshRow }: { fresh: CandleColumns; freshRow: number }) =>
  NAMES.some((name) => old[name][oldRow] !== fresh[name][freshRow]);

function copyRow(from: CandleColumns, at: number, { columns, row }: { columns: CandleColumns; row: number }): void {
  for (const name of NAMES) columns[name][row] = from[name][at] ?? 0;
}

function seriesOf(symbol: string, interval: Interval, parts: readonly Part[]): StoredSeries {
  const stepMs = INTERVAL_MS[interval];
  const gaps = parts.flatMap(({ header }, i) => {
    const before = parts[i - 1]?.header;
    const lackMs = before === undefined ? 0 : header.firstMs - before.lastMs - stepMs;
    const between =
      before === undefined || lackMs <= 0 ? [] : [{ fromMs: before.lastMs + stepMs, candles: lackMs / stepMs }];
    return [...between, ...header.gaps.map(([fromMs, candles]) => ({ fromMs, candles }))];
  });
  return {
    symbol,
    interval,
    fromMs: parts[0]?.header.firstMs ?? 0,
    toMs: (parts.at(-1)?.header.lastMs ?? 0) + stepMs,
    candles: parts.reduce((sum, { header }) => sum + header.rows, 0),
    missing: gaps.reduce((sum, { candles }) => sum + candles, 0),
    gaps,
  };
}

/** True when a folder is a store rather than a folder of candle files. */
export const isCandleStore = (folder: string): boolean =>
  foldersOf(folder).some((symbol) => foldersOf(join(folder, symbol)).some(isInterval));
