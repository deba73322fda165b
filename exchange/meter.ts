/** What a request in flight has taken from a meter. */
export interface Taken {
  readonly amount: number;
  readonly window: number;
  readonly turn: number;
}

/**
 * One limit of the exchange: so much in each fixed window of its clock. What the exchange tells is the truth; requests
 * in flight, here and in other processes, come on top of it. All times are ms of the exchange's clock.
 */
export interface Meter {
  readonly windowMs: number;
  limit: number;
  used(nowMs: number): number;
  windowEndMs(nowMs: number): number;
  take(amount: number, nowMs: number): Taken;
  /** For a request that was not sent. */
  giveBack(taken: Taken): void;
  /** For a request that was sent; `told` is the exchange's own count, the request included. */
  settle(taken: Taken, nowMs: number, told?: number): void;
  /** What another process knows of the same limit. */
  merge(from: string, reported: ReportedUsage, nowMs: number): void;
  /** What this process knows of it. */
  known(nowMs: number): ReportedUsage;
}

export interface ReportedUsage {
  readonly window: number;
  /** The exchange's count as last told in this window. */
  readonly counted: number;
  readonly inFlight: number;
}

interface State {
  window: number;
  counted: number;
  /** The request whose reply told `counted`: an earlier request's reply, arriving later, does not lower it. */
  countedTurn: number;
  /** Sent in this window without being told a count. */
  untold: number;
  before: number;
  inFlight: number;
  turn: number;
}

export function createMeter(windowMs: number, limit: number): Meter {
  const state: State = { window: -1, counted: 0, countedTurn: 0, untold: 0, before: 0, inFlight: 0, turn: 0 };
  const others = new Map<string, ReportedUsage>();
  const roll = (nowMs: number): void => {
    const window = Math.floor(nowMs / windowMs);
    if (window === state.window) return;
    Object.assign(state, { window, before: state.counted, counted: 0, untold: 0 });
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
      return state.counted + state.untold + state.inFlight + elsewhere();
    },
    windowEndMs: (nowMs) => (Math.floor(nowMs / windowMs) + 1) * windowMs,
    take(amount, nowMs) {
      roll(nowMs);
      state.inFlight += amount;
      state.turn += 1;
      return { amount, window: state.window, turn: state.turn };
    },
    giveBack({ amount }) {
      state.inFlight -= amount;
    },
    settle(taken, nowMs, told) {
      roll(nowMs);
      state.inFlight -= taken.amount;
      if (told === undefined) state.untold += taken.window === state.window ? taken.amount : 0;
      else tell(state, taken, told);
    },
    merge(from, reported, nowMs) {
      roll(nowMs);
      others.set(from, reported);
      if (reported.window === state.window) state.counted = Math.max(state.counted, reported.counted);
    },
    known(nowMs) {
      roll(nowMs);
      return { window: state.window, counted: state.counted + state.untold, inFlight: state.inFlight };
    },
  };
}

function tell(state: State, taken: Taken, told: number): void {
  // A request that began before the window turned may still tell the count of the window before.
  if (taken.window !== state.window && told >= state.before) return;
  if (taken.turn < state.countedTurn) {
    state.counted = Math.max(state.counted, told);
    return;
  }
  state.counted = told;
  state.countedTurn = taken.turn;
  state.untold = 0;
}
