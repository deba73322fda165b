import { Link, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { listAccountNotifiers } from '#api/contract/account-notifiers.ts';
import { listPriceAlerts } from '#api/contract/price-alerts.ts';
import { readDashboard } from '#api/contract/records.ts';
import { useRead, useReads } from '#web/data/read.ts';
import { Icon } from '#web/ui/icon.tsx';
import { keepSeen, messagesOf, onSeen, readSeen, unreadOf } from './unread.ts';

const POLL_MS = 30_000;

/** Unread messages and triggered price alerts of all accounts. The page of notifications marks them as read. */
export function Bell(): ReactNode {
  const { data } = useRead(readDashboard, {});
  const accounts = (data?.accounts ?? []).map(({ id }) => ({ params: { id } }));
  const notifiers = useReads(listAccountNotifiers, accounts, POLL_MS).data;
  const alerts = useReads(listPriceAlerts, accounts, POLL_MS).data;
  const isOpen = useRouterState({ select: ({ location }) => location.pathname === '/notifications' });
  const seen = useSyncExternalStore(onSeen, readSeen);
  const isKnown = data !== undefined && notifiers !== undefined && alerts !== undefined;
  const messages = isKnown
    ? messagesOf(
        notifiers.flatMap(({ deliveries }) => deliveries),
        alerts.flatMap((answer) => answer.alerts),
      )
    : [];
  const unread = isOpen || seen === undefined ? 0 : unreadOf(messages, seen);
  const isNew = isKnown && (seen === undefined || (isOpen && unreadOf(messages, seen) > 0));
  const keys = JSON.stringify(messages);
  useEffect(() => {
    // A browser that was never here starts with nothing unread.
    if (isNew) keepSeen(keys);
  }, [isNew, keys]);
  const label = unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`;
  return (
    <Link to="/notifications" className="bell" aria-label={label} title={label}>
      <Icon name="bell" />
      {unread === 0 ? null : <span className="cnt">{unread > 99 ? '99+' : unread}</span>}
    </Link>
  );
}
