import { add, type Decimal, divide, maximum, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';

/** Fills of one buy level in the current cycle. Level null: bought outside the levels, such as a manual buy. */
export interface LevelFill {
  readonly level: number | null;
  /** Budget of the level's first order in this cycle, in quote. */
  readonly plannedQuote: Decimal;
  readonly filledQuote: Decimal;
}

const TWO = requireDecimal('2');

/** Adds a buy fill to its level (design: strategies-exact 1.4). The plan of a level is that of its first order. */
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
 * The level of the next buy: one above the highest completed level. A level is complete when its fills reach half of its
 * plan and an amount that can be sold again (`least`, in quote). Buys outside the levels count as the first level.
 */
export function targetOf(levels: readonly LevelFill[], least: Decimal): number {
  let target = 0;
  for (const { level, plannedQuote, filledQuote } of levels) {
    if (level === null) target = Math.max(target, 1);
    else if (filledQuote >= maximum(least, divide(plannedQuote, TWO))) target = Math.max(target, level + 1);
  }
  return target;
}

/** Remaining budget of a level: its plan less its fills, or the whole budget before its first fill. */
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
