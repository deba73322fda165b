import { isObject } from '#core/merge.ts';
import type { LogRow } from '#web/data/answers.ts';
import { logMark } from '#web/ui/prose.ts';

/** A run of equal decisions, or the time of one action. */
export interface Moment {
  readonly id: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Waiting to buy, holding or blocked; `event` is a single decision or action. */
  readonly kind: 'wait' | 'hold' | 'blocked' | 'event';
  readonly mark: ReturnType<typeof logMark>;
  readonly sentence: string;
  readonly count: number;
  readonly numbers: readonly (readonly [string, string])[];
}

function kindOf({ ctx, level }: LogRow): Moment['kind'] {
  if (!isObject(ctx) || ctx['event'] !== 'decision') return 'event';
  if (level === 'warn' || (isObject(ctx['approval']) && ctx['approval']['kind'] === 'refused')) return 'blocked';
  if (ctx['kind'] !== 'nothing') return 'event';
  return String(ctx['reason']).startsWith('hold-') ? 'hold' : 'wait';
}

function numbersOf({ ctx }: LogRow): Moment['numbers'] {
  const numbers = isObject(ctx) ? ctx['numbers'] : undefined;
  if (!isObject(numbers)) return [];
  return Object.entries(numbers).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );
}

/** Log rows of one coin, newest first, as a timeline, oldest first. */
export function timelineOf(rows: readonly LogRow[]): Moment[] {
  return rows
    .map((row) => ({
      id: row.id,
      fromMs: Date.parse(row.firstAt),
      toMs: Date.parse(row.lastAt),
      kind: kindOf(row),
      mark: logMark(row),
      sentence: row.msg,
      count: row.count,
      numbers: numbersOf(row),
    }))
    .toSorted((a, b) => a.fromMs - b.fromMs);
}

/** Merges neighbours of one kind; each range extends to the next, so that a timeline draws few boxes without gaps. */
export function rangesOf(moments: readonly Moment[]): Pick<Moment, 'kind' | 'fromMs' | 'toMs'>[] {
  const merged: { kind: Moment['kind']; fromMs: number; toMs: number }[] = [];
  for (const { kind, fromMs, toMs } of moments) {
    if (kind === 'event') continue;
    const last = merged.at(-1);
    if (last !== undefined) last.toMs = Math.max(last.toMs, fromMs);
    if (last?.kind === kind) last.toMs = Math.max(last.toMs, toMs);
    else merged.push({ kind, fromMs, toMs });
  }
  return merged;
}

/** Index of the next moment of another kind in the direction of `step`; the last index in that direction when there is none. */
export function nextChange(moments: readonly Moment[], from: number, step: 1 | -1): number {
  const kind = moments[from]?.kind;
  for (let i = from + step; i >= 0 && i < moments.length; i += step) {
    if (moments[i]?.kind !== kind || kind === 'event') return i;
  }
  return step === 1 ? moments.length - 1 : 0;
}
