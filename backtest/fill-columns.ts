import { toNumber } from '#core/amount/decimal.ts';
import type { BookedFill } from './book.ts';

/** The fills of a run in order of time, one column for each of their numbers. Amounts are the floats nearest to the exact decimals. */
export interface FillColumns {
  readonly count: number;
  readonly atMs: Float64Array;
  /** 1 for a buy, 0 for a sell. */
  readonly buys: Uint8Array;
  readonly price: Float64Array;
  readonly quantity: Float64Array;
  /** In quote. */
  readonly quote: Float64Array;
  /** In the asset of the fee, and its value in quote. */
  readonly fee: Float64Array;
  readonly feeQuote: Float64Array;
  /** Cash and position after the fill. */
  readonly cash: Float64Array;
  readonly position: Float64Array;
  readonly cycle: Float64Array;
  /** Each fill's index in `reasons`, which are in the order of their first fill. */
  readonly reason: Uint16Array;
  readonly reasons: readonly string[];
  /** With several coins: each fill's index in `coins`. */
  readonly coin: Uint16Array;
  readonly coins: readonly string[];
}

/** Writable columns for `count` fills. */
export function emptyColumns(count: number) {
  const numbers = (): Float64Array => new Float64Array(count);
  return {
    ...{ count, atMs: numbers(), buys: new Uint8Array(count), price: numbers(), quantity: numbers() },
    ...{ quote: numbers(), fee: numbers(), feeQuote: numbers(), cash: numbers(), position: numbers() },
    ...{ cycle: numbers(), reason: new Uint16Array(count), coin: new Uint16Array(count) },
  };
}

/** Adds a name to a list that has each once; returns its index. */
export function indexIn(names: string[], name: string): number {
  const known = names.indexOf(name);
  return known >= 0 ? known : names.push(name) - 1;
}

/** The columns of the fills that the kernel has booked; `symbol` where there are several coins. */
export function fillColumns(fills: readonly (BookedFill & { readonly symbol?: string })[]): FillColumns {
  const columns = emptyColumns(fills.length);
  const [reasons, coins]: [string[], string[]] = [[], []];
  for (const [i, { fill, reason, cycle, feeQuote, cash, position, symbol }] of fills.entries()) {
    columns.atMs[i] = fill.at.getTime();
    columns.buys[i] = fill.side === 'buy' ? 1 : 0;
    columns.price[i] = toNumber(fill.price);
    columns.quantity[i] = toNumber(fill.quantity);
    columns.quote[i] = toNumber(fill.quoteQuantity);
    columns.fee[i] = toNumber(fill.feeAmount);
    columns.feeQuote[i] = toNumber(feeQuote);
    columns.cash[i] = toNumber(cash);
    columns.position[i] = toNumber(position);
    columns.cycle[i] = cycle;
    columns.reason[i] = indexIn(reasons, reason);
    if (symbol !== undefined) columns.coin[i] = indexIn(coins, symbol);
  }
  return { ...columns, reasons, coins };
}
