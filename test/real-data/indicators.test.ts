import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createAdx } from '#core/indicators/adx.ts';
import { createAtr } from '#core/indicators/atr.ts';
import { createAwesome } from '#core/indicators/awesome.ts';
import { createBollinger } from '#core/indicators/bollinger.ts';
import { createCci } from '#core/indicators/cci.ts';
import { createDonchian } from '#core/indicators/donchian.ts';
import { createEma } from '#core/indicators/ema.ts';
import { createHma } from '#core/indicators/hma.ts';
import { createIchimoku } from '#core/indicators/ichimoku.ts';
import { createMacd } from '#core/indicators/macd.ts';
import { createMfi } from '#core/indicators/mfi.ts';
import { createObv } from '#core/indicators/obv.ts';
import { createRsi } from '#core/indicators/rsi.ts';
import { createSma } from '#core/indicators/sma.ts';
import { createStochRsi } from '#core/indicators/stoch-rsi.ts';
import { createStochastic } from '#core/indicators/stochastic.ts';
import { createSupertrend } from '#core/indicators/supertrend.ts';
import { createUltimate } from '#core/indicators/ultimate.ts';
import { createVwma } from '#core/indicators/vwma.ts';
import { createWilliamsR } from '#core/indicators/williams-r.ts';

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

/** Half of the last printed digit, with room for a printer that rounded a number of single precision. */
function printedPrecision(text: string): number {
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e');
  const decimals = digits.split('.')[1]?.length ?? 0;
  return 0.75 * 10 ** (Number(exponent) - decimals);
}

interface Vector {
  readonly file: string;
  readonly column: string;
  push(row: Row): void;
  read(): number;
  /** The first row that is compared, 0 unless the source has another seed that must fade first. */
  readonly from?: number;
  /**
   * Absolute, in place of the printed precision, where the source computed in single precision on prices that its own
   * file rounds: an error of 1e-5 in a price of 150 is many last digits of a ratio of small differences.
   */
  readonly within?: number;
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
    assert.ok(away <= (within ?? printedPrecision(printed)), `${file} row ${i}: ${read()}, printed ${printed}`);
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

test('moving averages', { skip }, () => {
  // The headers of this file are turned round: its "SMA5" is the mean of 15.
  ofCloses(createSma(15), (x) => x.value)({ file: 'spy_with_rma.csv', column: 'SMA5', rows: 1012 });
  ofCloses(createSma(10), (x) => x.value)({ file: 'spy_with_rma.csv', column: 'SMA10', rows: 1017 });
  ofCloses(createSma(14), (x) => x.value)({ file: 'spy_with_indicators.txt', column: 'SMA14', rows: 487 });
  ofCloses(createEma(14), (x) => x.value)({ file: 'spy_with_indicators.txt', column: 'EMA14', rows: 487 });
  ofCloses(createEma(14), (x) => x.value)({ file: 'spy_ema.csv', column: 'EMA14', within: 1e-12, rows: 351 });
  ofCloses(createHma(16), (x) => x.value)({ file: 'spy_hma.txt', column: 'HMA_16', rows: 482 });
  const vwma = createVwma(20);
  const read = (): number => vwma.value;
  check({
    file: 'spy_with_vwma.csv',
    column: 'VWMA20',
    push: (row) => vwma.push(row.close, row.volume),
    read,
    rows: 481,
  });
  const rolling = createVwma(50);
  check({
    file: 'spy_with_vwap.txt',
    column: 'Moving VWAP 50',
    push: (row) => rolling.push((row.open + row.high + row.low + row.close) / 4, row.volume),
    read: () => rolling.value,
    rows: 452,
  });
});

test('strength and momentum', { skip }, () => {
  const indicators = 'spy_with_indicators.txt';
  ofCloses(createRsi(14), (x) => x.value)({ file: indicators, column: 'RSI 14 Wilder', rows: 486 });
  const macd = () => createMacd({ fast: 12, slow: 26, signal: 9 });
  ofCloses(macd(), (x) => x.value)({ file: indicators, column: 'MACD 12 26', within: 1e-3, rows: 475 });
  const lean = { file: 'spy_with_macd.txt', within: 5e-5, rows: 183 };
  ofCloses(macd(), (x) => x.value)({ ...lean, column: 'MACD' });
  ofCloses(macd(), (x) => x.signal)({ ...lean, column: 'Signal' });
  ofCloses(macd(), (x) => x.histogram)({ ...lean, column: 'Histogram' });
  const stochRsi = () => createStochRsi({ rsi: 14, length: 14, smooth: 3, signal: 3 });
  ofCloses(stochRsi(), (x) => x.k)({ file: 'spy_with_StochRSI.csv', column: 'k', within: 1e-10, rows: 471 });
  ofCloses(stochRsi(), (x) => x.d)({ file: 'spy_with_StochRSI.csv', column: 'd', within: 1e-10, rows: 469 });
  const stochastic = () => createStochastic({ length: 12, smooth: 3, signal: 5 });
  const file = 'spy_with_stoch12k3.txt';
  ofCandles(stochastic(), (x) => x.k)({ file, column: 'Stochastics 12 %K 3', within: 1e-3, rows: 488 });
  ofCandles(stochastic(), (x) => x.d)({ file, column: '%D 5', within: 1e-3, rows: 484 });
  const williams = { file: 'spy_with_williamsR14.txt', column: 'Williams %R 14', within: 1e-3, rows: 488 };
  ofCandles(createWilliamsR(14), (x) => x.value)(williams);
  const cci = { file: 'spy_with_cci.txt', column: 'Commodity Channel Index (CCI) 14', within: 1e-2, rows: 488 };
  ofCandles(createCci(14), (x) => x.value)(cci);
  const ultimate = createUltimate({ short: 7, middle: 14, long: 28 });
  ofCandles(ultimate, (x) => x.value)({ file: 'spy_ultosc.txt', column: 'ULTOSC_7_14_28', within: 1e-9, rows: 472 });
  const awesome = createAwesome({ fast: 5, slow: 34 });
  ofCandles(awesome, (x) => x.value)({ file: 'spy_ao.txt', column: 'AO', within: 1e-10, rows: 467 });
});

test('volume', { skip }, () => {
  ofCandles(createMfi(20), (x) => x.value)({ file: 'spy_mfi.txt', column: 'Money Flow Index 20', rows: 480 });
  // The source begins with the volume of its first candle, and added up volumes that its file rounds.
  const obv = createObv();
  const read = (): number => obv.value + 115_647_600;
  check({ file: 'spy_with_obv.txt', column: 'OBV', push: (row) => obv.push(row), read, within: 2_000, rows: 500 });
});

test('ranges and trends', { skip }, () => {
  const bands = () => createBollinger({ length: 20, deviations: 2 });
  const file = 'spy_bollinger_bands.txt';
  ofCloses(bands(), (x) => x.middle)({ file, column: 'Moving Average 20', rows: 481 });
  ofCloses(bands(), (x) => x.upper)({ file, column: 'Bollinger Bands® 20 2 Top', rows: 481 });
  ofCloses(bands(), (x) => x.lower)({ file, column: 'Bollinger Bands® 20 2 Bottom', rows: 481 });
  ofCandles(createAdx(14), (x) => x.plus)({ file: 'spy_with_adx.txt', column: '+DI14', rows: 490 });
  ofCandles(createAdx(14), (x) => x.minus)({ file: 'spy_with_adx.txt', column: '-DI14', rows: 490 });
  ofCandles(createAdx(14), (x) => x.value)({ file: 'spy_with_adx.txt', column: 'ADX 14', rows: 477 });
  const donchian = { file: 'spy_with_don50.txt', from: 49, within: 1e-9, rows: 451 };
  ofCandles(createDonchian(50), (x) => x.upper)({ ...donchian, column: 'Donchian Channels 50 Top' });
  ofCandles(createDonchian(50), (x) => x.lower)({ ...donchian, column: 'Donchian Channels 50 Bottom' });
  ofCandles(createDonchian(50), (x) => x.middle)({ ...donchian, column: 'Donchian Channels 50 Mean' });
  const ichimoku = () => createIchimoku({ conversion: 9, base: 26, lead: 52, displacement: 26 });
  const cloud = { file: 'spy_with_ichimoku.csv', within: 1e-9 };
  ofCandles(ichimoku(), (x) => x.conversion)({ ...cloud, column: 'Tenkan', rows: 492 });
  ofCandles(ichimoku(), (x) => x.base)({ ...cloud, column: 'Kijun', rows: 475 });
  ofCandles(ichimoku(), (x) => x.cloudA)({ ...cloud, column: 'Senkou A', rows: 423 });
  ofCandles(ichimoku(), (x) => x.cloudB)({ ...cloud, column: 'Senkou B', rows: 423 });
});

/** The sources count `high - low` of the first candle as a true range: so does a candle at its close put before it. */
function withCandleBefore<T extends { push(row: Row): void }>(indicator: T, file: string): T {
  const first = readRows(file)[0];
  if (first !== undefined) indicator.push({ ...first, high: first.close, low: first.close });
  return indicator;
}

test('average true range and what stands on it', { skip }, () => {
  const atr = { file: 'spy_atr_wilder.txt', column: 'Average True Range 14', within: 1.5e-5 };
  ofCandles(withCandleBefore(createAtr(14), atr.file), (x) => x.value)({ ...atr, rows: 488 });
  const supertrend = { file: 'dwac_supertrend.txt', column: 'Super', within: 1e-6, from: 9 };
  const trend = createSupertrend({ length: 10, multiplier: 3 });
  ofCandles(withCandleBefore(trend, supertrend.file), (x) => x.value)({ ...supertrend, rows: 69 });
});
