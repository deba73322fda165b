/** Wait after the 1st, 2nd, 3rd and every later refusal in a row (wall ms). */
const WAITS_MS = [1_000, 5_000, 60_000] as const;

export interface Refusals {
  readonly times: number;
  readonly message: string;
  readonly untilMs: number;
}

/**
 * Stops a coin from sending what the exchange keeps refusing: after each definitive refusal the next attempt of the same
 * purpose waits longer, up to one probe a minute. Any accepted order closes it.
 */
export interface Breaker {
  refused(purpose: string, message: string, nowMs: number): Refusals;
  accepted(purpose: string): void;
  open(purpose: string, nowMs: number): Refusals | undefined;
}

export function createBreaker(): Breaker {
  const byPurpose = new Map<string, Refusals>();
  return {
    refused(purpose, message, nowMs) {
      const times = (byPurpose.get(purpose)?.times ?? 0) + 1;
      const wait = WAITS_MS[Math.min(times, WAITS_MS.length) - 1] ?? WAITS_MS[2];
      const refusals = { times, message, untilMs: nowMs + wait };
      byPurpose.set(purpose, refusals);
      return refusals;
    },
    accepted(purpose) {
      byPurpose.delete(purpose);
    },
    open(purpose, nowMs) {
      const refusals = byPurpose.get(purpose);
      return refusals !== undefined && nowMs < refusals.untilMs ? refusals : undefined;
    },
  };
}
