import type { ExchangeOrder } from './exchange-order.ts';

/** A listed order in a form that this program cannot read; null for what its entry does not say either. */
export interface UnreadOrder {
  readonly symbol: string | null;
  readonly clientOrderId: string | null;
  readonly exchangeOrderId: string | null;
  readonly cause: string;
}

/** Orders in the sequence sent; those that could not be read are apart and never hide the others. */
export interface OrderList {
  readonly orders: readonly ExchangeOrder[];
  readonly unread: readonly UnreadOrder[];
}
