const firstMs = 250;
const longestMs = 2000;
const healthyMs = 30_000;

/** Pause before a crashed process is restarted. It doubles, and resets after a healthy period. */
export class Backoff {
  #nextMs = firstMs;

  /** `livedMs`: uptime of the process. Returns the pause in ms. */
  pauseAfter(livedMs: number): number {
    if (livedMs >= healthyMs) this.#nextMs = firstMs;
    const pause = this.#nextMs;
    this.#nextMs = Math.min(pause * 2, longestMs);
    return pause;
  }
}
