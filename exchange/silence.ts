import type { Decimal } from '#core/amount/decimal.ts';

/** A difference this old cannot come from a delayed trade event. */
const CERTAIN_MS = 4_000;
/** Least time between two reports, so that a replaced connection can recover. */
const REPORT_EVERY_MS = 60_000;

/**
 * Distinguishes a coin without trades from a coin whose events are lost: compares the last streamed price with prices
 * from REST. `nowMs` is any monotonic clock.
 */
export class SilenceWatch {
  readonly #nowMs: () => number;
  /** The last known price of each coin, and since when REST returns another one while the stream is silent. */
  readonly #known = new Map<string, { price: Decimal; differsMs: number | null }>();
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  received(symbol: string, price: Decimal): void {
    const known = this.#known.get(symbol);
    if (known === undefined) this.#known.set(symbol, { price, differsMs: null });
    else {
      known.price = price;
      known.differsMs = null;
    }
  }

  /**
   * Coins whose price moved while their stream was silent. Returned coins are forgotten, because their stream restarts.
   */
  compare(symbols: Iterable<string>, prices: ReadonlyMap<string, Decimal>): string[] {
    const nowMs = this.#nowMs();
    const silent = [...symbols].filter((symbol) => this.#hasMoved(symbol, prices.get(symbol), nowMs));
    if (silent.length === 0 || nowMs - this.#reportedMs < REPORT_EVERY_MS) return [];
    this.#reportedMs = nowMs;
    for (const symbol of silent) this.#known.delete(symbol);
    return silent;
  }

  #hasMoved(symbol: string, price: Decimal | undefined, nowMs: number): boolean {
    const known = this.#known.get(symbol);
    if (price === undefined) return false;
    if (known === undefined) this.received(symbol, price);
    else if (known.price === price) known.differsMs = null;
    else known.differsMs ??= nowMs;
    return known !== undefined && known.differsMs !== null && nowMs - known.differsMs >= CERTAIN_MS;
  }
}
