import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { readDashboard } from '#api/contract/records.ts';
import { listDeadLetters } from '#api/contract/jobs.ts';
import { isWaiting, useProposals } from '#web/data/proposals.ts';
import { useRead } from '#web/data/read.ts';
import { useDemo } from '#web/data/session.tsx';
import { Feed } from '#web/ui/feed.tsx';
import { Section } from '#web/ui/section.tsx';
import { highlights } from '#web/ui/prose.ts';
import { Read } from '#web/ui/read.tsx';

const POLL_MS = 15_000;

/** Recent activity of all profiles, and the lists to review. */
export function ActivityPage(): ReactNode {
  const recent = useRead(readDashboard, {});
  const profiles = recent.data?.profiles ?? [];
  return (
    <>
      <title>Activity · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Activity</h1>
      </div>
      <div className="cols">
        <Section title="Recent activity" note="newest first" span={8}>
          <Read of={recent} what="the activity" rows={8}>
            {({ activity }) =>
              activity.length === 0 ? (
                <p className="p-2">No activity yet.</p>
              ) : (
                <Feed rows={highlights(activity)} open named />
              )
            }
          </Read>
        </Section>
        <div className="c4">
          <Waiting />
          <Section title="Logs">
            <ul className="block">
              {profiles.map(({ id, name }) => (
                <li key={id}>
                  <span />
                  <span className="flex flex-wrap gap-x-4">
                    <span className="grow">{name}</span>
                    <Link to="/profiles/$id/logs" params={{ id }}>
                      Logs
                    </Link>
                  </span>
                </li>
              ))}
            </ul>
            {recent.data !== undefined && profiles.length === 0 ? <p className="p-2">No profiles yet.</p> : null}
          </Section>
        </div>
      </div>
    </>
  );
}

function Waiting(): ReactNode {
  const { data } = useRead(listDeadLetters, {});
  const letters = data?.deadLetters.length ?? 0;
  const demo = useDemo();
  const waiting = useProposals(POLL_MS).data?.proposals.filter(isWaiting).length ?? 0;
  return (
    <Section title="To review">
      <ul className="block">
        {demo ? null : (
          <li>
            <span />
            <span>
              <Link to="/approvals">Approvals</Link>
              <span className="note block">
                {waiting === 0 ? 'orders that programs propose: none' : `${waiting} to decide`}
              </span>
            </span>
          </li>
        )}
        <li>
          <span />
          <span>
            <Link to="/orphans">Orphan orders</Link>
            <span className="note block">on the exchange, not tracked by a profile</span>
          </span>
        </li>
        <li>
          <span />
          <span>
            <Link to="/dead-letters">Failed jobs</Link>
            <span className="note block">{letters === 0 ? 'none' : `${letters} to review`}</span>
          </span>
        </li>
        <li>
          <span />
          <span>
            <Link to="/changes">Audit log</Link>
            <span className="note block">settings, accounts, keys and switches</span>
          </span>
        </li>
      </ul>
    </Section>
  );
}
