import { add, type Decimal, divide, maximum, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';

/** What the buys of one level have filled in the present cycle; level null is bought outside the levels, as by hand. */
export interface LevelFill {
  readonly level: number | null;
  /** Budget of the level's first order in this cycle, in quote. */
  readonly plannedQuote: Decimal;
  readonly filledQuote: Decimal;
}

const TWO = requireDecimal('2');

/** Adds a buy fill to its level (design: strategies-exact 1.4); the plan of a level is that of its first order. */
export function foldLevel(
  levels: readonly LevelFill[],
  bought: { readonly level: number | null; readonly plannedQuote: Decimal; readonly quoteQuantity: Decimal },
): LevelFill[] {
  const { level, plannedQuote, quoteQuantity } = bought;
  const known = levels.find((each) => each.level === level);
  if (known === undefined) return [...levels, { level, plannedQuote, filledQuote: quoteQuantity }];
  const grown = { ...known, filledQuote: add(known.filledQuote, quoteQuantity) };
  return levels.map((each) => (each === known ? grown : each));
}

/**
 * The level the next buy belongs to: one above the highest level that is done, where done means filled to half of its
 * plan and to an order that can be sold again (`least`, in quote). Buys outside the levels stand for the first one.
 */
export function targetOf(levels: readonly LevelFill[], least: Decimal): number {
  let target = 0;
  for (const { level, plannedQuote, filledQuote } of levels) {
    if (level === null) target = Math.max(target, 1);
    else if (filledQuote >= maximum(least, divide(plannedQuote, TWO))) target = Math.max(target, level + 1);
  }
  return target;
}

/** What a level may still spend: its plan less what it has filled, or the whole budget before its first fill. */
export function remainingOf(
  levels: readonly LevelFill[],
  level: number,
  budget: Decimal,
): { readonly plannedQuote: Decimal; readonly remaining: Decimal } {
  const known = levels.find((each) => each.level === level);
  if (known === undefined) return { plannedQuote: budget, remaining: budget };
  return {
    plannedQuote: known.plannedQuote,
    remaining: maximum(subtract(known.plannedQuote, known.filledQuote), ZERO),
  };
}
