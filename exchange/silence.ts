import type { Decimal } from '#core/amount/decimal.ts';

/** A difference this old is no trade that is still on its way. */
const CERTAIN_MS = 4_000;
/** A connection that has just been replaced is not judged again before this. */
const PATIENCE_MS = 60_000;

/**
 * Tells a coin that nobody trades from one whose events are lost: the price that its stream told last against prices
 * read elsewhere. `nowMs` is any steady clock.
 */
export class SilenceWatch {
  readonly #nowMs: () => number;
  /** The last known price of each coin, and since when another one has been read without a word of the stream. */
  readonly #known = new Map<string, { price: Decimal; differsMs: number | null }>();
  #judgedMs = Number.NEGATIVE_INFINITY;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  heard(symbol: string, price: Decimal): void {
    const known = this.#known.get(symbol);
    if (known === undefined) this.#known.set(symbol, { price, differsMs: null });
    else {
      known.price = price;
      known.differsMs = null;
    }
  }

  /** The coins that have moved in silence; those said to be so are forgotten, as their stream begins anew. */
  compare(symbols: Iterable<string>, prices: ReadonlyMap<string, Decimal>): string[] {
    const nowMs = this.#nowMs();
    const silent = [...symbols].filter((symbol) => this.#hasMoved(symbol, prices.get(symbol), nowMs));
    if (silent.length === 0 || nowMs - this.#judgedMs < PATIENCE_MS) return [];
    this.#judgedMs = nowMs;
    for (const symbol of silent) this.#known.delete(symbol);
    return silent;
  }

  #hasMoved(symbol: string, price: Decimal | undefined, nowMs: number): boolean {
    const known = this.#known.get(symbol);
    if (price === undefined) return false;
    if (known === undefined) this.heard(symbol, price);
    else if (known.price === price) known.differsMs = null;
    else known.differsMs ??= nowMs;
    return known !== undefined && known.differsMs !== null && nowMs - known.differsMs >= CERTAIN_MS;
  }
}
