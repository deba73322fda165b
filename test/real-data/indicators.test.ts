import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createIchimoku } from '#core/indicators/ichimoku.ts';
import { createStochRsi } from '#core/indicators/stoch-rsi.ts';
import { createSupertrend } from '#core/indicators/supertrend.ts';

const folder = join(import.meta.dirname, '../../../shared/data/indicators/lean');
const skip = existsSync(folder) ? false : `needs recorded indicator values in ${folder}, and there are none`;

interface Row {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** The printed text of a column, '' where nothing is printed. */
  readonly text: (column: string) => string;
}

function readRows(file: string): Row[] {
  const lines = readFileSync(join(folder, file), 'utf8').replaceAll('\r', '').trim().split('\n');
  const names = (lines[0] ?? '').split(',').map((name) => name.trim().toLowerCase());
  return lines.slice(1).map((line) => {
    const cells = line.split(',');
    const text = (column: string): string => cells[names.indexOf(column.toLowerCase())]?.trim() ?? '';
    const number = (column: string): number => Number(text(column));
    const [open, high, low] = [number('open'), number('high'), number('low')];
    return { open, high, low, close: number('close'), volume: number('volume'), text };
  });
}

interface Vector {
  readonly file: string;
  readonly column: string;
  push(row: Row): void;
  read(): number;
  /** The first row that is compared, 0 unless the source has another seed that must fade first. */
  readonly from?: number;
  /** Absolute. */
  readonly within: number;
  readonly rows: number;
}

function check({ file, column, push, read, from = 0, within, rows }: Vector): void {
  let compared = 0;
  for (const [i, row] of readRows(file).entries()) {
    push(row);
    const printed = row.text(column);
    if (printed === '' || printed === 'NaN' || i < from || Number.isNaN(read())) continue;
    compared += 1;
    const away = Math.abs(read() - Number(printed));
    assert.ok(away <= within, `${file} row ${i}: ${read()}, printed ${printed}`);
  }
  assert.equal(compared, rows);
}

/** A vector of an indicator of closes, and one of an indicator of candles, each read in one way. */
const ofCloses =
  <T extends { push(value: number): void }>(indicator: T, read: (indicator: T) => number) =>
  (where: Pick<Vector, 'file' | 'column' | 'from' | 'within' | 'rows'>): void =>
    check({ ...where, push: (row) => indicator.push(row.close), read: () => read(indicator) });
const ofCandles =
  <T extends { push(row: Row): void }>(indicator: T, read: (indicator: T) => number) =>
  (where: Pick<Vector, 'file' | 'column' | 'from' | 'within' | 'rows'>): void =>
    check({ ...where, push: (row) => indicator.push(row), read: () => read(indicator) });

// What TA-Lib has by itself is compared with it, to more digits (test/golden/indicators-talib.test.ts).
test('stochastic RSI', { skip }, () => {
  const stochRsi = () => createStochRsi({ rsi: 14, length: 14, smooth: 3, signal: 3 });
  ofCloses(stochRsi(), (x) => x.k)({ file: 'spy_with_StochRSI.csv', column: 'k', within: 1e-10, rows: 471 });
  ofCloses(stochRsi(), (x) => x.d)({ file: 'spy_with_StochRSI.csv', column: 'd', within: 1e-10, rows: 469 });
});

test('ranges and trends', { skip }, () => {
  const ichimoku = () => createIchimoku({ conversion: 9, base: 26, lead: 52, displacement: 26 });
  const cloud = { file: 'spy_with_ichimoku.csv', within: 1e-9 };
  ofCandles(ichimoku(), (x) => x.conversion)({ ...cloud, column: 'Tenkan', rows: 492 });
  ofCandles(ichimoku(), (x) => x.base)({ ...cloud, column: 'Kijun', rows: 475 });
  ofCandles(ichimoku(), (x) => x.cloudA)({ ...cloud, column: 'Senkou A', rows: 423 });
  ofCandles(ichimoku(), (x) => x.cloudB)({ ...cloud, column: 'Senkou B', rows: 423 });
  const supertrend = { file: 'dwac_supertrend.txt', column: 'Super', within: 1e-6, from: 9 };
  const trend = createSupertrend({ length: 10, multiplier: 3 });
  // The source counts `high - low` of the first candle as a true range: so does a candle at its close put before it.
  const first = readRows(supertrend.file)[0];
  if (first !== undefined) trend.push({ ...first, high: first.close, low: first.close });
  ofCandles(trend, (x) => x.value)({ ...supertrend, rows: 69 });
});
