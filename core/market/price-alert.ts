import {
  absolute,
  type Decimal,
  divide,
  formatDecimal,
  fromSteps,
  maximum,
  minimum,
  multiply,
  ONE,
  subtract,
} from '#core/amount/decimal.ts';

/** `above` and `below`: the price crosses a level. `move`: it moves by a percentage within a time, up or down. */
export type AlertRule =
  | { readonly kind: 'above' | 'below'; readonly price: Decimal }
  | { readonly kind: 'move'; readonly percent: Decimal; readonly minutes: number };

/** A price of the coin at market time. */
interface PriceAt {
  readonly price: Decimal;
  readonly atMs: number;
}

/** The lowest and the highest price of a short time that starts at `startMs`, market time. */
interface PriceRange {
  readonly startMs: number;
  readonly low: Decimal;
  readonly high: Decimal;
}

const HUNDRED = fromSteps(100, ONE);
const MINUTE_MS = 60_000;
/** A window is kept as this many parts, each with its lowest and its highest price. */
const PARTS = 60;

/**
 * Watches one alert. A level triggers when the price reaches it after it was on the other side; a move triggers when the
 * price differs by the percentage from the lowest or the highest price of the time before.
 */
export class AlertWatch {
  readonly #rule: AlertRule;
  #parts: readonly PriceRange[] = [];
  #isReady: boolean;

  /** `isReady`: the price of a level was on the other side already. */
  constructor(rule: AlertRule, isReady: boolean) {
    this.#rule = rule;
    this.#isReady = isReady;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Whether the price triggers the alert. */
  triggers({ price, atMs }: PriceAt): boolean {
    const rule = this.#rule;
    if (rule.kind === 'move') return this.#moves(rule, { price, atMs });
    const isReached = rule.kind === 'above' ? price >= rule.price : price <= rule.price;
    if (isReached) return this.#isReady;
    this.#isReady = true;
    return false;
  }

  /** Adds prices from before the first judged one, so that a move also counts from them. A level needs none. */
  addHistory(ranges: readonly PriceRange[]): void {
    if (this.#rule.kind !== 'move') return;
    for (const range of ranges) this.#add(range, this.#rule.minutes);
    this.#parts = this.#parts.toSorted((a, b) => a.startMs - b.startMs);
  }

  #moves({ percent, minutes }: Extract<AlertRule, { kind: 'move' }>, { price, atMs }: PriceAt): boolean {
    const fromMs = atMs - minutes * MINUTE_MS;
    this.#parts = this.#parts.filter(({ startMs }) => startMs > fromMs);
    const isMoved = this.#parts.some(
      ({ low, high }) => percentOf(price, low) >= percent || percentOf(price, high) >= percent,
    );
    this.#add({ startMs: atMs, low: price, high: price }, minutes);
    return isMoved;
  }

  #add({ startMs, low, high }: PriceRange, minutes: number): void {
    const partMs = (minutes * MINUTE_MS) / PARTS;
    const start = Math.floor(startMs / partMs) * partMs;
    const at = this.#parts.findLastIndex((part) => part.startMs === start);
    const known = this.#parts[at];
    if (known === undefined) this.#parts = [...this.#parts, { startMs: start, low, high }];
    else if (low < known.low || high > known.high)
      this.#parts = this.#parts.with(at, {
        startMs: start,
        low: minimum(low, known.low),
        high: maximum(high, known.high),
      });
  }
}

/** The distance of a price from another one, in percent. */
const percentOf = (price: Decimal, from: Decimal): Decimal =>
  multiply(divide(absolute(subtract(price, from)), from), HUNDRED);

/** The message of a triggered alert. */
export const triggeredText = (symbol: string, rule: AlertRule, price: Decimal): string =>
  rule.kind === 'move'
    ? `${symbol} moved by ${formatDecimal(rule.percent)} % within ${rule.minutes} min: ${formatDecimal(price)}`
    : `${symbol} is ${rule.kind} ${formatDecimal(rule.price)}: ${formatDecimal(price)}`;
