import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Profile } from '#web/data/answers.ts';
import { RESEARCH_PAGES } from '#web/ui/places.ts';
import { PageStrip } from '#web/ui/page-strip.tsx';
import { ProfileFrame } from '#web/profile/profile-frame.tsx';

interface FrameProps {
  id: string;
  part: string;
  children: (profile: Profile) => ReactNode;
}

/** The frame of the research pages of a profile. */
export function ResearchFrame({ id, part, children }: FrameProps): ReactNode {
  return (
    <ProfileFrame id={id} part={part} under="/profiles/$id/backtests">
      {(profile) => (
        <>
          <PageStrip label="Research" sub>
            {RESEARCH_PAGES.map(({ to, words }) => (
              <Link key={to} to={to} params={{ id: profile.id }} activeOptions={{ includeSearch: false }}>
                {words}
              </Link>
            ))}
          </PageStrip>
          {children(profile)}
        </>
      )}
    </ProfileFrame>
  );
}
