import { joinBytes } from '#core/bytes.ts';
import { type CandleColumns, INTERVAL_MS, type Interval, isInterval } from './candle.ts';
import { isObject } from '#core/merge.ts';

const MOST_DECIMALS = 10;
const INT_BYTES = 4;
const FLOAT_BYTES = 8;
const PRICES = ['open', 'high', 'low', 'close'] as const;

/** Metadata of packed candles, readable without decoding. */
export interface PlanesHeader {
  readonly interval: Interval;
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Gaps: open time of the first missing candle and number of missing candles. All other times follow from these. */
  readonly gaps: readonly (readonly [number, number])[];
  /** Decimals of prices and volumes stored as whole numbers; null when they are stored as floats. */
  readonly priceDecimals: number | null;
  readonly volumeDecimals: number | null;
}

/** The number of decimals with which every value is exactly a whole number over a power of ten; null when none fits. */
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

/** Whole-number differences of a column to a base per row; null when one does not fit into 32 bits. */
function deltasOf(column: Float64Array, base: (row: number) => number, scale: number): Int32Array | null {
  const deltas = new Int32Array(column.length);
  for (const [row, value] of column.entries()) {
    const delta = Math.round(value * scale) - Math.round(base(row) * scale);
    if (delta !== (delta | 0)) return null;
    deltas[row] = delta;
  }
  return deltas;
}

/** Groups bytes of equal weight, which compress better than the numbers themselves. */
function planesOf(values: Int32Array): Uint8Array {
  const rows = values.length;
  const planes = new Uint8Array(rows * INT_BYTES);
  for (let row = 0; row < rows; row++) {
    for (let byte = 0; byte < INT_BYTES; byte++) planes[byte * rows + row] = (values[row] ?? 0) >>> (8 * byte);
  }
  return planes;
}

/** Raw floats, for a series without an exact number of decimals. */
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

/**
 * Packs candles of one series: differences as whole numbers, grouped by bytes of equal weight, ready for compression.
 * Lossless for every float64.
 */
export function encodePlanes(interval: Interval, columns: CandleColumns): { header: PlanesHeader; body: Uint8Array } {
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
  const header: PlanesHeader = {
    interval,
    rows,
    firstMs: openMs[0] ?? 0,
    lastMs: openMs[rows - 1] ?? 0,
    gaps,
    priceDecimals: prices.decimals,
    volumeDecimals: volumes === null ? null : volumeDecimals,
  };
  const parts = [...prices.planes, volumes === null ? bytesOf(volume) : planesOf(volumes)];
  return { header, body: joinBytes(parts) };
}

export const isPlanesHeader = (value: unknown): value is PlanesHeader =>
  isObject(value) &&
  typeof value['interval'] === 'string' &&
  isInterval(value['interval']) &&
  [value['rows'], value['firstMs'], value['lastMs']].every(Number.isFinite) &&
  Array.isArray(value['gaps']);

/** Bytes of the planes of a header. */
export const planesSize = ({ rows, priceDecimals, volumeDecimals }: PlanesHeader): number =>
  rows *
  (PRICES.length * (priceDecimals === null ? FLOAT_BYTES : INT_BYTES) +
    (volumeDecimals === null ? FLOAT_BYTES : INT_BYTES));

/** Unpacks candles into `into`, the first one at row `at`. Throws when the planes are not those of the header. */
export function decodePlanes(
  { header, body }: { readonly header: PlanesHeader; readonly body: Uint8Array },
  into: CandleColumns,
  at: number,
): void {
  const { rows, priceDecimals, volumeDecimals } = header;
  if (body.length !== planesSize(header)) throw new Error('it is truncated');
  const columns = sectionOf(into, at, rows);
  fillTimes(columns.openMs, header);
  const volumeAt = PRICES.length * rows * (priceDecimals === null ? FLOAT_BYTES : INT_BYTES);
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

/** The whole number whose four bytes are `rows` apart. */
const intAt = (planes: Uint8Array, row: number, rows: number): number =>
  (planes[row] ?? 0) |
  ((planes[row + rows] ?? 0) << 8) |
  ((planes[row + 2 * rows] ?? 0) << 16) |
  ((planes[row + 3 * rows] ?? 0) << 24);

function fillTimes(openMs: Float64Array, { firstMs, gaps, interval }: PlanesHeader): void {
  const stepMs = INTERVAL_MS[interval];
  let gap = 0;
  let holeMs = gaps[gap]?.[0];
  let ms = firstMs;
  for (let row = 0; row < openMs.length; row++) {
    if (ms === holeMs) {
      ms += (gaps[gap]?.[1] ?? 0) * stepMs;
      gap += 1;
      holeMs = gaps[gap]?.[0];
    }
    openMs[row] = ms;
    ms += stepMs;
  }
}

/** Bytes to prices in one loop, which hides the latency of the divisions. Most candles open at the last close. */
function decodePrices(planes: Uint8Array, { open, high, low, close }: CandleColumns, scale: number): void {
  const rows = open.length;
  const [highAt, lowAt, closeAt] = [INT_BYTES * rows, 2 * INT_BYTES * rows, 3 * INT_BYTES * rows];
  let last = 0;
  let lastPrice = 0;
  for (let row = 0; row < rows; row++) {
    const jump = intAt(planes, row, rows);
    const first = last + jump;
    last = first + intAt(planes, closeAt + row, rows);
    open[row] = jump === 0 ? lastPrice : first / scale;
    high[row] = (first + intAt(planes, highAt + row, rows)) / scale;
    low[row] = (first + intAt(planes, lowAt + row, rows)) / scale;
    lastPrice = last / scale;
    close[row] = lastPrice;
  }
}

function decodeInts(planes: Uint8Array, column: Float64Array, scale: number): void {
  const rows = column.length;
  for (let row = 0; row < rows; row++) column[row] = intAt(planes, row, rows) / scale;
}

function decodeFloats(body: Uint8Array, start: number, column: Float64Array): void {
  column.set(new Float64Array(new Uint8Array(body.subarray(start, start + column.length * FLOAT_BYTES)).buffer));
}

const HEAD_BYTES = 4;

/** Wire format of candles: length of the header, header as JSON, planes. */
export function packColumns(head: object, { header, body }: ReturnType<typeof encodePlanes>): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify({ ...head, ...header }));
  const size = new Uint8Array(HEAD_BYTES);
  new DataView(size.buffer).setUint32(0, text.length, true);
  return joinBytes([size, text, body]);
}

/** Reverses `packColumns`. Throws for anything else. */
export function decodeColumns(bytes: Uint8Array): {
  head: PlanesHeader & Record<string, unknown>;
  columns: CandleColumns;
} {
  const end = HEAD_BYTES + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(HEAD_BYTES, end)));
  if (!isPlanesHeader(head)) throw new Error('it contains no candles');
  const column = (): Float64Array => new Float64Array(head.rows);
  const [openMs, open, high, low, close, volume] = [column(), column(), column(), column(), column(), column()];
  const columns = { openMs, open, high, low, close, volume };
  decodePlanes({ header: head, body: bytes.subarray(end) }, columns, 0);
  return { head: { ...head }, columns };
}
