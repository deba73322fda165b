import type { BacktestResult, CycleRecord, FillRecord } from '#core/research/backtest-result.ts';
import { sha256 } from './sha256.ts';

type Hashed = Pick<
  BacktestResult,
  'cycles' | 'holdout' | 'regimes' | 'fills' | 'rejections' | 'metrics' | 'drawdown' | 'decisions' | 'dailyEquity'
>;

/**
 * SHA-256 over every fill, every rejection and every number of a run. Equal inputs give equal fingerprints on every
 * machine. The language fixes the text of a float64. Results that engines may round differently get fewer decimals.
 */
export function fingerprintOf(result: Hashed): string {
  const { fills, dailyEquity, cycles, ...numbers } = result;
  // The first key in order. All cycles have the same keys, so they need no sorting.
  const text = `${fills.map(lineOf).join('')}${dailyEquity.map((equity) => `${equity}\n`).join('')}{"cycles":[${cycles.map(cycleOf).join(',')}],`;
  return sha256(text + JSON.stringify(inOrder(numbers)).slice(1));
}

/** Joined: flattening a string of many small concatenations is slow. */
function lineOf(fill: FillRecord): string {
  const { symbol, at, side, price, quantity, quote, fee, feeAsset, reason, cycle, realised, cash, position } = fill;
  const gain = realised ?? 'null';
  const line = [at, side, price, quantity, quote, fee, feeAsset, reason, cycle, gain, cash, `${position}\n`];
  return (symbol === undefined ? line : [symbol, ...line]).join(',');
}

function cycleOf({ closedAt, cycle, exitReason, net, openedAt, symbol }: CycleRecord): string {
  const coin = symbol === undefined ? '"}' : `","symbol":${JSON.stringify(symbol)}}`;
  const reason = JSON.stringify(exitReason);
  return [
    '{"closedAt":"',
    closedAt,
    '","cycle":',
    cycle,
    ',"exitReason":',
    reason,
    ',"net":"',
    net,
    '","openedAt":"',
    openedAt,
    coin,
  ].join('');
}

/** Sorts the keys of every object, so that the order in which a record was built does not matter. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, part]) => [key, inOrder(part)]));
}
