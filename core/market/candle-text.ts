import type { CandleColumns } from './candle.ts';

const COLUMNS = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const;
const HEADER = `${COLUMNS.join(',')}[,quoteVolume,trades]`;
const NEWLINE = 10;
const RETURN = 13;
const COMMA = 44;
const POINT = 46;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
/** A larger time is in microseconds, which the archive uses since 2025. */
const FIRST_MICROSECONDS = 1e14;
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** An invalid candle file. The message names the line, the column and the value. */
export class CandleTextError extends Error {
  readonly line: number;
  readonly value: string;
  constructor(line: number, value: string, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = 'CandleTextError';
    this.line = line;
    this.value = value;
  }
}

/**
 * Parses the text of a candle file (`.csv`, or `.csv.gz` decompressed by the caller) into columns.
 * Header `openTime,open,high,low,close,volume[,quoteVolume,trades]`; openTime in ms UTC, ascending and unique; prices
 * and volume as decimal text. A file of the exchange's public archive has the same columns, no header or its own, and
 * times in ms or in microseconds. Missing candles stay missing. `intervalMs`, when given, checks the grid of the times.
 * Throws CandleTextError.
 */
export function parseCandleText(bytes: Uint8Array, intervalMs?: number): CandleColumns {
  const start = skipHeader(bytes);
  const rows = countLines(bytes, start);
  const columns = COLUMNS.map(() => new Float64Array(rows));
  const firstLine = start === 0 ? 1 : 2;
  const cursor: Cursor = { bytes, at: start, line: firstLine };
  let count = 0;
  while (skipBlank(cursor)) {
    for (const [index, column] of columns.entries()) column[count] = readNumber(cursor, COLUMNS[index] ?? '');
    skipRestOfLine(cursor);
    count += 1;
    cursor.line += 1;
  }
  const [openMs, open, high, low, close, volume] = columns.map((column) => column.subarray(0, count));
  if (!openMs || !open || !high || !low || !close || !volume) throw new Error('a candle has six columns');
  for (const [row, time] of openMs.entries()) if (time >= FIRST_MICROSECONDS) openMs[row] = time / 1000;
  const parsed = { openMs, open, high, low, close, volume };
  for (let row = 0; row < count; row++) requireSoundRow(parsed, row, { intervalMs, firstLine });
  return parsed;
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
  line: number;
}

function skipHeader(bytes: Uint8Array): number {
  const first = bytes[0] ?? 0;
  if (first >= DIGIT_0 && first <= DIGIT_9) return 0;
  const end = bytes.indexOf(NEWLINE);
  const header = decode(bytes, 0, end < 0 ? bytes.length : end)
    .replace(/^\uFEFF/, '')
    .trim();
  if (!header.replace('open_time', 'openTime').startsWith(COLUMNS.join(','))) {
    throw new CandleTextError(1, header, `the header is "${header.slice(0, 80)}", but must be "${HEADER}"`);
  }
  return end < 0 ? bytes.length : end + 1;
}

function countLines(bytes: Uint8Array, start: number): number {
  let lines = 1;
  for (let at = bytes.indexOf(NEWLINE, start); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

/** Moves past blank lines; false at the end of the text. */
function skipBlank(cursor: Cursor): boolean {
  for (;;) {
    const byte = cursor.bytes[cursor.at];
    if (byte === undefined) return false;
    if (byte === NEWLINE) cursor.line += 1;
    else if (byte !== RETURN) return true;
    cursor.at += 1;
  }
}

function skipRestOfLine(cursor: Cursor): void {
  const end = cursor.bytes.indexOf(NEWLINE, cursor.at);
  cursor.at = end < 0 ? cursor.bytes.length : end + 1;
}

/** Reads one cell: plain digits exactly through an integer mantissa, anything longer through Number. */
function readNumber(cursor: Cursor, column: string): number {
  const { bytes } = cursor;
  const start = cursor.at;
  let mantissa = 0;
  let decimals = -1;
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= DIGIT_0 && byte <= DIGIT_9) {
      mantissa = mantissa * 10 + (byte - DIGIT_0);
      if (decimals >= 0) decimals += 1;
    } else if (byte === POINT && decimals < 0) decimals = 0;
    else break;
  }
  const end = bytes[at];
  const ended = end === undefined || end === COMMA || end === NEWLINE || end === RETURN;
  const scale = POWERS[Math.max(decimals, 0)];
  const exact = ended && at > start && scale !== undefined && mantissa <= Number.MAX_SAFE_INTEGER;
  const value = exact ? mantissa / scale : readSlowly(cursor, column);
  if (!exact) return value;
  cursor.at = end === COMMA ? at + 1 : at;
  return value;
}

function readSlowly(cursor: Cursor, column: string): number {
  let end = cursor.at;
  while (end < cursor.bytes.length && ![COMMA, NEWLINE, RETURN].includes(cursor.bytes[end] ?? NEWLINE)) end += 1;
  const text = decode(cursor.bytes, cursor.at, end).trim();
  const value = text === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value))
    throw new CandleTextError(cursor.line, text, `"${text}" in column ${column} is not a number`);
  cursor.at = cursor.bytes[end] === COMMA ? end + 1 : end;
  return value;
}

interface Expected {
  readonly intervalMs: number | undefined;
  readonly firstLine: number;
}

function requireSoundRow(columns: CandleColumns, row: number, { intervalMs, firstLine }: Expected): void {
  const at = (column: Float64Array): number => column[row] ?? Number.NaN;
  const openMs = at(columns.openMs);
  const [open, high, low, close] = [at(columns.open), at(columns.high), at(columns.low), at(columns.close)];
  const fail = (value: number, problem: string): never => {
    throw new CandleTextError(row + firstLine, String(value), problem);
  };
  const previous = row === 0 ? -1 : (columns.openMs[row - 1] ?? -1);
  if (openMs <= previous) fail(openMs, `openTime ${openMs} does not come after ${previous}, the openTime before it`);
  if (intervalMs !== undefined && openMs % intervalMs !== 0)
    fail(openMs, `openTime ${openMs} is not a multiple of ${intervalMs} ms`);
  if (!(low > 0)) fail(low, `low ${low} is not above zero`);
  if (!(low <= open && low <= close)) fail(low, `low ${low} is above open ${open} or close ${close}`);
  if (!(high >= open && high >= close)) fail(high, `high ${high} is below open ${open} or close ${close}`);
  if (!(at(columns.volume) >= 0)) fail(at(columns.volume), `volume ${at(columns.volume)} is below zero`);
}

const decode = (bytes: Uint8Array, start: number, end: number): string =>
  new TextDecoder().decode(bytes.subarray(start, end));
