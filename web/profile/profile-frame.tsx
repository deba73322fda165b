import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ProfileId, readId } from '#core/ids.ts';
import { readProfile } from '#api/contract/profiles.ts';
import type { Profile } from '#web/data/answers.ts';
import { useDemo } from '#web/data/session.tsx';
import { useRead } from '#web/data/read.ts';
import { profilePagesOf } from '#web/ui/places.ts';
import { PageStrip } from '#web/ui/page-strip.tsx';
import { Read } from '#web/ui/read.tsx';

interface FrameProps {
  /** The id as the address has it. */
  id: string;
  /** Title of this page; the main page of the profile has none. */
  part?: string;
  /** The profile page that this one belongs to, where it is no entry of the strip itself. */
  under?: string;
  children: (profile: Profile) => ReactNode;
}

/** The frame of every page of one profile: breadcrumb and links to its other pages. */
export function ProfileFrame({ id, part, under, children }: FrameProps): ReactNode {
  const known = readId<ProfileId>(id);
  if (known !== undefined) {
    return (
      <Known id={known} part={part} under={under}>
        {children}
      </Known>
    );
  }
  return (
    <div className="head">
      <h1 className="verdict">Profile not found.</h1>
    </div>
  );
}

interface KnownProps {
  id: ProfileId;
  part: string | undefined;
  under: string | undefined;
  children: (profile: Profile) => ReactNode;
}

function Known({ id, part, under, children }: KnownProps): ReactNode {
  const profile = useRead(readProfile, { params: { id } });
  return (
    <Read of={profile} what="the profile" title={part ?? 'Profile'} rows={6}>
      {(known) => (
        <Pages profile={known} part={part} under={under}>
          {children(known)}
        </Pages>
      )}
    </Read>
  );
}

interface PagesProps {
  profile: Profile;
  part: string | undefined;
  under: string | undefined;
  children: ReactNode;
}

function Pages({ profile, part, under, children }: PagesProps): ReactNode {
  const demo = useDemo();
  const params = { id: profile.id };
  return (
    <>
      <title>{`${part === undefined ? '' : `${part} · `}${profile.name} · Tradewind`}</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/profiles">Profiles</Link>
        {part === undefined ? (
          <span>{profile.name}</span>
        ) : (
          <>
            <Link to="/profiles/$id" params={params}>
              {profile.name}
            </Link>
            <span>{part}</span>
          </>
        )}
      </nav>
      <PageStrip label="Pages of this profile">
        {profilePagesOf({ demo, takesSignals: profile.takesSignals }).map(({ to, words }) => (
          <Link
            key={to}
            to={to}
            params={params}
            activeOptions={{ exact: true, includeSearch: false }}
            aria-current={to === under ? 'true' : undefined}
          >
            {words}
          </Link>
        ))}
      </PageStrip>
      {children}
    </>
  );
}
