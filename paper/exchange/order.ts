import { type Decimal, minimum, subtract } from '#core/amount/decimal.ts';
import type { ORDER_TYPES, OrderSide, PreventionMode } from '#paper/market/order-types.ts';

export type OrderType = (typeof ORDER_TYPES)[number];

export type TimeInForce = 'GTC' | 'IOC' | 'FOK';

/** Applies to orders that send no mode, as on the exchange since 2024. */
export const DEFAULT_PREVENTION: PreventionMode = 'EXPIRE_MAKER';

export const ORDER_STATUSES = [
  'PENDING_NEW',
  'NEW',
  'PARTIALLY_FILLED',
  'FILLED',
  'CANCELED',
  'EXPIRED',
  'EXPIRED_IN_MATCH',
] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const EXPIRY_REASONS = [
  'NONE',
  'REJECTED',
  'EXCHANGE_CANCELED',
  'OCO_TRIGGER',
  'OTO_PHASE_ONE_EXPIRED',
  'UNFILLED_IOC_QUANTITY_EXPIRED',
  'UNFILLED_FOK_ORDER_EXPIRED',
  'INSUFFICIENT_LIQUIDITY',
  'EXECUTION_RULE_PRICE_RANGE_EXCEEDED',
] as const;

export type ExpiryReason = (typeof EXPIRY_REASONS)[number];

/** A requested order. Absent prices and quantities are zero, as in the API. */
export interface NewOrder {
  readonly account: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  readonly side: OrderSide;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly price: Decimal;
  readonly stopPrice: Decimal;
  /** Basis points by which a stop trails the best price; zero for a fixed stop. */
  readonly trailingDelta: number;
  readonly quantity: Decimal;
  readonly quoteQuantity: Decimal;
  /** The quantity that the book shows at a time; zero shows all. */
  readonly icebergQuantity: Decimal;
  readonly prevention: PreventionMode;
  readonly strategyId: number | null;
  readonly strategyType: number | null;
}

/** An order that the matching engine has accepted. Only the engine changes it. */
export interface Order extends Omit<NewOrder, 'clientOrderId'> {
  readonly id: number;
  /** The order list of the order; -1 for none. */
  readonly listId: number;
  clientOrderId: string;
  executed: Decimal;
  executedQuote: Decimal;
  /** Quantity lost to self-trade prevention, and the id of the last prevented match (-1: none). */
  prevented: Decimal;
  preventedMatchId: number;
  status: OrderStatus;
  /** The amount that the order still locks: quote for a buy, base for a sell. */
  locked: Decimal;
  working: boolean;
  /** Market time at which the order reached the book; -1 before. */
  workingMs: number;
  /** Market time from which a trailing stop follows the price, and the best price since; -1 and zero before. */
  trailingMs: number;
  extreme: Decimal;
  /** The remaining quantity of the slice that an iceberg shows. */
  shown: Decimal;
  /** Volume of the market makers at its price that is matched before the order. */
  ahead: Decimal;
  readonly createdMs: number;
  updatedMs: number;
  expiryReason: ExpiryReason;
}

/** One execution of an order. */
export interface Fill {
  /** The trade id. */
  readonly id: number;
  readonly account: string;
  readonly symbol: string;
  readonly orderId: number;
  readonly listId: number;
  readonly side: OrderSide;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly quote: Decimal;
  readonly commission: Decimal;
  readonly commissionAsset: string;
  readonly atMs: number;
  readonly maker: boolean;
}

/** A match that self-trade prevention stopped, because both orders belong to one account. */
export interface PreventedMatch {
  readonly id: number;
  readonly account: string;
  readonly symbol: string;
  readonly takerOrderId: number;
  readonly makerOrderId: number;
  readonly mode: PreventionMode;
  readonly price: Decimal;
  /** The quantity that each side lost; zero for a side that the mode spares. */
  readonly takerQuantity: Decimal;
  readonly makerQuantity: Decimal;
  readonly atMs: number;
}

export const isOpen = (order: Readonly<Order>): boolean =>
  order.status === 'NEW' || order.status === 'PARTIALLY_FILLED' || order.status === 'PENDING_NEW';

export const remainingOf = (order: Readonly<Order>): Decimal =>
  subtract(subtract(order.quantity, order.executed), order.prevented);

/** True for orders that wait for a price before they work. */
export const isStop = (type: OrderType): boolean => type.startsWith('STOP_LOSS') || type.startsWith('TAKE_PROFIT');

/** True for orders that take any price once they work, and never rest. */
export const takesAnyPrice = (type: OrderType): boolean =>
  type === 'MARKET' || type === 'STOP_LOSS' || type === 'TAKE_PROFIT';

/**
 * The quantity that the book shows of a resting order. Less than a slice may be left after the order took liquidity.
 */
export const shownOf = (order: Readonly<Order>): Decimal =>
  order.icebergQuantity === 0n ? remainingOf(order) : minimum(order.shown, remainingOf(order));
