import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { StopBasis } from '#core/judge/stop.ts';
import { isObject } from '#core/merge.ts';
import type { OrderRecord } from '#core/order/order.ts';

/** State of a coin's protective stop. Times are performance.now(). */
export interface Guard {
  /** The resting stop that has started to sell. */
  triggered: { readonly clientOrderId: string; readonly sinceMs: number } | null;
  /** Since when a position that needs a stop has none on the exchange, and up to when that time is counted. */
  unprotected: { readonly sinceMs: number; readonly countedMs: number } | null;
  /** Sentence that says why no stop rests, or why it rests at another level. */
  cause: string | null;
  /** True once the log holds the present cause. */
  reported: boolean;
}

export const createGuard = (): Guard => ({
  triggered: null,
  unprotected: null,
  cause: null,
  reported: false,
});

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
