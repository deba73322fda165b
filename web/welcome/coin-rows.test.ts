import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coinRows, firstCoins, isWide, sortedRows } from './coin-rows.ts';

const market = (symbol: string, status = 'TRADING') => ({
  ...{ symbol, baseAsset: symbol.slice(0, -4), quoteAsset: symbol.slice(-4), status, minNotional: '5' },
  ...{ tickSize: '0.01', stepSize: '0.01', price: '1' },
});
const ticker = (symbol: string, volume: number, spread: number | null, change = 0) => ({
  ...{ symbol, volume, spread, change, last: 1 },
});
const rows = coinRows(
  [market('AAAUSDT'), market('BBBUSDT'), market('CCCUSDT'), market('DDDUSDC'), market('EEEUSDT', 'HALT')],
  [
    ticker('AAAUSDT', 10, 0.0001, 0.02),
    ticker('BBBUSDT', 20, 0.002),
    ticker('CCCUSDT', 30, null, -0.01),
    ticker('DDDUSDC', 99, 0),
  ],
);

test('only coins in trading are offered, sorted by volume with the highest first', () => {
  assert.deepEqual(
    sortedRows(rows, 'volume').map(({ symbol }) => symbol),
    ['DDDUSDC', 'CCCUSDT', 'BBBUSDT', 'AAAUSDT'],
  );
});

test('names ascend, changes descend, and a coin without its last day is the last', () => {
  const more = [...rows, ...coinRows([market('FFFUSDT')], [])];
  assert.equal(sortedRows(more, 'coin')[0]?.symbol, 'AAAUSDT');
  assert.equal(sortedRows(more, 'change')[0]?.symbol, 'AAAUSDT');
  assert.equal(sortedRows(more, 'volume').at(-1)?.symbol, 'FFFUSDT');
});

test('a spread of a tenth of a percent is wide, an unknown one is not', () => {
  assert.deepEqual(rows.map(isWide), [false, true, false, false]);
});

test('the first choice is the volume in USDT without wide spreads', () => {
  assert.deepEqual(firstCoins(rows), ['CCCUSDT', 'AAAUSDT']);
  assert.deepEqual(firstCoins(coinRows([market('DDDUSDC')], [])), ['DDDUSDC']);
});
