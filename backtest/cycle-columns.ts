import { toNumber } from '#core/amount/decimal.ts';
import type { Cycle } from './book.ts';
import { indexIn } from './fill-columns.ts';

/** The closed cycles of a run in order of their close, one column for each of their numbers. */
export interface CycleColumns {
  readonly count: number;
  readonly number: Float64Array;
  readonly openedMs: Float64Array;
  readonly closedMs: Float64Array;
  /** The float nearest to the exact net, in quote. */
  readonly net: Float64Array;
  /** Each cycle's index in `exits`: the reasons of the last sales, in the order of their first cycle. */
  readonly exit: Uint16Array;
  readonly exits: readonly string[];
}

/** Writable columns for `count` cycles. */
export function emptyCycles(count: number) {
  const numbers = (): Float64Array => new Float64Array(count);
  return {
    ...{ count, number: numbers(), openedMs: numbers(), closedMs: numbers(), net: numbers() },
    exit: new Uint16Array(count),
  };
}

export function cycleColumns(cycles: readonly Cycle[]): CycleColumns {
  const columns = emptyCycles(cycles.length);
  const exits: string[] = [];
  for (const [i, { number, openedMs, closedMs, net, exitReason }] of cycles.entries()) {
    columns.number[i] = number;
    columns.openedMs[i] = openedMs;
    columns.closedMs[i] = closedMs;
    columns.net[i] = toNumber(net);
    columns.exit[i] = indexIn(exits, exitReason);
  }
  return { ...columns, exits };
}

/** A cycle as an object, without its exact net. */
export const cycleAt = (cycles: CycleColumns, i: number): Omit<Cycle, 'net'> => ({
  number: cycles.number[i] ?? 0,
  openedMs: cycles.openedMs[i] ?? 0,
  closedMs: cycles.closedMs[i] ?? 0,
  exitReason: cycles.exits[cycles.exit[i] ?? 0] ?? '',
});
