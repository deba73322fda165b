import type { BacktestResult } from '#core/research/backtest-result.ts';
import type { CycleColumns } from './cycle-columns.ts';
import type { FillColumns } from './fill-columns.ts';
import { sha256 } from './sha256.ts';

interface Hashed {
  readonly fills: FillColumns;
  readonly cycles: CycleColumns;
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
  const bytes = [fills, cycles].flatMap(bytesOf);
  const [{ count, reasons, coins }, { exits }] = [fills, cycles];
  return sha256(...bytes, JSON.stringify(inOrder({ ...numbers, count, reasons, coins, exits })));
}

/** The columns of one table, ordered by their names. */
function bytesOf(table: FillColumns | CycleColumns): Uint8Array[] {
  const columns = Object.entries<unknown>({ ...table }).toSorted(byKey);
  return columns
    .map(([, column]) => column)
    .filter((column) => ArrayBuffer.isView(column))
    .map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength));
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** Sorts the keys of every object, so that the order in which a record was built does not matter. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const sorted = Object.entries(value).toSorted(byKey);
  return Object.fromEntries(sorted.map(([key, part]) => [key, inOrder(part)]));
}
