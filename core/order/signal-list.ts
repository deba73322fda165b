import { z } from 'zod';
import { sentSignal, type SignalAction, signalKey } from './signal.ts';

/** A recorded signal, for a backtest. */
export interface ListedSignal {
  readonly symbol: string;
  readonly action: SignalAction;
  readonly key: string;
  /** When it was sent. */
  readonly atMs: number;
}

const listed = sentSignal.omit({ secret: true });
const HEADER = ['time', 'symbol', 'action', 'id'];

/**
 * The signals of a CSV text with the columns `time,symbol,action` and optionally `id`, in any order of the rows. Returns
 * a sentence for a text that is not one. A repeated signal counts once.
 */
export function readSignalList(text: string): readonly ListedSignal[] | { readonly problem: string } {
  const [header = '', ...rows] = text.split(/\r?\n/);
  const names = header.split(',').map((name) => name.trim());
  if (HEADER.slice(0, 3).some((name) => !names.includes(name)))
    return { problem: `the first line must be ${HEADER.join(',')}` };
  const found = new Map<string, ListedSignal>();
  for (const [i, row] of rows.entries()) {
    if (row.trim() === '') continue;
    const cells = row.split(',').map((cell) => cell.trim());
    const fields = names.flatMap((name, at): [string, unknown][] => (cells[at] === '' ? [] : [[name, cells[at]]]));
    const parsed = listed.safeParse(Object.fromEntries(fields));
    if (!parsed.success) return { problem: `line ${i + 2}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}` };
    const key = signalKey(parsed.data);
    const { symbol, action, time } = parsed.data;
    if (!found.has(key)) found.set(key, { symbol, action, key, atMs: Date.parse(time) });
  }
  return [...found.values()];
}
