import { type ReactNode, useState } from 'react';
import { differencesOf } from '#core/config-differences.ts';
import { mergePatch } from '#core/merge.ts';
import type { Answer } from '#api/contract/operation.ts';
import { listStrategies } from '#api/contract/profiles.ts';
import { listConfigHistory, restoreConfig } from '#api/contract/profile-configs.ts';
import type { Profile } from '#web/data/answers.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { useLabels } from './setting-labels.ts';
import { Dialog } from '#web/ui/dialog.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { StrategyName } from '#web/ui/strategy-name.tsx';
import { When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

const SHOWN = 6;

type Version = Answer<typeof listConfigHistory>['versions'][number];

/** Every saved config of the profile: its changes, and a button to restore it. */
export function ConfigHistory({ profile }: { profile: Profile }): ReactNode {
  const params = { id: profile.id };
  const history = useRead(listConfigHistory, { params, query: { limit: 30 } });
  const [chosen, setChosen] = useState<Version | undefined>(undefined);
  const shown = history.data?.versions.length ?? 0;
  return (
    <Section title="History" note={shown < 2 ? undefined : `the newest ${shown}`}>
      <Read of={history} what="the history">
        {({ versions }) => <Versions versions={versions} onChoose={setChosen} />}
      </Read>
      {chosen === undefined ? null : (
        <Restore profile={profile} version={chosen} onClose={() => setChosen(undefined)} />
      )}
    </Section>
  );
}

function Versions({ versions, onChoose }: { versions: readonly Version[]; onChoose: (version: Version) => void }) {
  if (versions.length === 0) return <p className="p-2">No changes yet.</p>;
  return (
    <ul className="block">
      {versions.map((version, i) => (
        <li key={version.version}>
          <span className="note">{version.version}</span>
          <span className="flex flex-wrap items-center gap-x-4">
            <span className="grow">
              <When wall at={version.at} />
              <Changes before={versions[i + 1]} after={version} />
            </span>
            {i === 0 ? (
              <span className="note">in use</span>
            ) : (
              <button
                type="button"
                className="btn small"
                aria-label={`Restore version ${version.version}…`}
                onClick={() => onChoose(version)}
              >
                Restore…
              </button>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

type Compared = Pick<Version, 'strategyName' | 'config'>;

/** The changes from one version to the next, in the words of the form. */
function Changes({ before, after }: { before: Compared | undefined; after: Compared }): ReactNode {
  const { labelOf, wordsOf } = useLabels(after.strategyName, after.config);
  const { data } = useRead(listStrategies, {});
  const defaults = data?.strategies.find(({ name }) => name === after.strategyName)?.defaults ?? {};
  if (before === undefined) return null;
  if (before.strategyName !== after.strategyName)
    return (
      <span className="note block">
        Strategy changed to <StrategyName name={after.strategyName} />
      </span>
    );
  const changes = differencesOf(mergePatch(defaults, before.config), mergePatch(defaults, after.config));
  if (changes.length === 0) return <span className="note block">nothing changed</span>;
  return changes.slice(0, SHOWN).map(({ path, before: old, after: now }) => (
    <span key={path} className="note block">
      {labelOf(path)} {wordsOf(path, now)} instead of {wordsOf(path, old)}
    </span>
  ));
}

interface RestoreProps {
  profile: Profile;
  version: Version;
  onClose: () => void;
}

function Restore({ profile, version, onClose }: RestoreProps): ReactNode {
  const restore = useAct(restoreConfig);
  const params = { id: profile.id, version: version.version };
  return (
    <Dialog title={`Restore version ${version.version}?`} open onClose={onClose}>
      <div className="two grid gap-2 py-2">
        <p>{profile.name} uses this version from its next decision on. Changes:</p>
        <div>
          <Changes before={profile} after={version} />
        </div>
      </div>
      <Failure what="Not restored." error={restore.error} />
      {restore.data?.warnings.map((warning) => (
        <Notice key={warning.code} tone="care" title={`Restored, but ${warning.message}:`}>
          {warning.detail}
        </Notice>
      ))}
      {restore.isSuccess ? <Notice tone="next">Restored. It is the newest version now.</Notice> : null}
      <div className="flex flex-wrap gap-3 pt-2">
        {restore.isSuccess ? null : (
          <button
            type="button"
            className="btn go"
            disabled={restore.isPending}
            onClick={() => restore.mutate({ params })}
          >
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
