/** The market's time. Protocol time is always the wall clock. The two differ in a fast replay and in a virtual run. */
export interface MarketClock {
  nowMs(): number;
  /** Speed as a multiple of the wall clock; 0 when the clock moves only on request. */
  readonly speed: number;
  /** Moves a virtual clock forward. Absent on clocks that run automatically. */
  readonly moveTo?: (ms: number) => void;
}

/** Wall time, never backwards. */
export function realClock(wall: () => number = Date.now): MarketClock {
  let last = 0;
  return {
    speed: 1,
    nowMs: () => {
      last = Math.max(last, wall());
      return last;
    },
  };
}

/** Starts at `startMs` now and runs `speed` times as fast as the wall clock. */
export function scaledClock(
  startMs: number,
  speed: number,
  monotonicMs: () => number = () => performance.now(),
): MarketClock {
  const beganMs = monotonicMs();
  return { speed, nowMs: () => Math.floor(startMs + (monotonicMs() - beganMs) * speed) };
}

/** Does not move until `moveTo` is called. */
export function virtualClock(startMs: number): MarketClock {
  let now = startMs;
  return {
    speed: 0,
    nowMs: () => now,
    moveTo: (ms) => {
      now = Math.max(now, ms);
    },
  };
}
