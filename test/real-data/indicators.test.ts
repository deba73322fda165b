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
import { createMfi } from '#core/indicators/mfi.ts';
import { createMomentum } from '#core/indicators/momentum.ts';
import { createObv } from '#core/indicators/obv.ts';
import { createRsi } from '#core/indicators/rsi.ts';
import { createSma } from '#core/indicators/sma.ts';
import { createStochRsi } from '#core/indicators/stoch-rsi.ts';
import { createStochastic } from '#core/indicators/stochastic.ts';
import { createSupertrend } from '#core/indicators/supertrend.ts';
import { createUltimate } from '#core/indicators/ultimate.ts';
import { createVwma } from '#core/indicators/vwma.ts';
import { createWilliamsR } from '#core/indicators/williams-r.ts';
import { createWma } from '#core/indicators/wma.ts';

const vectors = join(import.meta.dirname, '../../../shared/data/indicators');
const folder = join(vectors, 'lean');
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
  /** Absolute; half of the last printed digit where it is not given. */
  readonly within?: number;
  readonly rows: number;
}

/** Half of the last printed digit, and a little for the float64 that it is compared with. */
const printedWithin = (text: string): number => 0.51 * 10 ** -(text.split('.')[1]?.length ?? 0);

function check({ file, column, push, read, from = 0, within, rows }: Vector): void {
  let compared = 0;
  for (const [i, row] of readRows(file).entries()) {
    push(row);
    const printed = row.text(column);
    if (printed === '' || printed === 'NaN' || i < from || Number.isNaN(read())) continue;
    compared += 1;
    const away = Math.abs(read() - Number(printed));
    assert.ok(away <= (within ?? printedWithin(printed)), `${file} row ${i}: ${read()}, printed ${printed}`);
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

test('averages and ranges', { skip }, () => {
  ofCloses(createEma(14), (x) => x.value)({ file: 'spy_ema.csv', column: 'EMA14', within: 1e-9, rows: 351 });
  ofCloses(createHma(16), (x) => x.value)({ file: 'spy_hma.txt', column: 'HMA_16', rows: 482 });
  ofCloses(createRsi(14), (x) => x.value)({ file: 'spy_with_indicators.txt', column: 'RSI 14 Wilder', rows: 486 });
  const bands = createBollinger({ length: 20, deviations: 2 });
  ofCloses(bands, (x) => x.middle)({ file: 'spy_bollinger_bands.txt', column: 'Moving Average 20', rows: 481 });
  const awesome = createAwesome({ fast: 5, slow: 34 });
  ofCandles(awesome, (x) => x.value)({ file: 'spy_ao.txt', column: 'AO', within: 1e-9, rows: 467 });
  for (const [column, read] of [
    ['Top', (x: ReturnType<typeof createDonchian>) => x.upper],
    ['Bottom', (x: ReturnType<typeof createDonchian>) => x.lower],
    ['Mean', (x: ReturnType<typeof createDonchian>) => x.middle],
  ] as const)
    ofCandles(
      createDonchian(50),
      read,
    )({ file: 'spy_with_don50.txt', column: `Donchian Channels 50 ${column}`, rows: 451 });
  const adx = { file: 'spy_with_adx.txt' };
  ofCandles(createAdx(14), (x) => x.plus)({ ...adx, column: '+DI14', rows: 490 });
  ofCandles(createAdx(14), (x) => x.minus)({ ...adx, column: '-DI14', rows: 490 });
  ofCandles(createAdx(14), (x) => x.value)({ ...adx, column: 'ADX 14', rows: 477 });
});

type Bar = Pick<Row, 'high' | 'low' | 'close' | 'volume'>;
type Input = keyof Bar;

/** One record of Tulip: a name with its options, then a line of numbers for each input and each output. */
function readTulip(head: string): string[][] {
  const lines = readFileSync(join(vectors, 'tulip', 'untest.txt'), 'utf8')
    .replaceAll('\r', '')
    .split('\n');
  const from = lines.indexOf(head) + 1;
  const length = lines.slice(from).findIndex((line) => !line.startsWith('{'));
  return lines.slice(from, from + length).map((line) => line.slice(1, -1).split(','));
}

/** `values` are the outputs after a bar was taken, in the order of the record. */
function checkTulip(head: string, inputs: readonly Input[], take: (bar: Bar) => readonly number[]): void {
  const columns = readTulip(head);
  const cell = (name: Input, row: number): number => Number(columns[inputs.indexOf(name)]?.[row] ?? 0);
  const rows = columns[0]?.length ?? 0;
  const ours = Array.from({ length: rows }, (_, row) =>
    take({ high: cell('high', row), low: cell('low', row), close: cell('close', row), volume: cell('volume', row) }),
  );
  const outputs = columns.slice(inputs.length);
  assert.ok(outputs.length > 0, head);
  for (const [i, printed] of outputs.entries()) {
    assert.ok(printed.length >= 6, head);
    // A record begins with the first candle that has a value.
    for (const [at, text] of printed.entries()) {
      const value = ours[rows - printed.length + at]?.[i] ?? Number.NaN;
      assert.ok(
        Math.abs(value - Number(text)) <= printedWithin(text),
        `${head}, value ${at}: ${value}, printed ${text}`,
      );
    }
  }
}

test('the records of Tulip', { skip }, () => {
  const candle = ['high', 'low', 'close'] as const;
  const close = (head: string, indicator: { push(value: number): void; readonly value: number }): void =>
    checkTulip(head, ['close'], (bar) => {
      indicator.push(bar.close);
      return [indicator.value];
    });
  const whole = (
    head: string,
    indicator: { push(bar: Bar): void; readonly value: number },
    inputs: readonly Input[] = candle,
  ): void =>
    checkTulip(head, inputs, (bar) => {
      indicator.push(bar);
      return [indicator.value];
    });
  close('sma 5', createSma(5));
  close('wma 5', createWma(5));
  close('hma 5', createHma(5));
  close('rsi 5', createRsi(5));
  close('mom 5', createMomentum(5));
  whole('cci 5', createCci(5));
  whole('willr 5', createWilliamsR(5));
  whole('ultosc 2 3 5', createUltimate({ short: 2, middle: 3, long: 5 }));
  whole('mfi 5', createMfi(5), [...candle, 'volume']);
  whole('obv', createObv(), ['close', 'volume']);
  const atr = createAtr(5);
  let begun = false;
  checkTulip('atr 5', candle, (bar) => {
    // Tulip counts `high - low` of the first candle as a true range: so does a candle at its close put before it.
    if (!begun) atr.push({ ...bar, high: bar.close, low: bar.close });
    begun = true;
    atr.push(bar);
    return [atr.value];
  });
  const bands = createBollinger({ length: 5, deviations: 2 });
  checkTulip('bbands 5 2', ['close'], (bar) => {
    bands.push(bar.close);
    return [bands.lower, bands.middle, bands.upper];
  });
  const stochastic = createStochastic({ length: 5, smooth: 3, signal: 3 });
  checkTulip('stoch 5 3 3', candle, (bar) => {
    stochastic.push(bar);
    return [stochastic.k, stochastic.d];
  });
  const stochRsi = createStochRsi({ rsi: 5, length: 5, smooth: 1, signal: 1 });
  checkTulip('stochrsi 5', ['close'], (bar) => {
    stochRsi.push(bar.close);
    return [stochRsi.k / 100];
  });
  const vwma = createVwma(5);
  checkTulip('vwma 5', ['close', 'volume'], (bar) => {
    vwma.push(bar.close, bar.volume);
    return [vwma.value];
  });
});
