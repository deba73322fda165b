import { isObject } from '#core/merge.ts';
import type { OrderRecord } from '#core/order/order.ts';

/** What a stop was placed for, stored with its intent. */
export interface StopBasis {
  /** The strategy's level and the average entry price then, as decimal text. */
  readonly level: string;
  readonly average: string;
  /** Short for the config it was placed under. */
  readonly settings: string;
}

/** What the worker remembers of a coin's protective stop. Times are performance.now(). */
export interface Guard {
  /** The resting stop that has begun to sell. */
  triggered: { readonly clientOrderId: string; readonly sinceMs: number } | null;
  /** Since when a position that wants a stop has had none on the exchange, and up to when that is counted. */
  unprotected: { readonly sinceMs: number; readonly countedMs: number } | null;
  /** Why no stop rests, or not where it should; in words. */
  cause: string | null;
  /** The operator has been told of the present cause. */
  told: boolean;
}

export const createGuard = (): Guard => ({
  triggered: null,
  unprotected: null,
  cause: null,
  told: false,
});

/** Null for an order that says nothing of it. */
export function readBasis({ decision }: Pick<OrderRecord, 'decision'>): StopBasis | null {
  const stored = isObject(decision) ? decision['basis'] : undefined;
  if (!isObject(stored)) return null;
  const { level, average, settings } = stored;
  if (typeof level !== 'string' || typeof average !== 'string' || typeof settings !== 'string') return null;
  return { level, average, settings };
}

/** For how long the position has been without the stop it wants, in seconds. */
export const unprotectedSeconds = ({ unprotected }: Guard): number =>
  unprotected === null ? 0 : Math.round((performance.now() - unprotected.sinceMs) / 100) / 10;
