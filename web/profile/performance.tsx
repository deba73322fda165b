import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { profilesQuery } from '#web/data/queries.ts';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';

/** The closed trades and the equity of each profile. */
export function PerformancePage(): ReactNode {
  const { data, error } = useQuery(profilesQuery);
  return (
    <>
      <title>Performance · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Performance</h1>
      </div>
      <Section title="By profile">
        {error === null ? null : <Failure what="Could not load the profiles." error={error} />}
        {data === undefined && error === null ? <Skeleton rows={3} /> : null}
        {data?.profiles.length === 0 ? <p className="p-2">No profiles yet.</p> : null}
        <ul className="block">
          {data?.profiles.map(({ id, name }) => (
            <li key={id}>
              <span />
              <span>
                <Link to="/profiles/$id/history" params={{ id }}>
                  {name}
                </Link>
                <span className="note block">closed trades, net P&L, equity</span>
              </span>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}
