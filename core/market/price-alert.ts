import {
  absolute,
  type Decimal,
  divide,
  formatDecimal,
  fromSteps,
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

const HUNDRED = fromSteps(100, ONE);
const MINUTE_MS = 60_000;
/** A window is kept as this many parts, each with its lowest and its highest price. */
const PARTS = 60;

interface Part {
  readonly startMs: number;
  low: Decimal;
  high: Decimal;
}

/**
 * Watches one alert. A level triggers when the price reaches it after it was on the other side; a move triggers when the
 * price differs by the percentage from the lowest or the highest price of the time before.
 */
export class AlertWatch {
  readonly #rule: AlertRule;
  readonly #parts: Part[] = [];
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

  #moves({ percent, minutes }: Extract<AlertRule, { kind: 'move' }>, { price, atMs }: PriceAt): boolean {
    const windowMs = minutes * MINUTE_MS;
    while (this.#parts[0] !== undefined && this.#parts[0].startMs <= atMs - windowMs) this.#parts.shift();
    const isMoved = this.#parts.some(
      ({ low, high }) => percentOf(price, low) >= percent || percentOf(price, high) >= percent,
    );
    const partMs = windowMs / PARTS;
    const startMs = Math.floor(atMs / partMs) * partMs;
    const newest = this.#parts.at(-1);
    if (newest === undefined || newest.startMs < startMs) this.#parts.push({ startMs, low: price, high: price });
    else if (price < newest.low) newest.low = price;
    else if (price > newest.high) newest.high = price;
    return isMoved;
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
