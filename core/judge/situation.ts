import type { CapRoom } from '#core/sizing/budget.ts';
import type { EntryTerms } from '#core/sizing/entry-size.ts';
import { type Decimal, formatDecimal, formatRounded } from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import type { ApprovalReason, Numbers } from '#core/decision/decision.ts';
import type { Gates } from '#core/decision/gates.ts';
import type { Halt } from '#core/account/halts.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { OrderDraft, OrderPurpose } from '#core/order/order.ts';
import type { LevelFill } from '#core/position/levels.ts';
import type { OrphansOn } from '#core/account/orphan.ts';
import type { Position } from '#core/position/position.ts';

/*
 * One judgement for live trading and backtests. The engine and the backtest each build a `Situation` of one coin. The rules
 * of this folder then approve or refuse an order:
 *
 * - entry.ts: the buy of a strategy.
 * - exit.ts: the sale of a strategy.
 * - manual.ts: an order of the operator.
 * - stop.ts: the stop on the exchange, and a stop that failed.
 * - view.ts: what the strategy sees of the coin.
 */

/** All facts of one coin that the judgement of an order depends on, frozen for one decision. */
export interface Situation {
  readonly rules: SymbolRules;
  readonly price: Decimal;
  /** Market time in ms. */
  readonly nowMs: number;
  readonly position: Position;
  readonly levels: readonly LevelFill[];
  readonly terms: EntryTerms;
  /** Free quote, without the quote that the waiting buy locks. Computed only for an entry. */
  readonly freeQuote: () => Decimal;
  /** Equity of the account in the coin's quote asset: cash and positions. It reads every coin. */
  readonly equity: () => Decimal;
  readonly freeBase: Decimal;
  readonly takerFee: number;
  /** Share of a buy that the exchange takes from the bought coin as its fee; 0 when it is paid in another asset. */
  readonly baseFeeRate: number;
  /** An order of this coin that is not resting. Its outcome is certain at `certainAtMs` (protocol time). */
  readonly pending: { readonly clientOrderId: string; readonly unknown: boolean; readonly certainAtMs: number } | null;
  /** The resting stop: its locked quantity, and whether it was triggered and still has time to sell. */
  readonly stop: { readonly left: Decimal; readonly selling: boolean } | null;
  /** The waiting buy: the next buy replaces it and uses its locked quote. */
  readonly waiting: { readonly locked: Decimal } | null;
  /** Quantity that resting sales other than stops still have to sell. */
  readonly quantityInOpenSells: Decimal;
  readonly gates: Gates | null;
  readonly limits: Limits;
  /** Conditions of a live account; null in a backtest, which has none of them. */
  readonly live: LiveConditions | null;
}

/** The operator's limits of account and profile (core/account/risk-judge.ts) for this coin. */
interface Limits {
  /** The limit that refuses an entry now. */
  refusal(): { readonly reason: ApprovalReason; readonly numbers: Numbers } | undefined;
  /** Room that the exposure caps leave. */
  rooms(): readonly CapRoom[];
}

interface LiveConditions {
  readonly enabled: boolean;
  readonly keyStatus: 'healthy' | 'error' | null;
  readonly halts: readonly Halt[];
  readonly priceAgeMs: number;
  /** Orders of the base asset that no profile tracks. */
  readonly orphans: OrphansOn;
  /** Why an open order of the coin could not be read; null when all could. */
  readonly unreadOrder: string | null;
  /** First candles of the coin that are not read yet; null when all are read. */
  readonly candles: { readonly interval: string; readonly problem: { readonly cause: string } | null } | null;
  /** Repeated refusals of the exchange that delay the next order of a purpose (wall ms). */
  readonly refusals: (
    purpose: OrderPurpose,
  ) => { readonly times: number; readonly message: string; readonly untilMs: number } | undefined;
}

/** An amount of an asset, shown with the decimals of that asset. */
interface Amount {
  readonly amount: Decimal;
  readonly asset: string;
}

/** The values behind a judgement. They become text (`numbersOf`) only where they are shown: not in a backtest. */
export type Facts = Readonly<Record<string, Decimal | Date | Amount | string | number | null>>;

export interface Refusal {
  readonly kind: 'refused';
  readonly reason: ApprovalReason;
  readonly facts: Facts;
}

/** An order that the rules allow. Quantity and prices are exact multiples of the lot size and the tick size. */
export type JudgedOrder = Pick<OrderDraft, 'side' | 'purpose' | 'form' | 'quantity' | 'entry'>;

export type Judgement<Order extends JudgedOrder = JudgedOrder> =
  | { readonly kind: 'approved'; readonly order: Order; readonly facts: Facts }
  | Refusal;

const NO_FACTS: Facts = {};

export const refuse = (reason: ApprovalReason, facts: Facts = NO_FACTS): Refusal => ({
  kind: 'refused',
  reason,
  facts,
});

/** The numbers of a decision: decimals and times as text. */
export const numbersOf = (facts: Facts): Numbers =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, textOf(value)]));

function textOf(value: Facts[string]): string | number | null {
  if (typeof value === 'bigint') return formatDecimal(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  return `${formatRounded(value.amount, moneyPlaces(value.asset))} ${value.asset}`;
}
