import { type Params, readInteger, readLimit, readTime } from './params.ts';
import { deny } from '#paper/exchange/refusal.ts';

const DAY_MS = 86_400_000;

/** The requested range of a list: rows from an id on, or rows of at most a day. */
interface Range {
  readonly fromId: number | undefined;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly limit: number;
}

/** Reads a range. `idName` is the parameter of its first id. */
export function readRange(params: Params, idName: string): Range {
  const fromId = readInteger(params, idName);
  const [startMs, endMs] = [readTime(params, 'startTime'), readTime(params, 'endTime')];
  const limit = readLimit(params, 500, 1000);
  if (startMs !== undefined && endMs !== undefined && endMs - startMs > DAY_MS)
    deny(-1127, 'More than 24 hours between startTime and endTime.');
  return { fromId, startMs, endMs, limit };
}

/** Refuses parameters that may not be combined with a time range. */
export function requireUntimed({ startMs, endMs }: Range, ...others: readonly unknown[]): void {
  const isTimed = startMs !== undefined || endMs !== undefined;
  if (isTimed && others.some((value) => value !== undefined))
    deny(-1128, 'Combination of optional parameters invalid.');
}

/** The rows of a range, oldest first: from its start if it has one, otherwise the newest. */
export function rowsIn<Row>(
  { fromId, startMs, endMs, limit }: Range,
  rows: readonly Row[],
  keys: { readonly id: (row: Row) => number; readonly atMs: (row: Row) => number },
): Row[] {
  const matching = rows.filter(
    (row) => keys.id(row) >= (fromId ?? 0) && keys.atMs(row) >= (startMs ?? 0) && keys.atMs(row) <= (endMs ?? Infinity),
  );
  return fromId !== undefined || startMs !== undefined ? matching.slice(0, limit) : matching.slice(-limit);
}
