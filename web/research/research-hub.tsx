import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { listProfiles } from '#api/contract/profiles.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { RESEARCH_PAGES } from '#web/ui/places.ts';
import { Section } from '#web/ui/section.tsx';
import { Read } from '#web/ui/read.tsx';

/** The research pages of all profiles. */
export function ResearchHubPage(): ReactNode {
  const all = useRead(listProfiles, {});
  return (
    <>
      <title>Research · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Research</h1>
        <p className="two">Backtests, sweeps and checks run on recorded candles. They never trade.</p>
      </div>
      <Read of={all} what="the profiles" rows={4}>
        {({ profiles }) =>
          profiles.length === 0 ? (
            <p className="p-2">
              Research needs a profile. <Link to="/welcome">Create your first profile</Link>
            </p>
          ) : (
            profiles.map((profile) => <OneProfile key={profile.id} profile={profile} />)
          )
        }
      </Read>
    </>
  );
}

function OneProfile({ profile: { id, name, symbols } }: { profile: Profile }): ReactNode {
  return (
    <Section title={name} note={symbols.join(', ')}>
      <div className="actions">
        {RESEARCH_PAGES.map(({ to, words }) => (
          <Link key={to} to={to} params={{ id }} className="btn">
            {words}
          </Link>
        ))}
      </div>
    </Section>
  );
}
