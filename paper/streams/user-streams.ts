import type { Decimal } from '#core/amount/decimal.ts';
import type { EventFaults } from '#paper/faults/event-faults.ts';
import type { Report } from '#paper/exchange/matching-engine.ts';
import { listStatus } from '#paper/rest/list-json.ts';
import { accountPosition, balanceUpdate, executionReport } from '#paper/rest/order-json.ts';
import type { ListReport } from '#paper/exchange/order-list.ts';
import type { BalanceRow } from '#paper/exchange/balances.ts';
import { encode, type TimeUnit } from '#paper/rest/time-unit.ts';

/** One subscription to an account's events on one WebSocket API connection. */
export interface UserSubscription {
  readonly account: string;
  readonly id: number;
  readonly unit: TimeUnit;
  send(frame: string): void;
}

export interface UserStreams {
  add(subscription: UserSubscription): void;
  remove(subscription: UserSubscription): void;
  report(report: Report): void;
  list(report: ListReport): void;
  balances(account: string, rows: readonly BalanceRow[], atMs: number): void;
  /** A change of a balance from outside: a deposit, a withdrawal, a transfer. */
  transfer(account: string, moved: { readonly asset: string; readonly amount: Decimal }, atMs: number): void;
}

/** `faults` apply between the events and their receivers. */
export function openUserStreams(faults: EventFaults): UserStreams {
  const byAccount = new Map<string, Set<UserSubscription>>();
  const send = (account: string, event: () => Record<string, unknown>) => {
    const subscriptions = byAccount.get(account);
    if (subscriptions === undefined || subscriptions.size === 0) return;
    const body = event();
    for (const subscription of subscriptions) {
      const frame = `{"subscriptionId":${subscription.id},"event":${encode(body, subscription.unit)}}`;
      faults.pass(subscription, String(body['e']), frame);
    }
  };
  return {
    add: (subscription) => {
      const known = byAccount.get(subscription.account) ?? new Set();
      byAccount.set(subscription.account, known.add(subscription));
    },
    remove: (subscription) => {
      byAccount.get(subscription.account)?.delete(subscription);
    },
    report: (report) => send(report.order.account, () => executionReport(report)),
    list: (report) => send(report.list.account, () => listStatus(report)),
    balances: (account, rows, atMs) => send(account, () => accountPosition(rows, atMs)),
    transfer: (account, moved, atMs) => send(account, () => balanceUpdate(moved, atMs)),
  };
}
