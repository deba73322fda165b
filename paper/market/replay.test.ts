import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { readKlines } from './klines.ts';
import { openReplay } from './replay.ts';
import { openSymbolMarket, skipTo } from './symbol-market.ts';

const HEADER = 'openTime,open,high,low,close,volume\n';
const T0 = Date.UTC(2022, 5, 1);
const MINUTE_MS = 60_000;
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function folderWith(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(join(tmpdir(), 'paper-replay-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const row = (minute: number, close: number): string =>
  `${T0 + minute * MINUTE_MS},100,${Math.max(101, close)},99,${close},10\n`;

test('parts are joined, the finest interval wins, gaps stay gaps', () => {
  const folder = folderWith({
    'BTCUSDT-1m-a.csv': HEADER + row(0, 100) + row(1, 101),
    'BTCUSDT-1m-b.csv.gz': gzipSync(HEADER + row(1, 99) + row(4, 104)),
    'BTCUSDT-1h.csv': `${HEADER}${T0},1,1,1,1,1\n`,
    'README.txt': 'not a candle file',
  });
  const source = openReplay(folder, T0);
  assert.equal(source.listings.length, 1);
  assert.deepEqual([...source.candles('BTCUSDT', T0, T0 + 3_600_000).close], [100, 101, 104]);
  const [listing] = source.listings;
  assert.ok(listing !== undefined);
  const market = openSymbolMarket(source, listing, { tradesPerCandle: 4, fromMs: T0, lastTradeId: 0 });
  const now = T0 + 5 * MINUTE_MS;
  skipTo(market, now);
  const klines = (query: { startMs?: number; endMs?: number; limit: number }) =>
    readKlines(market, { interval: '1m', ...query }, now).map((kline) => (kline.openMs - T0) / MINUTE_MS);
  assert.deepEqual(klines({ limit: 500 }), [0, 1, 4]);
  assert.deepEqual(klines({ limit: 2 }), [1, 4]);
  assert.deepEqual(klines({ limit: 2, startMs: T0 }), [0, 1]);
  assert.deepEqual(klines({ limit: 2, startMs: T0 + 1 }), [1, 4]);
  assert.deepEqual(klines({ limit: 5, endMs: T0 + MINUTE_MS }), [0, 1]);
  assert.deepEqual(klines({ limit: 5, startMs: T0 + MINUTE_MS, endMs: T0 + MINUTE_MS }), [1]);
  assert.deepEqual(
    readKlines(market, { interval: '3m', limit: 9 }, now).map((kline) => [kline.open, kline.close, kline.volume]),
    [
      [100, 101, 20],
      [100, 104, 10],
    ],
  );
});

test('the current candle grows with its trades and a closed one equals the file', () => {
  const source = openReplay(folderWith({ 'BTCUSDT-1m.csv': HEADER + row(0, 100.5) + row(1, 100) + row(2, 101) }), T0);
  const [listing] = source.listings;
  assert.ok(listing !== undefined);
  const market = openSymbolMarket(source, listing, { tradesPerCandle: 4, fromMs: T0 + MINUTE_MS - 1, lastTradeId: 0 });
  const mid = T0 + MINUTE_MS + 30_000;
  skipTo(market, mid);
  const [closed, forming] = readKlines(market, { interval: '1m', limit: 5 }, mid);
  assert.deepEqual([closed?.open, closed?.high, closed?.low, closed?.close, closed?.volume], [100, 101, 99, 100.5, 10]);
  assert.equal(forming?.openMs, T0 + MINUTE_MS);
  assert.ok((forming?.volume ?? 0) > 0 && (forming?.volume ?? 0) < 10);
});

test('recorded prices finer than the usual tick make the tick finer', () => {
  const source = openReplay(folderWith({ 'XRPUSDT-1h.csv': `${HEADER}${T0},0.50001,0.6,0.5,0.55,10\n` }), T0);
  assert.equal(formatDecimal(source.listings[0]?.rules.price.tick ?? ZERO), '0.00001');
});

for (const { name, files, expected } of [
  {
    name: 'an empty folder',
    files: {},
    expected: /holds no candle files: it needs at least one named SYMBOL-INTERVAL/,
  },
  {
    name: 'a broken value',
    files: { 'BTCUSDT-1m.csv': `${HEADER}${T0},x,1,1,1,1\n` },
    expected: /BTCUSDT-1m\.csv is broken: line 2: "x" in column open/,
  },
  { name: 'a file without candles', files: { 'BTCUSDT-1m.csv': HEADER }, expected: /BTCUSDT-1m\.csv holds no candles/ },
  {
    name: 'an invalid gz file',
    files: { 'BTCUSDT-1m.csv.gz': 'plain' },
    expected: /BTCUSDT-1m\.csv\.gz cannot be read/,
  },
  {
    name: 'a gz file that was cut off',
    files: { 'BTCUSDT-1m.csv.gz': gzipSync(HEADER + row(0, 100) + row(1, 101)).subarray(0, -9) },
    expected: /BTCUSDT-1m\.csv\.gz cannot be read: unexpected end of file/,
  },
  {
    name: 'a coin without a known quote asset',
    files: { 'FOOBAR-1m.csv': HEADER + row(0, 100) },
    expected: /FOOBAR cannot be used/,
  },
]) {
  test(`${name} is refused with a message`, () => {
    const folder = folderWith(files);
    assert.throws(
      () => openReplay(folder, T0),
      (error) => error instanceof BadInputError && expected.test(error.message),
    );
  });
}

test('a start outside the data is refused', () => {
  const folder = folderWith({ 'BTCUSDT-1m.csv': HEADER + row(0, 100) });
  assert.throws(
    () => openReplay(folder, T0 - 1),
    /is outside the candles .*: they range from 2022-06-01T00:00:00.000Z to 2022-06-01T00:01:00.000Z/,
  );
});
