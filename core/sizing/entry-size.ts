import { type CapRoom, capRooms, type EquityShare, equityBudget, lossFraction, type PositionCaps } from './budget.ts';
import { type Decimal, divide, fromSteps, minimum, multiply, ONE, ZERO } from '#core/amount/decimal.ts';
import { type LevelFill, remainingOf } from '#core/position/levels.ts';
import type { Position } from '#core/position/position.ts';
import { minOrderQuote, type SizingNumbers, type SizingReason, sizeEntry } from './sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** Budget of one buy level, in quote. */
export interface LevelBudget {
  /** Null for an equal share of a budget that depends on the equity. */
  readonly spend: Decimal | null;
  /** The level is skipped below this amount; null for the minimum of the exchange. */
  readonly least: Decimal | null;
  /** Buy price as a share of the current price (first level) or of the average entry price. */
  readonly trigger: Decimal;
}

/** Settings for the size of an entry, common to all strategies. */
export interface EntryTerms {
  /** Amount of the first buy, in quote; 0 when it depends on the equity. */
  readonly entryBudget: Decimal;
  readonly stopMultiple: Decimal | null;
  readonly stopLimitOffset: Decimal;
  /** The budget as a share of the equity; absent when it is fixed. */
  readonly equityShare?: EquityShare;
  readonly caps?: PositionCaps;
  /** One per buy level; absent: one level with the entry budget. */
  readonly levels?: readonly LevelBudget[];
}

interface EntryQuestion {
  readonly level: number;
  /** Amount of the level when the decision names it. */
  readonly quote?: Decimal | undefined;
  readonly terms: EntryTerms;
  readonly rules: SymbolRules;
  readonly price: Decimal;
  /** Limit of a resting order; absent for a market order. */
  readonly limit?: Decimal | undefined;
  readonly position: Pick<Position, 'quantity' | 'averagePrice'>;
  readonly levels: readonly LevelFill[];
  readonly freeQuote: Decimal;
  readonly equity: Decimal;
  readonly takerFee: number;
  /** Fee rate taken from the bought coin; 0 when fees are paid in another asset. */
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

/** Quantity of an entry by all sizing rules (design: strategies-exact 1.5), for live engine and backtest. */
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

/** Budget of the level before caps and funds: its own amount, otherwise its share of the cycle's budget. */
function budgetOf({ level, terms, equity }: EntryQuestion, loss: Decimal): Decimal {
  const { levels, equityShare, entryBudget } = terms;
  const named = levels?.[level]?.spend ?? null;
  if (named !== null || equityShare === undefined) return named ?? entryBudget;
  return divide(equityBudget(equityShare, equity, loss), fromSteps(levels?.length ?? 1, ONE));
}
