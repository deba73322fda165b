import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { listDeadLetters } from '#api/contract/jobs.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import { dashboardQuery } from '#web/data/queries.ts';
import { Feed } from '#web/ui/feed.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { highlights } from '#web/ui/prose.ts';

/** Recent activity of all profiles, and the lists to review. */
export function ActivityPage(): ReactNode {
  const { data, error } = useQuery(dashboardQuery);
  const profiles = data?.profiles ?? [];
  return (
    <>
      <title>Activity · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Activity</h1>
      </div>
      <div className="cols">
        <Section title="Recent activity" note="newest first" span={8}>
          {error === null ? null : <Failure what="Could not load the activity." error={error} />}
          {data === undefined && error === null ? <Skeleton rows={8} /> : null}
          {data?.activity.length === 0 ? <p className="p-2">No activity yet.</p> : null}
          <Feed rows={highlights(data?.activity ?? [])} open named />
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
            {data !== undefined && profiles.length === 0 ? <p className="p-2">No profiles yet.</p> : null}
          </Section>
        </div>
      </div>
    </>
  );
}

function Waiting(): ReactNode {
  const { data } = useQuery({
    queryKey: keys.deadLetters,
    queryFn: ({ signal }) => call(listDeadLetters, { query: {} }, signal),
  });
  const letters = data?.deadLetters.length ?? 0;
  return (
    <Section title="To review">
      <ul className="block">
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
