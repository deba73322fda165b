import type { ExchangeOrder } from './exchange-order.ts';

/** A listed order that this program cannot read; absent fields are null. */
export interface UnreadOrder {
  readonly symbol: string | null;
  readonly clientOrderId: string | null;
  readonly exchangeOrderId: string | null;
  readonly cause: string;
}

/** Orders in the order received. Unreadable orders are listed separately and do not hide the others. */
export interface OrderList {
  readonly orders: readonly ExchangeOrder[];
  readonly unread: readonly UnreadOrder[];
}
