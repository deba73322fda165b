export const BEAT_SECONDS = 240;

/** Decisions per second of the last four minutes, newest last; `null` before this page was listening. */
export class Beat {
  private seconds: (number | null)[] = Array.from({ length: BEAT_SECONDS }, () => null);
  private current: number | null = null;
  private listeners = new Set<() => void>();
  private view: BeatView = { seconds: this.seconds, lastTickMs: null, marketMs: null };

  /** A tick frame arrived at wall time `nowMs`; `marketMs` is the time of the market it decided on. */
  record(nowMs: number, marketMs: number): void {
    this.current = (this.current ?? 0) + 1;
    this.view = { ...this.view, lastTickMs: nowMs, marketMs };
  }

  /** Closes the running second. While not `listening` the ruler stands still. */
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

  readonly read = (): BeatView => this.view;
}

export interface BeatView {
  readonly seconds: readonly (number | null)[];
  readonly lastTickMs: number | null;
  readonly marketMs: number | null;
}

/** What the ruler shows, in one sentence. */
export function beatWords(seconds: BeatView['seconds']): string {
  const heard = seconds.filter((count) => count !== null);
  if (heard.length === 0) return 'Decisions per second: listening has just begun.';
  const silent = heard.filter((count) => count === 0).length;
  const total = heard.reduce((sum, count) => sum + count, 0);
  return `Last ${heard.length} seconds: ${total} decisions, ${silent} seconds without one.`;
}
