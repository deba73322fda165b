import {
  type Decimal,
  fromNumber,
  fromSteps,
  minimum,
  subtract,
  toNumber,
  toSteps,
  ZERO,
} from '#core/amount/decimal.ts';
import { mix, share } from './noise.ts';
import type { Listing } from './source.ts';

/** One price level offered by the market makers. */
export interface Level {
  readonly price: Decimal;
  readonly quantity: Decimal;
}

export type BookSide = 'bid' | 'ask';

/** The makers' best prices in ticks. Every trade of the source moves them and refills the quantity that was taken. */
export interface Quote {
  readonly bid: number;
  readonly ask: number;
  readonly salt: number;
  /** Quantity that takers have taken, by price in ticks. */
  readonly taken: Map<number, Decimal>;
}

/** Value of one level in units of the quote asset. */
const LEVEL_WORTH: Readonly<Record<string, number>> = {
  BTC: 0.15,
  ETH: 3,
  BNB: 14,
  TRY: 300_000,
  BRL: 40_000,
  JPY: 1_000_000,
};
const DEFAULT_WORTH = 8000;
/** Distance between two levels as a share of the price. */
const SPACING = 0.00002;

/** The makers quote around a trade. It took place at the ask if the taker bought, otherwise at the bid. */
export function quoteAround(trade: {
  readonly ticks: number;
  readonly takerBuys: boolean;
  readonly id: number;
  /** As a share of the price; absent: one or two ticks. */
  readonly spread: number | undefined;
}): Quote {
  const salt = mix(trade.ticks, trade.id);
  const spread = Math.max(1 + (salt % 2), Math.round(trade.ticks * (trade.spread ?? 0)));
  const bid = Math.max(1, trade.takerBuys ? trade.ticks - spread : trade.ticks);
  return { bid, ask: trade.takerBuys ? Math.max(bid + 1, trade.ticks) : bid + spread, salt, taken: new Map() };
}

/**
 * The makers' ladder on one side, best price first, without the quantity that was taken; endless on the ask side.
 * Behind the best price the levels are on a fixed grid with fixed quantities. So a moving market changes only the
 * levels that it passes.
 */
export function* ladderOf(quote: Quote, side: BookSide, listing: Listing): Generator<Level> {
  let ticks = side === 'bid' ? quote.bid : quote.ask;
  while (ticks >= 1) {
    const quantity = offeredAt(quote, { side, ticks }, listing);
    if (quantity > 0n) yield { price: fromSteps(ticks, listing.rules.price.tick), quantity };
    ticks = side === 'bid' ? gridBelow(ticks) : gridAbove(ticks);
  }
}

/** The makers' offer at one price, without the quantity that was taken; zero if they have no level there. */
export function offeredAt(
  quote: Quote,
  at: { readonly side: BookSide; readonly ticks: number },
  listing: Listing,
): Decimal {
  const { side, ticks } = at;
  const best = side === 'bid' ? quote.bid : quote.ask;
  const isBehind = side === 'bid' ? ticks < best : ticks > best;
  if (ticks < 1 || (ticks !== best && (!isBehind || ticks % gapAt(ticks) !== 0))) return ZERO;
  const { price, lot } = listing.rules;
  const worth = LEVEL_WORTH[listing.rules.quoteAsset] ?? DEFAULT_WORTH;
  const typicalLots = worth / (ticks * toNumber(price.tick)) / toNumber(lot.step);
  const salt = ticks === best ? quote.salt : side === 'bid' ? 1 : 2;
  const offered = fromSteps(Math.max(1, Math.round(typicalLots * (0.4 + 1.2 * share(salt, ticks)))), lot.step);
  return subtract(offered, minimum(offered, quote.taken.get(ticks) ?? ZERO));
}

/** Prices whose offers may differ between two quotes, in ticks. */
export function changedTicks(before: Quote | undefined, after: Quote | undefined, side: BookSide): Set<number> {
  const changed = new Set([...(before?.taken.keys() ?? []), ...(after?.taken.keys() ?? [])]);
  const bests = [before, after].flatMap((quote) => (quote === undefined ? [] : side === 'bid' ? quote.bid : quote.ask));
  for (const best of bests) changed.add(best);
  const [low, high] = [Math.min(...bests), Math.max(...bests)];
  for (let ticks = gridAbove(low); ticks < high; ticks = gridAbove(ticks)) changed.add(ticks);
  return changed;
}

/** Ticks between two levels at a price: 1, 2 or 5 times a power of ten, so that neighbouring grids meet. */
function gapAt(ticks: number): number {
  const wanted = ticks * SPACING;
  if (wanted <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const digit = wanted / power;
  return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

function gridAbove(ticks: number): number {
  const gap = gapAt(ticks);
  return (Math.floor(ticks / gap) + 1) * gap;
}

function gridBelow(ticks: number): number {
  const gap = gapAt(ticks - 1);
  return Math.floor((ticks - 1) / gap) * gap;
}

/** Converts a price on the grid to whole ticks. */
export const ticksOf = (price: Decimal, listing: Listing): number => toSteps(price, listing.rules.price.tick);

/** A float64 of the market, such as an average price, as a decimal for comparisons in filters. */
export const approximate = (value: number): Decimal => fromNumber(value);
