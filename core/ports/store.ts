import type { Numbers } from '#core/decision/decision.ts';
import type { ProposalRefusal } from '#core/order/proposal.ts';
import type { Account } from '#core/account/account.ts';
import type { AdjustmentReason } from '#core/position/cost-basis.ts';
import type { Decimal } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { Halt } from '#core/account/halts.ts';
import type { AccountId, OrderId, ProfileId } from '#core/ids.ts';
import type { ApprovedOrder, OrderRecord, OrderState } from '#core/order/order.ts';
import type { OutsideChange } from '#core/position/ledger.ts';
import type { LevelFill } from '#core/position/levels.ts';
import type { FoundOrder, OrphanLock } from '#core/account/orphan.ts';
import type { Adjustment, Position } from '#core/position/position.ts';
import type { RiskFacts } from '#core/account/risk.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/* ---- storage port of the engine ---- */

/** Strategy state and position of one coin. `version` is the compare-and-set token; `reconciled` is false after a restore. */
export interface RunnerState {
  readonly version: number;
  readonly strategyState: unknown;
  readonly position: Position;
  readonly reconciled: boolean;
}

export interface IntentRequest {
  readonly order: ApprovedOrder;
  readonly orderId: OrderId;
  readonly reason: string;
  readonly decision: unknown;
  readonly strategyState: unknown;
  readonly expectedVersion: number;
  /** A stop rests, or the intent is an order list: a freeze then refuses it. */
  readonly stopRests: boolean;
  readonly fencing: number;
  readonly sendBeforeMs: number;
  /** Market time of the decision. */
  readonly at: Date;
  /** The leg that sells above the price. Stop and target then form one order list: both are committed, or none. */
  readonly target?: {
    readonly order: ApprovedOrder;
    readonly orderId: OrderId;
    readonly reason: string;
  };
  /** The operator's action behind it. A second intent for one action fails to commit. */
  readonly actionId?: string;
  /** The signal behind it. A second intent for one signal, and one for a late signal, is refused. */
  readonly signalId?: string;
}

/** Why a pending signal has no order: for now, or finally when it `ends`. */
export interface SignalAnswer {
  readonly id: string;
  readonly reason: string;
  readonly numbers: Numbers;
  readonly ends: boolean;
}

/** Only `committed` may be sent. `lost-lease`: another worker owns the account; `moved`: the version differed. */
export type IntentResult =
  | {
      readonly kind: 'committed';
      readonly record: OrderRecord;
      /** The target of an order list. */
      readonly target?: OrderRecord;
      readonly version: number;
    }
  | { readonly kind: 'halted'; readonly halt: Halt }
  | { readonly kind: 'lost-lease' }
  | { readonly kind: 'moved' }
  /** The proposal, the budget of its token, or the signal refuses. */
  | { readonly kind: 'refused'; readonly reason: ProposalRefusal; readonly numbers: Numbers };

export interface OrderUpdate {
  readonly state: OrderState;
  readonly exchangeOrderId?: string;
  /** Reported cumulative amounts. A larger stored value stays. */
  readonly filledQuantity?: Decimal;
  readonly filledQuote?: Decimal;
  readonly reason?: string;
  readonly payload?: unknown;
  /** Market time of the change; absent: the order keeps its `updatedAt`. */
  readonly at?: Date;
  /** It was certainly never sent, or is settled. The operator's action may create another one. */
  readonly freesAction?: true;
}

export interface FillRequest {
  readonly accountId: AccountId;
  readonly epoch: number;
  readonly orderId: OrderId;
  readonly fill: ExchangeFill;
  readonly rules: SymbolRules;
  readonly cooldownMs: number;
  /** Value in quote of a fee paid in a third asset; null while unknown, which the net then leaves out. */
  readonly feeQuote: Decimal | null;
}

/** `applied` is false for a fill that was already known. */
export interface FillResult {
  readonly applied: boolean;
  readonly position: Position;
  readonly version: number;
}

/** The cost-basis row of a coin as its owner sees it; `version` is the compare-and-set token of the runner. */
export interface CostBasis {
  readonly version: number;
  readonly position: Position;
  readonly note: string | null;
  /** The operator's pending request; a price of zero requests the removal of the row. */
  readonly asked: { readonly price: Decimal; readonly quantity: Decimal } | null;
}

/** Sets position and note of a coin and completes the request, if it is still `basis.asked`. */
export interface AdjustmentRequest extends Adjustment {
  readonly account: Pick<Account, 'id' | 'epoch'>;
  readonly fencing: number;
  readonly profileId: ProfileId;
  readonly symbol: string;
  /** Null when unknown; then the quantity cannot change. */
  readonly baseAsset: string | null;
  readonly reason: AdjustmentReason;
  readonly note: string | null;
  readonly basis: CostBasis;
}

export type AdjustmentResult =
  | { readonly kind: 'adjusted'; readonly position: Position; readonly version: number }
  | { readonly kind: 'lost-lease' }
  | { readonly kind: 'moved' };

/** Sum of ledger and untracked holdings of an account's epoch, by asset; `begun` after the first check. */
export interface LedgerBalance {
  readonly begun: boolean;
  readonly sums: readonly { readonly asset: string; readonly sum: Decimal }[];
}

/** Number of orders and positions of the old epoch that were closed as void. */
export type EpochResult =
  | { readonly kind: 'closed'; readonly epoch: number; readonly orders: number; readonly positions: number }
  | { readonly kind: 'lost-lease' };

export interface StateToKeep {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly version: number;
  readonly state: unknown;
}

export interface TradingStore {
  loadRunner(profileId: ProfileId, symbol: string): Promise<RunnerState>;
  /** Fills of each buy level in the current cycle; empty while flat. */
  levelFills(profileId: ProfileId, symbol: string): Promise<LevelFill[]>;
  /** One transaction: halts and lease checked under advisory locks, order row, strategy state by compare-and-set. */
  commitIntent(request: IntentRequest): Promise<IntentResult>;
  answerSignal(answer: SignalAnswer): Promise<void>;
  /** Advances an order. A terminal state never changes, a cumulative quantity never falls. */
  updateOrder(orderId: OrderId, update: OrderUpdate): Promise<OrderRecord>;
  /** One transaction: fill row, position, ledger rows, order quantity, closed cycle. */
  applyFill(request: FillRequest): Promise<FillResult>;
  /** Intent, open, partially filled and unknown orders of an account, oldest first. */
  liveOrders(accountId: AccountId): Promise<OrderRecord[]>;
  /** The newest recorded fill of a coin; null when there is none. */
  lastTradeId(of: { accountId: AccountId; epoch: number; symbol: string }): Promise<string | null>;
  /** Asset of the account's newest fee when it is a third asset; otherwise null. */
  newestThirdFee(accountId: AccountId): Promise<string | null>;
  findOrderByClientId(accountId: AccountId, clientOrderId: string): Promise<OrderRecord | undefined>;
  /** After a restore: all fills missing in the backup are recorded or belong to tracked orders. */
  markReconciled(profileId: ProfileId, symbol: string): Promise<void>;
  /** Stores strategy states when no fill happened since. A runner at another version keeps its state. */
  saveStrategyStates(states: readonly StateToKeep[]): Promise<void>;
  halts(): Promise<Halt[]>;
  /** Facts for the risk limits of an account, at market time `now`. */
  risk(accountId: AccountId, now: Date): Promise<RiskFacts>;
  costBasis(profileId: ProfileId, symbol: string): Promise<CostBasis>;
  /** One transaction: lease checked, position by compare-and-set, adjustment and ledger rows, note. */
  adjustPosition(request: AdjustmentRequest): Promise<AdjustmentResult>;
  /** Amounts that orphan orders lock, as last seen. */
  orphanLocks(accountId: AccountId): Promise<OrphanLock[]>;
  /** The newest orders of an epoch with an exchange id that were sent before that time, newest first. */
  acknowledgedOrders(
    account: Pick<Account, 'id' | 'epoch'>,
    which: { readonly most: number; readonly sentBeforeMs: number },
  ): Promise<OrderRecord[]>;
  /** One transaction: lease checked, next epoch, orders and positions of the old epoch void, entries halted. */
  closeEpoch(request: {
    readonly account: Pick<Account, 'id' | 'epoch'>;
    readonly fencing: number;
    readonly at: Date;
  }): Promise<EpochResult>;
  ledgerBalance(account: Pick<Account, 'id' | 'epoch'>): Promise<LedgerBalance>;
  /** One transaction: lease checked, ledger still equal to `booked`, rows of external movements written. */
  bookOutside(request: {
    readonly account: Pick<Account, 'id' | 'epoch'>;
    readonly fencing: number;
    readonly at: Date;
    readonly booked: LedgerBalance;
    readonly changes: readonly OutsideChange[];
  }): Promise<'booked' | 'moved' | 'lost-lease'>;
  /** Stores an own order that only the exchange knows, as after a restore. Its id is never used again. */
  adoptOwnOrder(found: FoundOrder): Promise<void>;
}
