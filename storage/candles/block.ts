import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type CandleColumns, INTERVAL_MS, type Interval, isInterval } from '#core/candle.ts';
import { isObject } from '#core/merge.ts';

const MAGIC = 'TWC1';
const HEAD = 8;
const MOST_DECIMALS = 10;
const INT_BYTES = 4;
const FLOAT_BYTES = 8;
/** What node:zlib asks for at least. */
const SMALLEST_CHUNK = 64;
const PRICES = ['open', 'high', 'low', 'close'] as const;

/** What a block says about itself without being decoded. */
export interface BlockHeader {
  readonly interval: Interval;
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Holes inside the block: open time of the first missing candle and how many are missing. All other times follow. */
  readonly gaps: readonly (readonly [number, number])[];
  /** Decimals of the whole numbers that prices and volumes are stored as; null where they are stored as floats. */
  readonly priceDecimals: number | null;
  readonly volumeDecimals: number | null;
}

/** The decimals with which every value is a whole number over a power of ten, exactly; null when there are none. */
function decimalsOf(columns: readonly Float64Array[]): number | null {
  let decimals = 0;
  for (const column of columns) {
    for (const value of column) {
      while (Math.round(value * 10 ** decimals) / 10 ** decimals !== value) {
        decimals += 1;
        if (decimals > MOST_DECIMALS) return null;
      }
    }
  }
  return decimals;
}

/** Whole numbers of a column against a base of the row; null when one does not fit into 32 bits. */
function deltasOf(column: Float64Array, base: (row: number) => number, scale: number): Int32Array | null {
  const deltas = new Int32Array(column.length);
  for (const [row, value] of column.entries()) {
    const delta = Math.round(value * scale) - Math.round(base(row) * scale);
    if (delta !== (delta | 0)) return null;
    deltas[row] = delta;
  }
  return deltas;
}

/** Bytes of equal weight side by side, which compress better than the numbers themselves. */
function planesOf(values: Int32Array): Uint8Array {
  const rows = values.length;
  const planes = new Uint8Array(rows * INT_BYTES);
  for (let row = 0; row < rows; row++) {
    for (let byte = 0; byte < INT_BYTES; byte++) planes[byte * rows + row] = (values[row] ?? 0) >>> (8 * byte);
  }
  return planes;
}

/** Floats stay as they are: only a series that no decimals describe has them. */
const bytesOf = (column: Float64Array): Uint8Array => new Uint8Array(column.slice().buffer);

function pricePlanes({ open, high, low, close }: CandleColumns): { decimals: number | null; planes: Uint8Array[] } {
  const decimals = decimalsOf([open, high, low, close]);
  const scale = 10 ** (decimals ?? 0);
  const openAt = (row: number): number => open[row] ?? 0;
  const deltas = [
    deltasOf(open, (row) => close[row - 1] ?? 0, scale),
    ...[high, low, close].map((column) => deltasOf(column, openAt, scale)),
  ];
  const whole = deltas.filter((each) => each !== null);
  if (decimals !== null && whole.length === deltas.length) return { decimals, planes: whole.map(planesOf) };
  return { decimals: null, planes: [open, high, low, close].map(bytesOf) };
}

/** Packs candles of one series: deltas as whole numbers, byte planes, zstd with a checksum. Lossless for every float64. */
export function encodeBlock(interval: Interval, columns: CandleColumns): Buffer {
  const { openMs, volume } = columns;
  const rows = openMs.length;
  const stepMs = INTERVAL_MS[interval];
  const gaps: [number, number][] = [];
  for (let row = 1; row < rows; row++) {
    const nextMs = (openMs[row - 1] ?? 0) + stepMs;
    if (openMs[row] !== nextMs) gaps.push([nextMs, ((openMs[row] ?? 0) - nextMs) / stepMs]);
  }
  const prices = pricePlanes(columns);
  const volumeDecimals = decimalsOf([volume]);
  const volumes = volumeDecimals === null ? null : deltasOf(volume, () => 0, 10 ** volumeDecimals);
  const header: BlockHeader = {
    interval,
    rows,
    firstMs: openMs[0] ?? 0,
    lastMs: openMs[rows - 1] ?? 0,
    gaps,
    priceDecimals: prices.decimals,
    volumeDecimals: volumes === null ? null : volumeDecimals,
  };
  const body = Buffer.concat([...prices.planes, volumes === null ? bytesOf(volume) : planesOf(volumes)]);
  const head = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(INT_BYTES);
  size.writeUInt32LE(head.length);
  const params = { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 6 };
  return Buffer.concat([Buffer.from(MAGIC), size, head, zstdCompressSync(body, { params })]);
}

/** Reads the header of a block from its first bytes; undefined when they are no block. */
export function readBlockHeader(bytes: Buffer): { header: BlockHeader; end: number } | undefined {
  if (bytes.length < HEAD || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const end = HEAD + bytes.readUInt32LE(MAGIC.length);
  if (end > bytes.length) return undefined;
  const header: unknown = JSON.parse(bytes.toString('utf8', HEAD, end));
  return isHeader(header) ? { header, end } : undefined;
}

const isHeader = (value: unknown): value is BlockHeader =>
  isObject(value) &&
  typeof value['interval'] === 'string' &&
  isInterval(value['interval']) &&
  [value['rows'], value['firstMs'], value['lastMs']].every(Number.isFinite) &&
  Array.isArray(value['gaps']);

/** Unpacks a block into `into`, its first candle at row `at`. Throws when the block is damaged. */
export function decodeBlock(bytes: Buffer, into: CandleColumns, at: number): void {
  const read = readBlockHeader(bytes);
  if (read === undefined) throw new Error('it is no candle file');
  const { header, end } = read;
  const { rows, priceDecimals, volumeDecimals } = header;
  const priceBytes = priceDecimals === null ? FLOAT_BYTES : INT_BYTES;
  const volumeBytes = volumeDecimals === null ? FLOAT_BYTES : INT_BYTES;
  const size = rows * (PRICES.length * priceBytes + volumeBytes);
  const body = zstdDecompressSync(bytes.subarray(end), { chunkSize: Math.max(size, SMALLEST_CHUNK) });
  if (body.length !== size) throw new Error('it is cut short');
  const columns = sectionOf(into, at, rows);
  fillTimes(columns.openMs, header);
  const volumeAt = PRICES.length * rows * priceBytes;
  if (priceDecimals === null) {
    for (const [i, name] of PRICES.entries()) decodeFloats(body, i * rows * FLOAT_BYTES, columns[name]);
  } else decodePrices(body, columns, 10 ** priceDecimals);
  if (volumeDecimals === null) decodeFloats(body, volumeAt, columns.volume);
  else decodeInts(body.subarray(volumeAt), columns.volume, 10 ** volumeDecimals);
}

const sectionOf = (columns: CandleColumns, at: number, rows: number): CandleColumns => ({
  openMs: columns.openMs.subarray(at, at + rows),
  open: columns.open.subarray(at, at + rows),
  high: columns.high.subarray(at, at + rows),
  low: columns.low.subarray(at, at + rows),
  close: columns.close.subarray(at, at + rows),
  volume: columns.volume.subarray(at, at + rows),
});

/** The whole numbers whose four bytes lie `rows` apart. */
function intsOf(planes: Uint8Array, rows: number): Int32Array {
  const ints = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    ints[row] =
      (planes[row] ?? 0) |
      ((planes[row + rows] ?? 0) << 8) |
      ((planes[row + 2 * rows] ?? 0) << 16) |
      ((planes[row + 3 * rows] ?? 0) << 24);
  }
  return ints;
}

function fillTimes(openMs: Float64Array, { firstMs, gaps, interval }: BlockHeader): void {
  const stepMs = INTERVAL_MS[interval];
  let gap = 0;
  let ms = firstMs;
  for (let row = 0; row < openMs.length; row++) {
    const hole = gaps[gap];
    if (hole !== undefined && hole[0] === ms) {
      ms += hole[1] * stepMs;
      gap += 1;
    }
    openMs[row] = ms;
    ms += stepMs;
  }
}

function decodePrices(planes: Uint8Array, { open, high, low, close }: CandleColumns, scale: number): void {
  const rows = open.length;
  const [opens, highs, lows, closes] = PRICES.map((_name, i) => intsOf(planes.subarray(i * rows * INT_BYTES), rows));
  if (!opens || !highs || !lows || !closes) throw new Error('a candle has four prices');
  let last = 0;
  for (let row = 0; row < rows; row++) {
    const first = last + (opens[row] ?? 0);
    last = first + (closes[row] ?? 0);
    open[row] = first / scale;
    high[row] = (first + (highs[row] ?? 0)) / scale;
    low[row] = (first + (lows[row] ?? 0)) / scale;
    close[row] = last / scale;
  }
}

function decodeInts(planes: Uint8Array, column: Float64Array, scale: number): void {
  const ints = intsOf(planes, column.length);
  for (let row = 0; row < ints.length; row++) column[row] = (ints[row] ?? 0) / scale;
}

function decodeFloats(body: Buffer, start: number, column: Float64Array): void {
  column.set(new Float64Array(new Uint8Array(body.subarray(start, start + column.length * FLOAT_BYTES)).buffer));
}
