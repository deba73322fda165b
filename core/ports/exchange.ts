import type { Wallet } from '#core/account/account.ts';
import type { Candle, Interval } from '#core/market/candle.ts';
import type { Decimal } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { ApprovedOrder } from '#core/order/order.ts';
import type { OrderList } from '#core/order/order-list.ts';
import type { OnWire } from '#core/order/order-evidence.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';

/** Outcome of a write. `unknown` is a state, not a failure: the client never sends it again before it is resolved. */
export type WriteOutcome =
  | { readonly kind: 'accepted'; readonly order: ExchangeOrder; readonly fills: readonly ExchangeFill[] }
  | {
      readonly kind: 'rejected';
      readonly code: number;
      readonly message: string;
      readonly payload: unknown;
      /** The outdated knowledge behind a refusal: the trading rules or the phase of the coin, or the API key. */
      readonly doubts?: 'rules' | 'key';
    }
  | { readonly kind: 'unknown'; readonly cause: string }
  | {
      readonly kind: 'not-sent';
      /** `not-attempted`: the order to replace could not be cancelled. */
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
  /** Called right before signing: true turns the intent into not-sent. */
  readonly halted: () => boolean;
  readonly onWire?: OnWire;
}

/** A cancel and a placement in one request: nothing is placed unless the cancel took effect. */
export interface ReplaceRequest extends PlaceRequest {
  /** The own order to cancel, of the same symbol. It stays when it already has fills. */
  readonly cancelClientOrderId: string;
  readonly cancelId: string;
}

/**
 * Outcome of both halves. An accepted `cancelled` with a refused `placed` leaves nothing on the book. An accepted cancel
 * of an order that filled meanwhile carries the filled order.
 */
export interface ReplaceOutcome {
  readonly cancelled: WriteOutcome;
  readonly placed: WriteOutcome | { readonly kind: 'not-attempted' };
}

/** One leg of an order list: an approved order with its client id. */
export interface ListLeg {
  readonly order: ApprovedOrder;
  readonly clientOrderId: string;
}

/** A stop and a target of one quantity, of which only one sells (OCO). */
export interface ListRequest extends Omit<PlaceRequest, 'order' | 'clientOrderId'> {
  readonly stop: ListLeg;
  readonly target: ListLeg;
  readonly listId: string;
}

/** The client ids of an order list and its legs. A leg that has ended is absent. */
export interface ListIds {
  readonly symbol: string;
  readonly listId: string;
  readonly legs: readonly string[];
}

/** Signed calls of one account. Reads throw ExchangeError (see exchange/errors.ts) when they fail. */
export interface TradingPort {
  place(request: PlaceRequest): Promise<WriteOutcome>;
  cancel(symbol: string, clientOrderId: string, cancelId: string): Promise<WriteOutcome>;
  cancelReplace(request: ReplaceRequest): Promise<ReplaceOutcome>;
  /** Places both legs in one request; the outcomes are in the order stop, target. */
  placeList(request: ListRequest): Promise<readonly [WriteOutcome, WriteOutcome]>;
  /** Cancels an order list; the outcomes are in the order of its legs. */
  cancelList(ids: ListIds): Promise<readonly WriteOutcome[]>;
  /** Cancels an order that belongs to no profile; returns its state after that. */
  cancelStray(symbol: string, exchangeOrderId: string): Promise<OrderLookup>;
  findOrder(symbol: string, by: { clientOrderId: string } | { exchangeOrderId: string }): Promise<OrderLookup>;
  openOrders(symbol?: string): Promise<OrderList>;
  recentOrders(symbol: string): Promise<OrderList>;
  /** Fills of one order, oldest first. */
  fillsOf(symbol: string, exchangeOrderId: string): Promise<ExchangeFill[]>;
  /** Fills of all orders of a coin after this one, oldest first; the newest thousand when none is known. */
  tradesAfter(symbol: string, tradeId: string | null): Promise<ExchangeFill[]>;
  /** One page of at most a thousand fills of a coin from this trade number on, oldest first; lowest priority. */
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
 * Two clocks (docs/decisions). `protocolMs` signs and bounds requests at the speed of the wall clock. `marketMs` is market
 * time, `marketSpeed` times as fast in a replay. Before the first answer both are wall time, without a speed.
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
   * Prices from another source. When a price moves and its stream is silent, the stream lost events: the connection is
   * reported as lost and opened again.
   */
  compare(prices: ReadonlyMap<string, Decimal>): void;
}

/** The events of one account. */
interface AccountStream extends AsyncDisposable {
  /** The stream withheld events: it is reported as lost and opened again. */
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
