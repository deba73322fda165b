/** The amount that a request in flight has taken from a meter. */
export interface Taken {
  readonly amount: number;
  readonly window: number;
  readonly turn: number;
}

/**
 * One limit of the exchange: an amount per fixed window of its clock. The count that the exchange reports is
 * authoritative; requests in flight, in this and other processes, are added to it. All times are ms of the exchange's
 * clock.
 */
export interface Meter {
  readonly windowMs: number;
  limit: number;
  used(nowMs: number): number;
  windowEndMs(nowMs: number): number;
  take(amount: number, nowMs: number): Taken;
  /** For a request that was not sent. */
  release(taken: Taken): void;
  /** For a request that was sent; `reported` is the exchange's count, including the request. */
  settle(taken: Taken, nowMs: number, reported?: number): void;
  /** Adds the usage that another process reports for the same limit. */
  merge(from: string, reported: ReportedUsage, nowMs: number): void;
  /** The usage that this process knows. */
  known(nowMs: number): ReportedUsage;
}

export interface ReportedUsage {
  readonly window: number;
  /** The exchange's last reported count in this window. */
  readonly counted: number;
  readonly inFlight: number;
}

interface State {
  window: number;
  counted: number;
  /**
   * Turn of the request whose reply carried `counted`: a later reply to an earlier request does not lower the count.
   */
  countedTurn: number;
  /** Amount sent in this window whose replies carried no count. */
  uncounted: number;
  before: number;
  inFlight: number;
  turn: number;
}

export function createMeter(windowMs: number, limit: number): Meter {
  const state: State = { window: -1, counted: 0, countedTurn: 0, uncounted: 0, before: 0, inFlight: 0, turn: 0 };
  const others = new Map<string, ReportedUsage>();
  const roll = (nowMs: number): void => {
    const window = Math.floor(nowMs / windowMs);
    if (window === state.window) return;
    Object.assign(state, { window, before: state.counted, counted: 0, uncounted: 0 });
  };
  const elsewhere = (): number => {
    let sum = 0;
    for (const { window, inFlight } of others.values()) if (window === state.window) sum += inFlight;
    return sum;
  };
  return {
    windowMs,
    limit,
    used(nowMs) {
      roll(nowMs);
      return state.counted + state.uncounted + state.inFlight + elsewhere();
    },
    windowEndMs: (nowMs) => (Math.floor(nowMs / windowMs) + 1) * windowMs,
    take(amount, nowMs) {
      roll(nowMs);
      state.inFlight += amount;
      state.turn += 1;
      return { amount, window: state.window, turn: state.turn };
    },
    release({ amount }) {
      state.inFlight -= amount;
    },
    settle(taken, nowMs, reported) {
      roll(nowMs);
      state.inFlight -= taken.amount;
      if (reported === undefined) state.uncounted += taken.window === state.window ? taken.amount : 0;
      else applyCount(state, taken, reported);
    },
    merge(from, reported, nowMs) {
      roll(nowMs);
      others.set(from, reported);
      if (reported.window === state.window) state.counted = Math.max(state.counted, reported.counted);
    },
    known(nowMs) {
      roll(nowMs);
      return { window: state.window, counted: state.counted + state.uncounted, inFlight: state.inFlight };
    },
  };
}

function applyCount(state: State, taken: Taken, reported: number): void {
  // A request that started in the previous window may still report the count of that window.
  if (taken.window !== state.window && reported >= state.before) return;
  if (taken.turn < state.countedTurn) {
    state.counted = Math.max(state.counted, reported);
    return;
  }
  state.counted = reported;
  state.countedTurn = taken.turn;
  state.uncounted = 0;
}
