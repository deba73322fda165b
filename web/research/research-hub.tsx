import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { profilesQuery } from '#web/data/queries.ts';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { RESEARCH_PAGES } from '#web/ui/places.ts';
import { Section } from '#web/ui/section.tsx';

/** The research pages of all profiles. */
export function ResearchHubPage(): ReactNode {
  const { data, error } = useQuery(profilesQuery);
  return (
    <>
      <title>Research · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Research</h1>
        <p className="two">Backtests, sweeps and checks run on recorded candles. They never trade.</p>
      </div>
      {error === null ? null : <Failure what="Could not load the profiles." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={4} /> : null}
      {data?.profiles.length === 0 ? (
        <p className="p-2">
          Research needs a profile. <Link to="/welcome">Create your first profile</Link>
        </p>
      ) : null}
      {data?.profiles.map(({ id, name, symbols }) => (
        <Section key={id} title={name} note={symbols.join(', ')}>
          <div className="actions">
            {RESEARCH_PAGES.map(({ to, words }) => (
              <Link key={to} to={to} params={{ id }} className="btn">
                {words}
              </Link>
            ))}
          </div>
        </Section>
      ))}
    </>
  );
}
