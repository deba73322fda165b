import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { StopBasis } from '#core/judge/stop.ts';
import { isObject } from '#core/merge.ts';
import type { OrderRecord } from '#core/order/order.ts';

/** For this long after a refusal, no order list is tried again (ms): each try leaves the position without a stop. */
export const LIST_REFUSED_MS = 900_000;

/** State of a coin's protective stop and target. Times are performance.now(). */
export interface Guard {
  /** The resting stop that has started to sell. */
  triggered: { readonly clientOrderId: string; readonly sinceMs: number } | null;
  /** Since when a position that needs a stop has none on the exchange, and up to when that time is counted. */
  unprotected: { readonly sinceMs: number; readonly countedMs: number } | null;
  /** Sentence that says why no stop rests, or why it rests at another level. */
  cause: string | null;
  /** True once the log holds the present cause. */
  reported: boolean;
  /** The resting target that has started to sell. */
  selling: { readonly clientOrderId: string; readonly sinceMs: number } | null;
  /** Why the exchange refused an order list, and until when none is tried again. */
  listRefused: { readonly message: string; readonly untilMs: number } | null;
  /** Why no target rests next to the stop; its reason code is in the log. */
  targetCause: { readonly reason: string; readonly sentence: string } | null;
}

export const createGuard = (): Guard => ({
  triggered: null,
  unprotected: null,
  cause: null,
  reported: false,
  selling: null,
  listRefused: null,
  targetCause: null,
});

export function refuseLists(guard: Guard, message: string): void {
  guard.listRefused = { message, untilMs: performance.now() + LIST_REFUSED_MS };
}

/** The stop is cancelled and the next one is not placed yet: the time without one begins. */
export function startUnprotected(guard: Guard): void {
  const nowMs = performance.now();
  guard.unprotected ??= { sinceMs: nowMs, countedMs: nowMs };
}

/** The basis of a stop as its intent stores it: decimals as text. */
export const basisToStore = ({ level, average, settings }: StopBasis): unknown => ({
  level: formatDecimal(level),
  average: formatDecimal(average),
  settings,
});

/** The basis stored with an order; null for an order without one. */
export function readBasis({ decision }: Pick<OrderRecord, 'decision'>): StopBasis | null {
  const stored = isObject(decision) ? decision['basis'] : undefined;
  if (!isObject(stored)) return null;
  const { level, average, settings } = stored;
  if (typeof level !== 'string' || typeof average !== 'string' || typeof settings !== 'string') return null;
  return { level: requireDecimal(level), average: requireDecimal(average), settings };
}

/** How long the position has been without a stop on the exchange, in seconds. */
export const unprotectedSeconds = ({ unprotected }: Guard): number =>
  unprotected === null ? 0 : Math.round((performance.now() - unprotected.sinceMs) / 100) / 10;
