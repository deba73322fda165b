import type { BacktestResult, CycleRecord, FillRecord } from './result.ts';
import { sha256 } from './sha256.ts';

type Hashed = Pick<
  BacktestResult,
  'cycles' | 'holdout' | 'regimes' | 'fills' | 'rejections' | 'metrics' | 'drawdown' | 'decisions' | 'dailyEquity'
>;

/**
 * SHA-256 over every fill, every rejection and every number of a run. Equal inputs give equal fingerprints on every
 * machine: the text of a float64 is fixed by the language, and what engines may round apart is rounded to fewer decimals.
 */
export function fingerprintOf(result: Hashed): string {
  const { fills, dailyEquity, cycles, ...numbers } = result;
  // The first of the keys in order; all cycles look alike, so they need no sorting.
  const text = `${fills.map(lineOf).join('')}${dailyEquity.map((equity) => `${equity}\n`).join('')}{"cycles":[${cycles.map(cycleOf).join(',')}],`;
  return sha256(text + JSON.stringify(inOrder(numbers)).slice(1));
}

/** Joined, not added up: a text of many small additions takes long to be read as one. */
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

/** The same with the keys of every object in order, so that the order in which a record was built does not count. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, part]) => [key, inOrder(part)]));
}
