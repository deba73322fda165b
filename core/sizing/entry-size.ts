import { type CapRoom, capRooms, type EquityShare, equityBudget, lossFraction, type PositionCaps } from './budget.ts';
import { type Decimal, divide, fromSteps, minimum, multiply, ONE, ZERO } from '#core/amount/decimal.ts';
import { type LevelFill, remainingOf } from '#core/position/levels.ts';
import type { Position } from '#core/position/position.ts';
import { minOrderQuote, type SizingNumbers, type SizingReason, sizeEntry } from './sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** What one buy level may spend, in quote. */
export interface LevelBudget {
  /** Null for an equal share of a budget that hangs on the equity. */
  readonly spend: Decimal | null;
  /** The level is passed over below this spend; null for what the exchange asks for. */
  readonly least: Decimal | null;
  /** Share of the price now (first level) or of the average entry price at which it buys. */
  readonly trigger: Decimal;
}

/** How a strategy's settings size an entry; part of what every strategy shares with the engine. */
export interface EntryTerms {
  /** What the first buy spends, in quote; 0 when that hangs on the equity. */
  readonly entryBudget: Decimal;
  readonly stopMultiple: Decimal | null;
  readonly stopLimitOffset: Decimal;
  /** Where the budget is a share of the equity; absent when it is fixed. */
  readonly equityShare?: EquityShare;
  readonly caps?: PositionCaps;
  /** One per buy level; without them there is one level that spends the entry budget. */
  readonly levels?: readonly LevelBudget[];
}

interface EntryQuestion {
  readonly level: number;
  /** What the level spends where the decision itself names it. */
  readonly quote?: Decimal;
  readonly terms: EntryTerms;
  readonly rules: SymbolRules;
  readonly price: Decimal;
  /** The limit of an order that waits in the book; absent for one at the market. */
  readonly limit?: Decimal;
  readonly position: Pick<Position, 'quantity' | 'averagePrice'>;
  readonly levels: readonly LevelFill[];
  readonly freeQuote: Decimal;
  readonly equity: Decimal;
  readonly takerFee: number;
  /** The share of the buy that the exchange takes from the bought coin; 0 where fees are paid in another asset. */
  readonly baseFeeRate: number;
  /** Rooms of profile and account. */
  readonly rooms: readonly CapRoom[];
}

type EntrySize =
  | {
      readonly kind: 'sized';
      readonly quantity: Decimal;
      readonly plannedQuote: Decimal;
      readonly numbers: SizingNumbers;
    }
  | { readonly kind: 'refused'; readonly reason: SizingReason | CapRoom['reason']; readonly numbers: SizingNumbers };

/** The quantity of an entry, by every rule of money alike (design: strategies-exact 1.5); live engine and backtest ask here. */
export function sizeByTerms(question: EntryQuestion): EntrySize {
  const { level, terms, rules, price, limit, position, levels, freeQuote, takerFee, baseFeeRate } = question;
  const { stopMultiple, stopLimitOffset } = terms;
  const entry = { price: limit ?? price, rules, stopMultiple, stopLimitOffset, baseFeeRate };
  const caps = terms.caps ?? { symbolExposure: null, positionLoss: null };
  const asksLoss = terms.equityShare !== undefined || caps.positionLoss !== null;
  const loss = asksLoss ? lossFraction(entry, takerFee) : ONE;
  const { plannedQuote, remaining } =
    question.quote === undefined
      ? remainingOf(levels, level, budgetOf(question, loss))
      : { plannedQuote: question.quote, remaining: question.quote };
  const used = multiply(position.quantity, position.averagePrice);
  const [tightest] = capRooms(caps, { used, loss, wider: question.rooms });
  if (tightest !== undefined && tightest.room < remaining && tightest.room < minOrderQuote(entry)) {
    const { reason, cap, room } = tightest;
    return { kind: 'refused', reason, numbers: { cap, used: tightest.used, room } };
  }
  const sizing = sizeEntry({
    ...entry,
    budget: tightest === undefined ? remaining : minimum(remaining, tightest.room),
    held: position.quantity,
    leastSpend: terms.levels?.[level]?.least ?? ZERO,
    freeQuote,
    waits: limit !== undefined,
  });
  return sizing.kind === 'refused' ? sizing : { ...sizing, plannedQuote };
}

/** What the level may spend before caps and funds: what it names, else its share of the round's budget. */
function budgetOf({ level, terms, equity }: EntryQuestion, loss: Decimal): Decimal {
  const { levels, equityShare, entryBudget } = terms;
  const named = levels?.[level]?.spend ?? null;
  if (named !== null || equityShare === undefined) return named ?? entryBudget;
  return divide(equityBudget(equityShare, equity, loss), fromSteps(levels?.length ?? 1, ONE));
}
