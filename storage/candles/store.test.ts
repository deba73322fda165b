import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { CandleColumns } from '#core/market/candle.ts';
import { sharedColumns } from '#core/market/candle-columns.ts';
import { decodeBlock, encodeBlock } from './block.ts';
import { CandleStore, CandleStoreError, isCandleStore } from './store.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'candle-store-'));
after(() => rmSync(FOLDER, { recursive: true }));

const MINUTE_MS = 60_000;
const JANUARY_END = Date.UTC(2024, 1, 1);

/** Candles at the given minutes around the end of January 2024, all prices `price`. */
function candlesAt(minutes: readonly number[], price = 10.5): CandleColumns {
  const column = (value: number): Float64Array => Float64Array.from(minutes, () => value);
  const openMs = Float64Array.from(minutes, (minute) => JANUARY_END + minute * MINUTE_MS);
  return {
    openMs,
    open: column(price),
    high: column(price),
    low: column(price),
    close: column(price),
    volume: column(1),
  };
}
const minutesOf = (columns: CandleColumns | undefined): number[] =>
  Array.from(columns?.openMs ?? [], (ms) => (ms - JANUARY_END) / MINUTE_MS);

const steps = fc.array(
  fc.record({
    step: fc.integer({ min: 1, max: 5000 }),
    values: fc.array(fc.double({ min: 1e-8, max: 1e9, noNaN: true }), { minLength: 5, maxLength: 5 }),
    decimals: fc.integer({ min: 0, max: 8 }),
  }),
  { minLength: 1, maxLength: 60 },
);

test('a block gives every number back, whatever it is', () => {
  fc.assert(
    fc.property(steps, fc.boolean(), (rows, round) => {
      const columns = sharedColumns(rows.length);
      let ms = JANUARY_END;
      for (const [row, { step, values, decimals }] of rows.entries()) {
        columns.openMs[row] = ms;
        ms += step * MINUTE_MS;
        const [open = 0, high = 0, low = 0, close = 0, volume = 0] = round
          ? values.map((v) => Number(v.toFixed(decimals)))
          : values;
        for (const [name, value] of Object.entries({ open, high, low, close, volume }))
          Reflect.set(columns, name, Object.assign(Reflect.get(columns, name), { [row]: value }));
      }
      const back = sharedColumns(rows.length);
      decodeBlock(encodeBlock('1m', columns), back, 0);
      assert.deepEqual(back, columns);
    }),
  );
});

test('months, gaps inside and between them, and a window', () => {
  const store = new CandleStore(join(FOLDER, 'months'));
  assert.deepEqual(store.add('SOLUSDT', '1m', candlesAt([-3, -2, 0, 1, 5])), { added: 5, replaced: 0 });
  assert.deepEqual(readdirSync(join(FOLDER, 'months', 'SOLUSDT', '1m')), ['2024-01.candles', '2024-02.candles']);
  const [series] = store.list();
  assert.deepEqual(series, {
    symbol: 'SOLUSDT',
    interval: '1m',
    fromMs: JANUARY_END - 3 * MINUTE_MS,
    toMs: JANUARY_END + 6 * MINUTE_MS,
    candles: 5,
    missing: 4,
    gaps: [
      { fromMs: JANUARY_END - MINUTE_MS, candles: 1 },
      { fromMs: JANUARY_END + 2 * MINUTE_MS, candles: 3 },
    ],
  });
  const loaded = store.load('SOLUSDT', '1m', { fromMs: JANUARY_END - 2 * MINUTE_MS, toMs: JANUARY_END + MINUTE_MS });
  assert.deepEqual(minutesOf(loaded), [-2, 0]);
  assert.ok(loaded?.close.buffer instanceof SharedArrayBuffer);
  assert.equal(store.load('SOLUSDT', '5m'), undefined);
  assert.ok(isCandleStore(join(FOLDER, 'months')));
  assert.ok(!isCandleStore(FOLDER));
});

test('a draft of a worker in another container, whose process has the same id, is not touched', () => {
  const root = join(FOLDER, 'shared');
  const store = new CandleStore(root);
  store.add('AAAUSDT', '1m', candlesAt([-1]));
  const theirs = join(root, 'AAAUSDT', '1m', `2024-01.candles.${process.pid}.draft`);
  writeFileSync(theirs, 'half a file');
  store.add('AAAUSDT', '1m', candlesAt([-2]));
  assert.deepEqual(minutesOf(store.load('AAAUSDT', '1m')), [-2, -1]);
  assert.equal(readFileSync(theirs, 'utf8'), 'half a file');
});

test('candles that come again replace, and those that differ are counted', () => {
  const store = new CandleStore(join(FOLDER, 'again'));
  store.add('SOLUSDT', '1m', candlesAt([0, 1, 3]));
  assert.deepEqual(store.add('SOLUSDT', '1m', candlesAt([1, 2])), { added: 1, replaced: 0 });
  assert.deepEqual(store.add('SOLUSDT', '1m', candlesAt([3], 11)), { added: 0, replaced: 1 });
  const loaded = store.load('SOLUSDT', '1m');
  assert.deepEqual(minutesOf(loaded), [0, 1, 2, 3]);
  assert.deepEqual([...(loaded?.close ?? [])], [10.5, 10.5, 10.5, 11]);
});

for (const [name, damage] of [
  ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3)],
  [
    'flipped',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -6), Buffer.from([~(bytes.at(-6) ?? 0)]), bytes.subarray(-5)]),
  ],
  ['foreign', () => Buffer.from('openTime,open')],
] as const) {
  test(`a ${name} file is refused with its name`, () => {
    const store = new CandleStore(join(FOLDER, name));
    store.add('SOLUSDT', '1m', candlesAt([0, 1]));
    const path = join(FOLDER, name, 'SOLUSDT', '1m', '2024-02.candles');
    writeFileSync(path, damage(readFileSync(path)));
    assert.throws(
      () => store.load('SOLUSDT', '1m'),
      (error) => error instanceof CandleStoreError && error.message.includes(path),
    );
  });
}
