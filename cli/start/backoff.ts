const firstMs = 250;
const longestMs = 2000;
const healthyMs = 30_000;

/** How long to wait before a crashed process starts again: doubling, and from the beginning after a healthy while. */
export class Backoff {
  #nextMs = firstMs;

  /** `livedMs` is how long the process had worked; returns the pause in ms. */
  pauseAfter(livedMs: number): number {
    if (livedMs >= healthyMs) this.#nextMs = firstMs;
    const pause = this.#nextMs;
    this.#nextMs = Math.min(pause * 2, longestMs);
    return pause;
  }
}
