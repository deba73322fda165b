import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { listConfigHistory, restoreConfig } from '#api/contract/profile-configs.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import type { Profile } from '#web/data/queries.ts';
import { differencesOf } from './differences.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { Failure, Say } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

type Version = Answer<typeof listConfigHistory>['versions'][number];

/** Every config the profile has had: what each one changed, and a way back to it. */
export function ConfigHistory({ profile }: { profile: Profile }): ReactNode {
  const params = { id: profile.id };
  const { data, error } = useQuery({
    queryKey: [...keys.profile(profile.id), 'history'],
    queryFn: ({ signal }) => call(listConfigHistory, { params, query: { limit: 30 } }, signal),
  });
  const [chosen, setChosen] = useState<Version | undefined>(undefined);
  const versions = data?.versions ?? [];
  return (
    <Section
      title="History"
      note={data === undefined ? undefined : versions.length < 2 ? undefined : `the newest ${versions.length}`}
    >
      {error === null ? null : <Failure what="The history could not be read." error={error} />}
      {data?.versions.length === 0 ? <p className="p-2">The first change begins it.</p> : null}
      <ul className="block">
        {versions.map((version, i) => {
          const before = versions[i + 1];
          const changes = before === undefined ? undefined : differencesOf(before.config, version.config);
          return (
            <li key={version.version}>
              <span className="note">{version.version}</span>
              <span className="flex flex-wrap items-center gap-x-4">
                <span className="grow">
                  <When at={version.at} />
                  <Changes changes={changes} />
                </span>
                {i === 0 ? (
                  <span className="note">in use</span>
                ) : (
                  <button type="button" className="btn small" onClick={() => setChosen(version)}>
                    Go back to {version.version}
                  </button>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {chosen === undefined ? null : (
        <Restore profile={profile} version={chosen} onClose={() => setChosen(undefined)} />
      )}
    </Section>
  );
}

function Changes({ changes }: { changes: ReturnType<typeof differencesOf> | undefined }): ReactNode {
  if (changes === undefined) return null;
  if (changes.length === 0) return <span className="note block">nothing changed</span>;
  return changes.slice(0, 6).map(({ path, before, after }) => (
    <span key={path} className="note block">
      {path}: {before} → {after}
    </span>
  ));
}

interface RestoreProps {
  profile: Profile;
  version: Version;
  onClose: () => void;
}

function Restore({ profile, version, onClose }: RestoreProps): ReactNode {
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: () => call(restoreConfig, { params: { id: profile.id, version: version.version } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.profile(profile.id) });
    },
  });
  const changes = differencesOf(profile.config, version.config);
  return (
    <Dialog title={`Go back to version ${version.version}?`} open onClose={onClose}>
      <div className="two grid gap-2 py-2">
        <p>{profile.name} decides with it from its next decision on. What changes against now:</p>
        <div>
          <Changes changes={changes} />
        </div>
      </div>
      {restore.isError ? <Failure what="Not restored." error={restore.error} /> : null}
      {restore.data?.warnings.map((one) => (
        <Say key={one.code} tone="care" title={`Restored, but ${one.message}:`}>
          {one.detail}
        </Say>
      ))}
      {restore.isSuccess ? <Say tone="next">Restored. It is the newest version now.</Say> : null}
      <div className="flex flex-wrap gap-3 pt-2">
        {restore.isSuccess ? null : (
          <button type="button" className="btn go" disabled={restore.isPending} onClick={() => restore.mutate()}>
            Use version {version.version} for {profile.name}
          </button>
        )}
        <button type="button" className="btn" data-first onClick={onClose}>
          {restore.isSuccess ? 'Close' : 'Leave it'}
        </button>
      </div>
    </Dialog>
  );
}
