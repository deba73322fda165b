/** Waits after the 1st, 2nd, 3rd and every later identical refusal in a row (wall ms). */
const WAITS_MS = [1_000, 5_000, 60_000] as const;
/** This many identical refusals in a row open the breaker: from then on one attempt a minute. */
const OPENS_AT = WAITS_MS.length;

interface Refusals {
  readonly times: number;
  readonly message: string;
  readonly untilMs: number;
  /** True for the refusal that opened the breaker: it is reported once. */
  readonly opened: boolean;
}

/**
 * Circuit breaker of one coin. After each identical refusal the next attempt of the same purpose waits longer, up to
 * one probe a minute. An accepted order closes the breaker; a different refusal counts from one.
 */
export interface Breaker {
  refused(purpose: string, message: string, nowMs: number): Refusals;
  /** Not sent for a temporary reason: waits, but never opens. */
  delayed(purpose: string, message: string, nowMs: number): void;
  accepted(purpose: string): void;
  open(purpose: string, nowMs: number): Refusals | undefined;
}

export function createBreaker(): Breaker {
  const byPurpose = new Map<string, Refusals>();
  const count = (purpose: string, message: string, { nowMs, most }: { nowMs: number; most: number }): Refusals => {
    const last = byPurpose.get(purpose);
    const times = last?.message === message ? last.times + 1 : 1;
    const waitMs = WAITS_MS[Math.min(times, most) - 1] ?? WAITS_MS[0];
    const refusals = { times, message, untilMs: nowMs + waitMs, opened: most === OPENS_AT && times === OPENS_AT };
    byPurpose.set(purpose, refusals);
    return refusals;
  };
  return {
    refused: (purpose, message, nowMs) => count(purpose, message, { nowMs, most: OPENS_AT }),
    delayed: (purpose, message, nowMs) => void count(purpose, message, { nowMs, most: OPENS_AT - 1 }),
    accepted: (purpose) => void byPurpose.delete(purpose),
    open(purpose, nowMs) {
      const refusals = byPurpose.get(purpose);
      return refusals !== undefined && nowMs < refusals.untilMs ? refusals : undefined;
    },
  };
}
