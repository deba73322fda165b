import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isWaiting, useProposals } from '#web/data/proposals.ts';
import { Icon } from '#web/ui/icon.tsx';

const POLL_MS = 15_000;

/** The proposed orders that wait for an approval; nothing while there is none. */
export function ApproveLink(): ReactNode {
  const waiting = useProposals(POLL_MS).data?.proposals.filter(isWaiting).length ?? 0;
  if (waiting === 0) return null;
  const label = waiting === 1 ? '1 order waits for your approval' : `${waiting} orders wait for your approval`;
  return (
    <Link to="/approvals" className="bell intent" aria-label={label} title={label}>
      <Icon name="hand" />
      <span className="cnt">{waiting}</span>
    </Link>
  );
}
