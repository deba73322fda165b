import type { ReactNode } from 'react';
import { useDemo } from '#web/data/session.tsx';

/** Says on every page of a live demo whose account it is. */
export function DemoBanner(): ReactNode {
  if (!useDemo()) return null;
  return (
    <div className="banner" role="note">
      <span className="tag">Live demo</span>
      <span>
        You trade on a test network with play money. Everyone who opens this page shares this account; keys, accounts,
        backups and notifications cannot be changed here.
      </span>
    </div>
  );
}
