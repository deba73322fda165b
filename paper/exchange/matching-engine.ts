import type { Account } from './accounts.ts';
import type { Decimal } from '#core/amount/decimal.ts';
import type { PublicTrade, SymbolMarket } from '#paper/market/symbol-market.ts';
import type { ExpiryReason, Fill, NewOrder, Order, OrderStatus, PreventedMatch } from './order.ts';
import type { ListReport } from './order-list.ts';
import { noteChange, type Orders } from './orders.ts';
import type { Balances } from './balances.ts';
import type { Refusal } from './refusal.ts';
import { releaseUnneeded } from './settlement.ts';

/** One event of an order, with the order as it was right after. */
export interface Report {
  readonly kind: 'order';
  readonly execution: 'NEW' | 'TRADE' | 'CANCELED' | 'EXPIRED' | 'TRADE_PREVENTION';
  readonly order: Readonly<Order>;
  readonly fill: Fill | null;
  /** The prevented match of a TRADE_PREVENTION event; otherwise null. */
  readonly prevented: PreventedMatch | null;
  /** The client id before a cancel replaced it; empty otherwise. */
  readonly originalClientId: string;
  readonly executionId: number;
  readonly atMs: number;
}

/**
 * The state that the matching functions change, and the events that they publish. All work is done when they return.
 */
export interface MatchingEngine {
  readonly orders: Orders;
  readonly balances: Balances;
  account(name: string): Account;
  market(symbol: string): SymbolMarket;
  /** The filter that an order breaks now. */
  filter(order: NewOrder): Refusal | undefined;
  /** The reference price for filters and price ranges; null if a coin has none now. */
  reference(symbol: string): Decimal | null;
  /** The value of an amount in BNB; undefined without a price. */
  readonly worthInBnb: (asset: string, amount: Decimal) => Decimal | undefined;
  onReport(report: Report | ListReport): void;
  onTrade(trade: PublicTrade): void;
}

/** Publishes an event of an order. */
export function report(
  engine: MatchingEngine,
  order: Order,
  event: Pick<Report, 'execution' | 'atMs'> & Partial<Pick<Report, 'fill' | 'prevented' | 'originalClientId'>>,
): void {
  engine.orders.lastExecutionId += 1;
  engine.onReport({
    kind: 'order',
    fill: null,
    prevented: null,
    originalClientId: '',
    ...event,
    order: { ...order },
    executionId: engine.orders.lastExecutionId,
  });
}

/** Closes an order and unlocks its money. */
export function closeOrder(
  engine: MatchingEngine,
  order: Order,
  end: { readonly status: OrderStatus; readonly atMs: number },
): void {
  order.status = end.status;
  order.updatedMs = end.atMs;
  releaseUnneeded(order, engine.market(order.symbol).listing.rules, engine.balances);
  noteChange(engine.orders, order);
}

/** Expires the remainder of an order on behalf of the exchange. */
export function expireOrder(
  engine: MatchingEngine,
  order: Order,
  expiry: { readonly reason: ExpiryReason; readonly atMs: number },
): void {
  order.expiryReason = expiry.reason;
  closeOrder(engine, order, { status: 'EXPIRED', atMs: expiry.atMs });
  report(engine, order, { execution: 'EXPIRED', atMs: expiry.atMs });
}
