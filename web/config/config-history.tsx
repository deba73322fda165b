import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { listConfigHistory, restoreConfig } from '#api/contract/profile-configs.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import type { Profile } from '#web/data/queries.ts';
import { differencesOf } from './differences.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

type Version = Answer<typeof listConfigHistory>['versions'][number];

/** Every saved config of the profile: its changes, and a button to restore it. */
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
      {error === null ? null : <Failure what="Could not load the history." error={error} />}
      {data?.versions.length === 0 ? <p className="p-2">No changes yet.</p> : null}
      <ul className="block">
        {versions.map((version, i) => {
          const before = versions[i + 1];
          const changes = before === undefined ? undefined : differencesOf(before.config, version.config);
          return (
            <li key={version.version}>
              <span className="note">{version.version}</span>
              <span className="flex flex-wrap items-center gap-x-4">
                <span className="grow">
                  <When wall at={version.at} />
                  <Changes changes={changes} />
                </span>
                {i === 0 ? (
                  <span className="note">in use</span>
                ) : (
                  <button
                    type="button"
                    className="btn small"
                    aria-label={`Restore version ${version.version}…`}
                    onClick={() => setChosen(version)}
                  >
                    Restore…
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
    <Dialog title={`Restore version ${version.version}?`} open onClose={onClose}>
      <div className="two grid gap-2 py-2">
        <p>{profile.name} uses this version from its next decision on. Changes:</p>
        <div>
          <Changes changes={changes} />
        </div>
      </div>
      {restore.isError ? <Failure what="Not restored." error={restore.error} /> : null}
      {restore.data?.warnings.map((warning) => (
        <Notice key={warning.code} tone="care" title={`Restored, but ${warning.message}:`}>
          {warning.detail}
        </Notice>
      ))}
      {restore.isSuccess ? <Notice tone="next">Restored. It is the newest version now.</Notice> : null}
      <div className="flex flex-wrap gap-3 pt-2">
        {restore.isSuccess ? null : (
          <button type="button" className="btn go" disabled={restore.isPending} onClick={() => restore.mutate()}>
            Restore version {version.version}
          </button>
        )}
        <button type="button" className="btn" data-first onClick={onClose}>
          {restore.isSuccess ? 'Close' : 'Cancel'}
        </button>
      </div>
    </Dialog>
  );
}
