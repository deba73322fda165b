import { isObject } from '#core/merge.ts';

/** The state of a strategy as the engine stores it with a coin. */
export interface StoredState {
  readonly v: 1;
  /** Market time at which the state was taken. */
  readonly atMs: number;
  /** The newest fill that the strategy has seen. */
  readonly lastFillAt: string | null;
  readonly instance: unknown;
}

/** Undefined for a coin without a state, or one of another form. */
export function readStoredState(value: unknown): StoredState | undefined {
  if (!isObject(value) || value['v'] !== 1) return undefined;
  const lastFillAt = value['lastFillAt'];
  const atMs = value['atMs'];
  return {
    v: 1,
    atMs: typeof atMs === 'number' ? atMs : 0,
    lastFillAt: typeof lastFillAt === 'string' ? lastFillAt : null,
    instance: value['instance'],
  };
}
