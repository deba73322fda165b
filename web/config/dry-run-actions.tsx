import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dropDryRun, promoteDryRun } from '#api/contract/dry-runs.ts';
import type { Profile } from '#web/data/answers.ts';
import { call } from '#web/data/call.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import { type DryRun, isOpen, isRunning } from '#web/data/dry-runs.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { count } from '#web/ui/numbers.ts';
import { editOf } from '#web/ui/research.ts';
import { conflictText } from './dry-run-text.ts';
import { useLabels } from './setting-labels.ts';
import { useDifferences } from './settings-of-both.tsx';

interface ActionsProps {
  profile: Profile;
  run: DryRun;
}

/** Promotes or drops an open dry run, or opens its settings in the form. */
export function DryRunActions({ profile, run }: ActionsProps): ReactNode {
  const changes = useDifferences(run);
  const edit = editOf(changes.map(({ path, after }) => ({ path, value: after })));
  const { id } = profile;
  return (
    <>
      <Conflict run={run} />
      {run.state === 'promoted' ? (
        <p className="px-2">
          To go back,{' '}
          <Link to="/profiles/$id/config" params={{ id }}>
            restore version {run.version} in the history of settings
          </Link>
          .
        </p>
      ) : null}
      <div className="actions">
        {isOpen(run) ? <Promote profile={profile} run={run} /> : null}
        {isOpen(run) ? <Drop profile={profile} run={run} /> : null}
        {run.strategyName === profile.strategyName && run.state !== 'promoted' ? (
          <Link className="btn" to="/profiles/$id/config" params={{ id }} search={{ edit }}>
            Open in settings
          </Link>
        ) : null}
      </div>
    </>
  );
}

/** Settings that were changed meanwhile: promoting would overwrite them. */
function Conflict({ run }: { run: DryRun }): ReactNode {
  const { labelOf } = useLabels(run.strategyName, run.present);
  if (!isOpen(run) || run.changedSince.length === 0) return null;
  return (
    <Notice tone="care" title="The settings have changed since the start.">
      {conflictText(run.changedSince, labelOf)}
    </Notice>
  );
}

/** A refusal because of changed settings, with the labels of the form in the place of paths. */
function inWords(error: unknown, labelOf: (path: string) => string): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, errors = [] } = error instanceof ProblemError ? error.problem : {};
  if (code !== 'conflict' || errors.length === 0) return error;
  const paths = errors.map(({ path }) => path);
  return new Error(`Settings have changed since the start. ${conflictText(paths, labelOf)}`);
}

function Promote({ profile: { id, name }, run }: ActionsProps): ReactNode {
  const { labelOf, wordsOf } = useLabels(run.strategyName, run.changed);
  const changes = useDifferences(run);
  const params = { id, dryRunId: run.id };
  return (
    <Confirm
      words="Promote…"
      title={`Use the changed settings for ${name}?`}
      action={`Promote ${count(changes.length, 'change')}`}
      failed="Not promoted."
      disabled={run.changedSince.length > 0}
      run={() => call(promoteDryRun, { params }).catch((error: unknown) => Promise.reject(inWords(error, labelOf)))}
    >
      <ul>
        {changes.map(({ path, before, after }) => (
          <li key={path}>
            {labelOf(path)}: {wordsOf(path, after)} instead of {wordsOf(path, before)}
          </li>
        ))}
      </ul>
      <p>
        {name} trades with them from its next decision on. The present settings stay in the history as version{' '}
        {run.version}.
      </p>
    </Confirm>
  );
}

function Drop({ profile: { id, name }, run }: ActionsProps): ReactNode {
  const params = { id, dryRunId: run.id };
  return (
    <Confirm
      words="Drop…"
      title="Drop this dry run?"
      action="Drop the dry run"
      keep={isRunning(run) ? 'Keep it running' : 'Cancel'}
      failed="Not dropped."
      run={() => call(dropDryRun, { params })}
    >
      <p>{name} keeps its present settings. The result so far stays in the list.</p>
    </Confirm>
  );
}
