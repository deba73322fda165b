import type { NewOrder } from './order.ts';

/** OCO: one cancels the other. OTO: the second is placed when the first has filled. OTOCO: the second is an OCO. */
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

/** A list as asked for, its orders in the order of `orderIds`. */
export interface NewList {
  readonly kind: ListKind;
  readonly clientListId: string;
  readonly orders: readonly NewOrder[];
}

/** What happened to a list. */
export interface ListReport {
  readonly kind: 'list';
  readonly change: 'EXEC_STARTED' | 'ALL_DONE';
  readonly list: Readonly<OrderList>;
  readonly orders: readonly { readonly id: number; readonly clientOrderId: string }[];
  readonly atMs: number;
}

/** Which orders of a list are the two of which only one may be executed, by their places in it. */
export const pairOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OTO' ? [] : kind === 'OCO' ? orders : orders.slice(1);
/** Those that work from the beginning. */
export const firstPhaseOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OCO' ? orders : orders.slice(0, 1);
/** Those that wait for the first to fill. */
export const secondPhaseOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OCO' ? [] : orders.slice(1);
