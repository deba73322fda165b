import { isObject } from '#core/merge.ts';

/** What the resting stop was placed for, stored with its intent. Prices as decimal text. */
export interface StopBasis {
  readonly level: string;
  readonly average: string;
  /** Short for the config it was placed under. */
  readonly settings: string;
}

/** What the worker remembers of a coin's protective stop. Times are performance.now(). */
export interface Guard {
  basis: StopBasis | null;
  /** The resting stop that has begun to sell. */
  triggered: { readonly clientOrderId: string; readonly sinceMs: number } | null;
  /** Since when a position that wants a stop has had none on the exchange, and up to when that is counted. */
  bare: { readonly sinceMs: number; readonly countedMs: number } | null;
  /** Why no stop rests, or not where it should; in words. */
  cause: string | null;
  /** The operator has been told of the present cause. */
  told: boolean;
}

export const createGuard = (stored: unknown): Guard => ({
  basis: readBasis(stored),
  triggered: null,
  bare: null,
  cause: null,
  told: false,
});

function readBasis(stored: unknown): StopBasis | null {
  if (!isObject(stored)) return null;
  const { level, average, settings } = stored;
  if (typeof level !== 'string' || typeof average !== 'string' || typeof settings !== 'string') return null;
  return { level, average, settings };
}

/** For how long the position has been without the stop it wants, in seconds. */
export const bareSeconds = ({ bare }: Guard): number =>
  bare === null ? 0 : Math.round((performance.now() - bare.sinceMs) / 100) / 10;
