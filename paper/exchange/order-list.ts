import type { NewOrder } from './order.ts';

/**
 * OCO: one order cancels the other. OTO: the second order is placed when the first has filled. OTOCO: the second is an
 * OCO.
 */
export type ListKind = 'OCO' | 'OTO' | 'OTOCO';

/** Orders that belong together. */
export interface OrderList {
  readonly id: number;
  readonly account: string;
  readonly symbol: string;
  readonly kind: ListKind;
  readonly clientListId: string;
  /** OCO: above and below. OTO: working and pending. OTOCO: working, above and below. */
  readonly orderIds: readonly number[];
  done: boolean;
  readonly createdMs: number;
}

/** A requested list, its orders in the order of `orderIds`. */
export interface NewList {
  readonly kind: ListKind;
  readonly clientListId: string;
  readonly orders: readonly NewOrder[];
}

/** One event of a list. */
export interface ListReport {
  readonly kind: 'list';
  readonly change: 'EXEC_STARTED' | 'ALL_DONE';
  readonly list: Readonly<OrderList>;
  readonly orders: readonly { readonly id: number; readonly clientOrderId: string }[];
  readonly atMs: number;
}

/** The two orders of a list of which only one may execute, by their positions in the list. */
export const pairOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OTO' ? [] : kind === 'OCO' ? orders : orders.slice(1);
/** The orders that work from the start. */
export const firstPhaseOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OCO' ? orders : orders.slice(0, 1);
/** The orders that wait until the first has filled. */
export const secondPhaseOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OCO' ? [] : orders.slice(1);
