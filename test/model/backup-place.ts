import { z } from 'zod';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { RecordedRun } from '#test/faults/pool.ts';
import type { LoggedStep } from '#test/faults/protocol-log.ts';

const version = z.object({
  id: z.string(),
  state: z.string(),
  filled_quantity: z.string(),
  exchange_order_id: z.string().nullable(),
});
/** The orders of a backup, as logged when it was restored. */
export const restored = z.object({ orders: z.array(version) });

const textOf = ({ state, filled_quantity: filled, exchange_order_id: exchangeId }: z.output<typeof version>): string =>
  `${state} ${requireDecimal(filled)} ${exchangeId}`;

interface OrderedLog {
  readonly logged: readonly LoggedStep[];
  /** How many steps come before the backup that is restored later; undefined without a restore. */
  readonly saved: number | undefined;
}

/**
 * The log with the steps that a restored backup holds before those that it lacks. A step is logged before its transaction
 * commits, so the backup may hold a later step of the log and lack an earlier one of a transaction that was still open.
 * Such a transaction had no lock that the others needed: its steps may come later.
 */
export function orderByBackup({ logged, seen }: RecordedRun): OrderedLog {
  const end = logged.findIndex(({ kind }) => kind === 'restored');
  if (end < 0) return { logged, saved: undefined };
  const before = logged.slice(0, end);
  const wanted = new Map(restored.parse(logged[end]?.detail).orders.map((row) => [row.id, textOf(row)]));
  const versions = before.flatMap(({ kind, detail, transaction }, place) => {
    if (!kind.startsWith('orders')) return [];
    const row = version.parse(detail);
    return [{ id: row.id, place, transaction, isWanted: textOf(row) === wanted.get(row.id) }];
  });
  const last = new Map(versions.flatMap(({ id, place, isWanted }) => (isWanted ? [[id, place]] : [])));
  const isHeld = ({ id, place }: (typeof versions)[number]): boolean => place <= (last.get(id) ?? -1);
  const held = new Set(versions.filter(isHeld).map(({ transaction }) => transaction));
  const lacking = new Set(versions.filter((each) => !isHeld(each)).map(({ transaction }) => transaction));
  const backedUpMs = seen.find(({ kind }) => kind === 'backed-up')?.atMs ?? 0;
  const isBefore = ({ atMs, transaction }: LoggedStep): boolean => held.has(transaction) || atMs <= backedUpMs;
  const place = before.findLastIndex(isBefore) + 1;
  const lacks = ({ transaction }: LoggedStep): boolean => lacking.has(transaction);
  const kept = before.slice(0, place).filter((step) => !lacks(step));
  return { logged: [...kept, ...before.slice(0, place).filter(lacks), ...logged.slice(place)], saved: kept.length };
}
