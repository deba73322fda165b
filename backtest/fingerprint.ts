import type { BacktestResult } from '#core/research/backtest-result.ts';
import { type FillColumns, indexIn } from './fill-columns.ts';
import type { ClosedCycle } from './metrics.ts';
import { sha256 } from './sha256.ts';

interface Hashed {
  readonly fills: FillColumns;
  readonly cycles: readonly ClosedCycle[];
  readonly numbers: Pick<
    BacktestResult,
    'holdout' | 'regimes' | 'rejections' | 'metrics' | 'drawdown' | 'decisions' | 'dailyEquity'
  >;
}

/**
 * SHA-256 over every fill, cycle, rejection and number of a run: the columns of fills and cycles as float64 in the byte order
 * of the machine (little-endian wherever Node runs), then all else as JSON. Equal inputs give equal fingerprints on every
 * machine. Results that engines may round differently get fewer decimals.
 */
export function fingerprintOf({ fills, cycles, numbers }: Hashed): string {
  const { count, reasons, coins, ...columns } = fills;
  const exits = [...reasons];
  const closed = cycleColumns(cycles, exits);
  const text = JSON.stringify(inOrder({ ...numbers, count, coins, exits }));
  const sorted = Object.entries(columns).toSorted(byKey);
  const parts = [...sorted.map(([, column]) => column), closed].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  );
  parts.push(new TextEncoder().encode(text));
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return sha256(bytes);
}

const CYCLE_NUMBERS = 5;

function cycleColumns(cycles: readonly ClosedCycle[], reasons: string[]): Float64Array {
  const values = new Float64Array(CYCLE_NUMBERS * cycles.length);
  let at = 0;
  for (const { number, openedMs, closedMs, net, exitReason } of cycles) {
    values[at] = number;
    values[at + 1] = openedMs;
    values[at + 2] = closedMs;
    values[at + 3] = net;
    values[at + 4] = indexIn(reasons, exitReason);
    at += CYCLE_NUMBERS;
  }
  return values;
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** Sorts the keys of every object, so that the order in which a record was built does not matter. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).toSorted(byKey);
  return Object.fromEntries(sorted.map(([key, part]) => [key, inOrder(part)]));
}
