export const RATE_SECONDS = 240;

/** Decisions per second of the last four minutes, newest last; `null` before this page was listening. */
export class DecisionRate {
  private seconds: (number | null)[] = Array.from({ length: RATE_SECONDS }, () => null);
  private current: number | null = null;
  private listeners = new Set<() => void>();
  private view: DecisionRateView = { seconds: this.seconds, lastTickMs: null, marketMs: null };

  /** A tick frame arrived at wall time `nowMs`; `marketMs` is the time of the market it decided on. */
  record(nowMs: number, marketMs: number): void {
    this.current = (this.current ?? 0) + 1;
    this.view = { ...this.view, lastTickMs: nowMs, marketMs };
  }

  /** Closes the running second. While not `listening` the marks do not move. */
  step(listening: boolean): void {
    if (listening) {
      this.seconds = [...this.seconds.slice(1), this.current ?? 0];
      this.current = 0;
    }
    this.view = { ...this.view, seconds: this.seconds };
    for (const listener of this.listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly read = (): DecisionRateView => this.view;
}

export interface DecisionRateView {
  readonly seconds: readonly (number | null)[];
  readonly lastTickMs: number | null;
  readonly marketMs: number | null;
}

/** The marks as one sentence, for a screen reader. */
export function decisionRateText(seconds: DecisionRateView['seconds']): string {
  const received = seconds.filter((count) => count !== null);
  if (received.length === 0) return 'Decisions per second: no data yet.';
  const silent = received.filter((count) => count === 0).length;
  const total = received.reduce((sum, count) => sum + count, 0);
  return `Last ${received.length} seconds: ${total} decisions, ${silent} seconds without one.`;
}
