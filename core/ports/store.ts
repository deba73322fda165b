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

/* ---- what the engine needs stored ---- */

/** Strategy state and position of one coin; `version` is the compare-and-set token, `reconciled` false after a restore. */
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
  readonly stopRests: boolean;
  readonly fencing: number;
  readonly sendBeforeMs: number;
  /** Market time of the decision. */
  readonly at: Date;
  /** The operator's action that it carries out: one intent an action, or the commit fails. */
  readonly actionId?: string;
}

/** Only `committed` may be sent. `lost-lease`: another worker owns the account; `moved`: the version differed. */
export type IntentResult =
  | { readonly kind: 'committed'; readonly record: OrderRecord; readonly version: number }
  | { readonly kind: 'halted'; readonly halt: Halt }
  | { readonly kind: 'lost-lease' }
  | { readonly kind: 'moved' };

export interface OrderUpdate {
  readonly state: OrderState;
  readonly exchangeOrderId?: string;
  /** Cumulative amounts as reported; a stored larger value stays. */
  readonly filledQuantity?: Decimal;
  readonly filledQuote?: Decimal;
  readonly reason?: string;
  readonly payload?: unknown;
  /** Market time of the change; without it the order keeps its `updatedAt`. */
  readonly at?: Date;
  /** It was certainly never sent, or is settled: the operator's action that it was made for may make another one. */
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
  /** What the operator has asked for and nobody has applied yet; a price of zero asks for the row to be removed. */
  readonly asked: { readonly price: Decimal; readonly quantity: Decimal } | null;
}

/** Sets position and note of a coin and settles what was asked, if it is still `basis.asked`. */
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

/** What ledger and untracked holdings of an account's epoch add up to, by asset; `begun` once it was first checked. */
export interface LedgerBalance {
  readonly begun: boolean;
  readonly sums: readonly { readonly asset: string; readonly sum: Decimal }[];
}

/** How many orders and positions of the old epoch were closed as void. */
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
  /** What the buys of each level have filled in the present cycle; empty while flat. */
  levelFills(profileId: ProfileId, symbol: string): Promise<LevelFill[]>;
  /** One transaction: halts and lease checked under advisory locks, order row, strategy state by compare-and-set. */
  commitIntent(request: IntentRequest): Promise<IntentResult>;
  /** Moves an order forward; a terminal state is never left, a cumulative quantity never falls. */
  updateOrder(orderId: OrderId, update: OrderUpdate): Promise<OrderRecord>;
  /** One transaction: fill row, position, ledger rows, order quantity, closed cycle. */
  applyFill(request: FillRequest): Promise<FillResult>;
  /** Intent, open, partially filled and unknown orders of an account, oldest first. */
  liveOrders(accountId: AccountId): Promise<OrderRecord[]>;
  /** The newest execution that is booked of a coin; null when there is none. */
  lastTradeId(of: { accountId: AccountId; epoch: number; symbol: string }): Promise<string | null>;
  /** The asset of the account's newest fee, where that was neither coin of its pair; else null. */
  newestThirdFee(accountId: AccountId): Promise<string | null>;
  findOrderByClientId(accountId: AccountId, clientOrderId: string): Promise<OrderRecord | undefined>;
  /** The executions that a restored backup does not know are booked, or belong to orders that are followed. */
  markReconciled(profileId: ProfileId, symbol: string): Promise<void>;
  /** Keeps strategies' own states where no money has moved since: a runner at another version keeps its own. */
  saveStrategyStates(states: readonly StateToKeep[]): Promise<void>;
  halts(): Promise<Halt[]>;
  /** What the operator's limits of an account are judged by, at market time `now`. */
  risk(accountId: AccountId, now: Date): Promise<RiskFacts>;
  costBasis(profileId: ProfileId, symbol: string): Promise<CostBasis>;
  /** One transaction: lease checked, position by compare-and-set, adjustment and ledger rows, note. */
  adjustPosition(request: AdjustmentRequest): Promise<AdjustmentResult>;
  /** What orders that no profile tracks, as last seen, hold locked. */
  orphanLocks(accountId: AccountId): Promise<OrphanLock[]>;
  /** The newest orders of an epoch that the exchange has given an id and that were sent before then, newest first. */
  acknowledgedOrders(
    account: Pick<Account, 'id' | 'epoch'>,
    which: { readonly most: number; readonly sentBeforeMs: number },
  ): Promise<OrderRecord[]>;
  /** One transaction: lease checked, next epoch, orders and positions of the old one void, entries halted. */
  closeEpoch(request: {
    readonly account: Pick<Account, 'id' | 'epoch'>;
    readonly fencing: number;
    readonly at: Date;
  }): Promise<EpochResult>;
  ledgerBalance(account: Pick<Account, 'id' | 'epoch'>): Promise<LedgerBalance>;
  /** One transaction: lease checked, ledger still as `booked`, rows of what came from outside. */
  bookOutside(request: {
    readonly account: Pick<Account, 'id' | 'epoch'>;
    readonly fencing: number;
    readonly at: Date;
    readonly booked: LedgerBalance;
    readonly changes: readonly OutsideChange[];
  }): Promise<'booked' | 'moved' | 'lost-lease'>;
  /** Stores an own order that only the exchange knows of, as after a restored backup; its id is never given again. */
  adoptOwnOrder(found: FoundOrder): Promise<void>;
}
