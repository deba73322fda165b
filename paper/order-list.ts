import type { NewOrder } from './order.ts';

/**
 * OCO: one cancels the other. OTO: the second is placed when the first has filled. OTOCO: the second is an OCO. OPO and
 * OPOCO: the same, and what the first receives is the quantity of the second.
 */
export const LIST_KINDS = ['OCO', 'OTO', 'OTOCO', 'OPO', 'OPOCO'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** Orders that belong together. */
export interface OrderList {
  readonly id: number;
  readonly account: string;
  readonly symbol: string;
  readonly kind: ListKind;
  clientListId: string;
  /** OCO: above and below. OTO and OPO: working and pending. OTOCO and OPOCO: working, above and below. */
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
  readonly change: 'EXEC_STARTED' | 'UPDATED' | 'ALL_DONE';
  readonly list: Readonly<OrderList>;
  readonly orders: readonly { readonly id: number; readonly clientOrderId: string }[];
  readonly atMs: number;
}

/** Which orders of a list are the two of which only one may be executed, by their places in it. */
export const pairOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OTO' || kind === 'OPO' ? [] : kind === 'OCO' ? orders : orders.slice(1);
/** True when the first order pays for those that wait for it. */
export const isPaying = (kind: ListKind): boolean => kind.startsWith('OPO');
/** Those that work from the beginning. */
export const firstPhaseOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OCO' ? orders : orders.slice(0, 1);
/** Those that wait for the first to fill. */
export const secondPhaseOf = <One>(kind: ListKind, orders: readonly One[]): readonly One[] =>
  kind === 'OCO' ? [] : orders.slice(1);
