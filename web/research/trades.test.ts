import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredResult } from '#core/research/backtest-result.ts';
import { groupTrades, sortBy, sortTrades, tickOf, tradesCsv, tradesOf } from './trades.ts';

const at = (hour: number): string => new Date(Date.UTC(2026, 0, 1, hour)).toISOString();

interface Seed {
  readonly symbol?: string;
  readonly cycle: number;
  readonly hours: readonly [number, number];
  readonly prices: readonly [number, number];
  readonly net: string;
  readonly exitReason: string;
}

const WON: Seed = { cycle: 1, hours: [0, 8], prices: [100, 110], net: '9.79', exitReason: 'exit-trail' };
const LOST: Seed = { cycle: 2, hours: [9, 10], prices: [100, 90], net: '-10.19', exitReason: 'exit-stop-loss' };
const SMALL: Seed = { cycle: 3, hours: [11, 15], prices: [100, 104], net: '3.796', exitReason: 'exit-trail' };

const fill = (seed: Seed, side: 'buy' | 'sell'): StoredResult['fills'][number] => {
  const price = seed.prices[side === 'buy' ? 0 : 1];
  return {
    ...{ at: at(seed.hours[side === 'buy' ? 0 : 1]), side, price: String(price), quantity: '1', quote: String(price) },
    ...(side === 'buy' ? { fee: '0.001', feeAsset: 'BTC' } : { fee: String(price / 1000), feeAsset: 'USDT' }),
    ...{ reason: '', cycle: seed.cycle, realised: null, cash: '0', position: '0' },
    ...(seed.symbol === undefined ? {} : { symbol: seed.symbol }),
  };
};

const resultOf = (from: readonly Seed[]) => ({
  ...{ symbol: 'BTCUSDT', quoteAsset: 'USDT' },
  cycles: from.map(({ hours, prices: _, ...cycle }) => ({
    ...cycle,
    openedAt: at(hours[0]),
    closedAt: at(hours[1]),
  })),
  fills: from.flatMap((seed) => [fill(seed, 'buy'), fill(seed, 'sell')]),
});
const trades = tradesOf(resultOf([WON, LOST, SMALL]));

test('a trade has the average prices of its fills, all its fees in quote, and its share of the money spent', () => {
  const [first] = trades;
  assert.deepEqual([first?.bought, first?.sold, first?.exit, first?.symbol], [100, 110, 'trailing stop', 'BTCUSDT']);
  assert.equal(first?.fees.toFixed(4), '0.2100');
  assert.equal(first?.share.toFixed(4), '0.0979');
});

test('trades of several coins are numbered by their close, with the fills of their own coin', () => {
  const both = tradesOf(
    resultOf([
      { ...WON, symbol: 'ETHUSDT' },
      { ...LOST, symbol: 'BTCUSDT', cycle: 1, prices: [7, 8] },
    ]),
  );
  assert.deepEqual(
    both.map(({ number, symbol, bought }) => [number, symbol, bought]),
    [
      [1, 'ETHUSDT', 100],
      [2, 'BTCUSDT', 7],
    ],
  );
});

test('numbers sort from the largest, text from A, and a second click turns the order', () => {
  const numbers = (sorting: Parameters<typeof sortTrades>[1]) =>
    sortTrades(trades, sorting).map(({ number }) => number);
  const byNumber = { column: 'number', descending: true } as const;
  const byNet = sortBy(byNumber, 'net');
  assert.deepEqual(numbers(byNet), [1, 3, 2]);
  assert.deepEqual(numbers(sortBy(byNet, 'net')), [2, 3, 1]);
  assert.deepEqual(numbers(sortBy(byNumber, 'exit')), [2, 1, 3]);
  assert.deepEqual(numbers(sortBy(byNumber, 'held')), [1, 3, 2]);
});

test('exit reasons have their trades, wins and net result, the best first', () => {
  const rounded = groupTrades(trades, 'exit').map((group) => ({ ...group, net: group.net.toFixed(2) }));
  assert.deepEqual(rounded, [
    { name: 'trailing stop', trades: 2, wins: 2, net: '13.59' },
    { name: 'stop loss', trades: 1, wins: 0, net: '-10.19' },
  ]);
});

test('the CSV has one line for each trade, with times in UTC', () => {
  const lines = tradesCsv(trades).split('\r\n');
  assert.equal(lines.length, 5);
  assert.equal(
    lines[1],
    '"1","BTCUSDT","2026-01-01T00:00:00.000Z","2026-01-01T08:00:00.000Z","100","110","trailing stop","0.21000000","9.79000000","0.097900"',
  );
});

test('the price step of a coin is the finest price of its fills', () => {
  const fills = [fill({ ...WON, prices: [100.5, 110.25] }, 'buy'), fill({ ...WON, prices: [100.5, 110.25] }, 'sell')];
  assert.equal(tickOf(fills, 'BTCUSDT'), '0.01');
  assert.equal(tickOf([], 'BTCUSDT'), null);
});
