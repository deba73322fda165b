import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CandleTextError, parseCandleText } from './candle-text.ts';

const HEADER = 'openTime,open,high,low,close,volume';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('reads rows, with or without the two optional columns, CRLF and a missing last newline', () => {
  const plain = parseCandleText(bytes(`${HEADER}\n60000,1.5,2,1,1.25,10\n180000,1,1,1,1,0`), 60_000);
  assert.deepEqual([...plain.openMs], [60_000, 180_000]);
  assert.deepEqual([...plain.open], [1.5, 1]);
  assert.deepEqual([...plain.volume], [10, 0]);
  const wide = parseCandleText(
    bytes(`${HEADER},quoteVolume,trades\r\n60000,46216.93000000,46271.08,46208.37,46250,40.5,1875978.4,796\r\n`),
  );
  assert.deepEqual([...wide.high], [46271.08]);
  assert.equal(wide.openMs.length, 1);
});

test('a file with a header only has no rows', () => {
  assert.equal(parseCandleText(bytes(`${HEADER}\n`)).openMs.length, 0);
});

for (const { name, row, line, value, says } of [
  {
    name: 'text for a price',
    row: '60000,abc,2,1,1.25,10',
    line: 2,
    value: 'abc',
    says: '"abc" in column open is not a number',
  },
  {
    name: 'a missing cell',
    row: '60000,1.5,2,1,1.25',
    line: 2,
    value: '',
    says: '"" in column volume is not a number',
  },
  { name: 'an empty cell', row: '60000,1.5,,1,1.25,10', line: 2, value: '', says: 'column high' },
  { name: 'two points', row: '60000,1.5.5,2,1,1.25,10', line: 2, value: '1.5.5', says: 'column open' },
  { name: 'a high below the close', row: '60000,1.5,1.6,1,1.75,10', line: 2, value: '1.6', says: 'high 1.6 is below' },
  { name: 'a low above the open', row: '60000,1.5,2,1.6,1.75,10', line: 2, value: '1.6', says: 'low 1.6 is above' },
  { name: 'a price of zero', row: '60000,0,2,0,1.75,10', line: 2, value: '0', says: 'not above zero' },
  { name: 'a price that is no number', row: '60000,NaN,2,1,1.75,1', line: 2, value: 'NaN', says: 'column open' },
  { name: 'a price without end', row: '60000,1,Infinity,1,1.75,1', line: 2, value: 'Infinity', says: 'column high' },
  { name: 'a negative price', row: '60000,1.5,2,-1,1.75,1', line: 2, value: '-1', says: 'not above zero' },
  { name: 'a negative volume', row: '60000,1,2,1,1.75,-1', line: 2, value: '-1', says: 'below zero' },
  { name: 'a time off the grid', row: '60001,1,2,1,1.75,1', line: 2, value: '60001', says: 'not a multiple' },
  {
    name: 'a repeated time',
    row: '60000,1,1,1,1,1\n60000,1,1,1,1,1',
    line: 3,
    value: '60000',
    says: 'does not come after',
  },
  {
    name: 'a time before the one above it',
    row: '120000,1,1,1,1,1\n180000,1,1,1,1,1\n60000,1,1,1,1,1',
    line: 4,
    value: '60000',
    says: 'does not come after',
  },
]) {
  test(`${name} is refused with its line and value`, () => {
    assert.throws(
      () => parseCandleText(bytes(`${HEADER}\n${row}\n`), 60_000),
      (error) =>
        error instanceof CandleTextError &&
        error.line === line &&
        error.value === value &&
        error.message.includes(says),
    );
  });
}

test('another header is refused', () => {
  assert.throws(() => parseCandleText(bytes('time,open\n1,2\n')), /line 1: the header is "time,open"/);
});

test('every float64 that is written as decimal text reads back as itself', () => {
  const price = fc.double({ min: 1e-6, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(price, (value) => {
      const columns = parseCandleText(bytes(`${HEADER}\n0,${value},${value},${value},${value},${value}\n`));
      assert.equal(columns.open[0], value);
    }),
  );
});
