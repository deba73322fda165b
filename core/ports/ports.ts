import type { Account, ApiKey, Wallet } from '#core/account/account.ts';
import type { TickAudit } from '#core/decision/audit.ts';
import type { Candle, Interval } from '#core/market/candle.ts';
import type { AdjustmentReason } from '#core/position/cost-basis.ts';
import type { Decimal } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { Halt } from '#core/account/halts.ts';
import type { AccountId, OrderId, ProfileId } from '#core/ids.ts';
import type { ApprovedOrder, OrderRecord, OrderState, Side } from '#core/order/order.ts';
import type { OrderList } from '#core/order/order-list.ts';
import type { OrderEvidence, Witness } from '#core/order/order-evidence.ts';
import type { OutsideChange } from '#core/position/ledger.ts';
import type { LevelFill } from '#core/position/levels.ts';
import type { FoundOrder, OrphanLock } from '#core/position/orphan.ts';
import type { Adjustment, Position } from '#core/position/position.ts';
import type { RiskFacts } from '#core/account/risk.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** An order as the exchange reports it. */
export interface ExchangeOrder {
  readonly symbol: string;
  readonly exchangeOrderId: string;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly state: OrderState;
  readonly quantity: Decimal;
  readonly filledQuantity: Decimal;
  readonly filledQuote: Decimal;
  readonly price: Decimal;
  readonly stopPrice: Decimal;
  readonly type: string;
  readonly updatedAt: Date;
  /** Where the reply says so: when it was placed, its order list, its trailing delta, why it ended. */
  readonly placedAt?: Date;
  readonly listId?: string;
  readonly trailingBips?: number;
  readonly selfTradePrevented?: true;
}

/** What became of a write. `unknown` is a state, never a failure: nothing is sent again until it is resolved. */
export type WriteOutcome =
  | { readonly kind: 'accepted'; readonly order: ExchangeOrder; readonly fills: readonly ExchangeFill[] }
  | {
      readonly kind: 'rejected';
      readonly code: number;
      readonly message: string;
      readonly payload: unknown;
      /** What is not as it was known: the coin's trading rules or phase, or the API key. */
      readonly doubts?: 'rules' | 'key';
    }
  | { readonly kind: 'unknown'; readonly cause: string }
  | {
      readonly kind: 'not-sent';
      /** `not-attempted`: the order it was to replace could not be cancelled. */
      readonly reason: 'not-sent-in-time' | 'halted' | 'rate-limited' | 'not-attempted';
    };

export type OrderLookup =
  | { readonly kind: 'found'; readonly order: ExchangeOrder }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly cause: string };

export interface PlaceRequest {
  readonly order: ApprovedOrder;
  readonly clientOrderId: string;
  /** Protocol time after which the request must not be signed any more. */
  readonly sendBeforeMs: number;
  /** Asked right before signing: true turns the intent into not-sent. */
  readonly halted: () => boolean;
  readonly witness?: Witness;
}

/** A cancel and a placement in one request: nothing is placed unless the cancel took effect. */
export interface ReplaceRequest extends PlaceRequest {
  /** The own order to take off the book, of the same symbol; it stays where it has executions already. */
  readonly cancelClientOrderId: string;
  readonly cancelId: string;
}

/**
 * Which half took effect. A `cancelled` that is accepted with a `placed` that is not leaves nothing on the book; an
 * accepted cancel of an order that had filled meanwhile carries the filled order.
 */
export interface ReplaceOutcome {
  readonly cancelled: WriteOutcome;
  readonly placed: WriteOutcome | { readonly kind: 'not-attempted' };
}

/** Signed calls of one account. Reads throw ExchangeError (see exchange/errors.ts) when they fail. */
export interface TradingPort {
  place(request: PlaceRequest): Promise<WriteOutcome>;
  cancel(symbol: string, clientOrderId: string, cancelId: string): Promise<WriteOutcome>;
  cancelReplace(request: ReplaceRequest): Promise<ReplaceOutcome>;
  /** Cancels an order that no profile tracks; answers with what the exchange says of it afterwards. */
  cancelStray(symbol: string, exchangeOrderId: string): Promise<OrderLookup>;
  findOrder(symbol: string, by: { clientOrderId: string } | { exchangeOrderId: string }): Promise<OrderLookup>;
  openOrders(symbol?: string): Promise<OrderList>;
  recentOrders(symbol: string): Promise<OrderList>;
  /** Executions of one order, oldest first. */
  fillsOf(symbol: string, exchangeOrderId: string): Promise<ExchangeFill[]>;
  /** Executions of all orders of a coin after this one, oldest first; the newest thousand when none is known. */
  tradesAfter(symbol: string, tradeId: string | null): Promise<ExchangeFill[]>;
  /** One page of at most a thousand executions of a coin from this trade number on, oldest first; gives way to all else. */
  tradesFrom(symbol: string, tradeId: string): Promise<ExchangeFill[]>;
  wallet(): Promise<{ wallet: Wallet; takerFee: number; makerFee: number; permissions: readonly string[] }>;
}

/** Unsigned market data of one venue; never carries an API key. */
export interface MarketPort {
  rules(): Promise<SymbolRules[]>;
  /** Newest last; `closed` is false for the candle in progress. `beforeMs` limits to candles opened before it. */
  candles(query: {
    symbol: string;
    interval: Interval;
    limit: number;
    beforeMs?: number;
    fromMs?: number;
  }): Promise<Candle[]>;
  price(symbol: string): Promise<Decimal>;
  /** Last prices of all coins in one request. */
  prices(): Promise<ReadonlyMap<string, Decimal>>;
  clock: ExchangeClock;
}

/**
 * Two clocks (docs/decisions): `protocolMs` signs and bounds requests at the pace of the wall clock, `marketMs` is the
 * market's own time, `marketSpeed` times as fast in a replay. Before the first answer both are wall time, without a speed.
 */
export interface ExchangeClock {
  protocolMs(): number;
  marketMs(): number;
  marketSpeed(): number | undefined;
  sync(): Promise<void>;
}

export type MarketEvent =
  | { readonly kind: 'price'; readonly symbol: string; readonly price: Decimal; readonly atMs: number }
  | { readonly kind: 'candle'; readonly symbol: string; readonly interval: Interval; readonly candle: Candle }
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly cause: string };

export interface MarketSubscription {
  readonly symbol: string;
  readonly interval: Interval;
}

/** One market stream; `update` replaces the wanted set, `connected` follows each (re)connect. */
export interface MarketStream extends AsyncDisposable {
  update(wanted: readonly MarketSubscription[]): void;
  /**
   * Prices read elsewhere. A coin whose price moves while its stream says nothing has lost its events: the connection is
   * told as lost and made anew.
   */
  compare(prices: ReadonlyMap<string, Decimal>): void;
}

/** The events of one account. */
interface AccountStream extends AsyncDisposable {
  /** It has been caught keeping events back: it is told as lost and made anew. */
  renew(cause: string): void;
}

export type AccountEvent =
  | {
      readonly kind: 'order';
      readonly order: ExchangeOrder;
      readonly fill: ExchangeFill | null;
      readonly reason: string;
    }
  | { readonly kind: 'balances'; readonly balances: Wallet['balances']; readonly at: Date }
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly cause: string };

export type OpenMarketStream = (onEvent: (event: MarketEvent) => void) => MarketStream;
export type OpenAccountStream = (onEvent: (event: AccountEvent) => void) => AccountStream;

/* ---- what the engine needs stored ---- */

/** Strategy state and position of one coin; `version` is the compare-and-set token, `compared` false after a restore. */
export interface RunnerState {
  readonly version: number;
  readonly strategyState: unknown;
  readonly position: Position;
  readonly compared: boolean;
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
  noteCompared(profileId: ProfileId, symbol: string): Promise<void>;
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

/** A profile as the worker runs it. */
export interface ProfileToRun {
  readonly id: ProfileId;
  readonly accountId: AccountId;
  readonly name: string;
  readonly strategyName: string;
  readonly config: unknown;
  readonly enabled: boolean;
  /** Wall time until which every tick is logged with its whole audit; null when that was not asked for. */
  readonly captureUntil: Date | null;
  /** `version` is that of the stored runner state, 0 without one. */
  readonly symbols: readonly { readonly symbol: string; readonly overrideConfig: unknown; readonly version: number }[];
}

export interface AccountToRun {
  readonly account: Account;
  readonly key: ApiKey | null;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One row of action_logs; rows with the same id are written over (collapsed repeats grow their count). */
export interface ActionLogRow {
  readonly id: string;
  readonly profileId: ProfileId;
  readonly symbol: string | null;
  readonly level: LogLevel;
  readonly msg: string;
  readonly ctx: unknown;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** Write-behind records: never the only copy of something that moves money. */
export interface RecordSink {
  audit(audit: TickAudit): void;
  log(row: ActionLogRow): void;
  evidence(evidence: OrderEvidence): void;
  flush(): Promise<void>;
}
