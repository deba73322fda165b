import { add, type Decimal, fromSteps, multiply, subtract, toNumber, ZERO } from '#core/amount/decimal.ts';
import type { Decision } from '#core/decision/decision.ts';
import type { Gates } from '#core/decision/gates.ts';
import type { Situation } from '#core/judge/situation.ts';
import type { TickView } from '#core/judge/view.ts';
import type { EntryTerms } from '#core/sizing/entry-size.ts';
import { type Book, cashFor } from './book.ts';
import { baseFeeRate } from './fills.ts';

/** Limits and equity that a coin shares with the other coins of its account; null for a single coin. */
export interface AccountView {
  /** The operator's limit that refuses a buy now. */
  refusal(nowMs: number): ReturnType<Situation['limits']['refusal']>;
  /** Room that the exposure caps leave. */
  readonly rooms: Situation['limits']['rooms'];
  /** Cash plus all positions at their last prices, in quote. */
  equity(): Decimal;
  /** A buy was placed: order `number` may spend `quote`. */
  placed(buy: { readonly number: number; readonly quote: Decimal; readonly nowMs: number }): void;
}

/**
 * The coin of a book at the close of a candle, for the rules of core/judge. One object is reused for all decisions, because
 * a strategy may be refused at every candle. Call `moveTo` first.
 */
export class BookSituation implements Situation {
  nowMs = 0;
  priceTicks = 0;
  price = ZERO;
  terms: EntryTerms;
  account: AccountView | null = null;
  isExit = false;
  readonly gates: Gates | null;
  readonly takerFee: number;
  readonly baseFeeRate: number;
  readonly rules: Situation['rules'];
  readonly limits: Situation['limits'];
  /** The cash for a new order already includes what the resting buy locks. */
  readonly waiting = null;
  readonly quantityInOpenSells = ZERO;
  readonly live = null;
  readonly freeQuote: () => Decimal;
  readonly equity: () => Decimal;
  readonly #book: Book;

  constructor(book: Book, terms: EntryTerms, gates: Gates | null) {
    this.#book = book;
    this.terms = terms;
    this.gates = gates;
    this.rules = book.rules;
    this.takerFee = toNumber(book.terms.feeRate);
    this.baseFeeRate = baseFeeRate(book.terms);
    this.freeQuote = () => cashFor(book);
    this.equity = () => this.account?.equity() ?? add(book.balance.cash, multiply(book.position.quantity, this.price));
    this.limits = {
      refusal: () => this.account?.refusal(this.nowMs),
      rooms: () => this.account?.rooms() ?? NO_ROOMS,
    };
  }

  moveTo({ nowMs, price }: TickView, decision: Decision, terms: EntryTerms): void {
    this.isExit = decision.kind === 'sell';
    this.nowMs = nowMs;
    this.priceTicks = price;
    this.price = fromSteps(price, this.rules.price.tick);
    this.terms = terms;
  }

  get position(): Situation['position'] {
    return this.#book.position;
  }

  get levels(): Situation['levels'] {
    return this.#book.levels;
  }

  get pending(): Situation['pending'] {
    const { pending } = this.#book;
    // A sale replaces a market order that waits for volume.
    if (pending === null || this.isExit) return null;
    return { clientOrderId: String(pending.number), unknown: false, certainAtMs: this.nowMs };
  }

  /** By the close of a candle the time of a triggered stop is over, so it never blocks an exit. */
  get stop(): Situation['stop'] {
    const { stop } = this.#book;
    return stop === null ? null : { left: stop.quantity, selling: false };
  }

  /** The part of the position that the stop does not lock. */
  get freeBase(): Decimal {
    const { position, stop } = this.#book;
    return stop === null ? position.quantity : subtract(position.quantity, stop.quantity);
  }
}

const NO_ROOMS: ReturnType<Situation['limits']['rooms']> = [];
