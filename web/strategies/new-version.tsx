import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { switchStrategy } from '#api/contract/profile-configs.ts';
import { listStrategyFiles } from '#api/contract/strategy-files.ts';
import type { Profile } from '#web/data/answers.ts';
import { call } from '#web/data/call.ts';
import { useRead } from '#web/data/read.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { State } from './strategies.tsx';
import { newVersionFor, shortHash } from './version-state.ts';

const EVERY_MS = 15_000;

/** Offers the new version of a changed strategy file to a profile that uses an earlier one. */
export function NewVersion({ profile }: { profile: Profile }): ReactNode {
  const [, hash] = profile.strategyName.split('@', 2);
  const { data } = useRead(listStrategyFiles, {}, { every: EVERY_MS, enabled: hash !== undefined });
  const version = newVersionFor(profile.strategyName, data?.versions ?? []);
  if (version === undefined || hash === undefined) return null;
  const to = shortHash(version.hash);
  return (
    <Section title="New version of the strategy" note={`${version.file}, version ${to}`}>
      <p className="p-2">
        {profile.name} uses version {shortHash(hash)}. The file changed <When at={version.seenAt} />.{' '}
        <State version={version} />
      </p>
      <div className="actions">
        <Link to="/strategies/$hash" params={{ hash: version.hash }} search={{ against: hash }} className="btn">
          Changed lines
        </Link>
        <Confirm
          words={`Use version ${to}…`}
          title={`Use version ${to} for ${profile.name}?`}
          action={`Use version ${to}`}
          failed="Not changed."
          run={() =>
            call(switchStrategy, {
              params: { id: profile.id },
              body: { strategyName: version.reference, config: profile.config },
            })
          }
        >
          <p>Settings, position, stop and target stay. Indicators and memory of the strategy start again.</p>
          <p>A stop never falls by the change. The present version stays in the history.</p>
        </Confirm>
      </div>
    </Section>
  );
}
