import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { startDryRun } from '#api/contract/dry-runs.ts';
import type { Profile } from '#web/data/answers.ts';
import { call } from '#web/data/call.ts';
import { type DryRunEntry, isOpen, isRunning, useDryRuns } from '#web/data/dry-runs.ts';
import { useDemo } from '#web/data/session.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { decisionsFor, differText, resultSentence, SPANS, type Span } from './dry-run-text.ts';

const NAMES = Object.keys(SPANS).filter((name): name is Span => name in SPANS);

interface TryProps {
  profile: Profile;
  /** The edited settings of the profile, without the inherited ones. */
  config: Readonly<Record<string, unknown>>;
  /** Whether they differ from the saved ones. */
  dirty: boolean;
}

/** Starts a dry run of unsaved settings. A live demo starts none. */
export function TryWithoutOrders({ profile, config, dirty }: TryProps): ReactNode {
  const demo = useDemo();
  const { id, name, symbols } = profile;
  const { data } = useDryRuns(id);
  const [span, setSpan] = useState<Span>('1 day');
  const navigate = useNavigate();
  const start = async (): Promise<void> => {
    const body = { config, decisions: decisionsFor(span, symbols.length) };
    await call(startDryRun, { params: { id }, body });
    await navigate({ to: '/profiles/$id/dry-runs', params: { id }, search: {} });
  };
  if (demo || symbols.length === 0) return null;
  return (
    <Confirm
      words="Try without orders…"
      title={`Try these settings for ${name}?`}
      action="Start the dry run"
      failed="Not started."
      disabled={!dirty || data?.dryRuns.some(isRunning) !== false}
      run={start}
    >
      <p>
        From now on the present and the changed settings decide on the same candles. Neither of them sends an order, and
        {` ${name}`} trades with the present settings.
      </p>
      <div className="flex flex-wrap items-center gap-3">
        <span>Runs for</span>
        <span className="seg" role="group" aria-label="Length of the dry run">
          {NAMES.map((words) => (
            <button key={words} type="button" aria-pressed={words === span} onClick={() => setSpan(words)}>
              {words}
            </button>
          ))}
        </span>
      </div>
    </Confirm>
  );
}

/** The newest dry run of a profile above its settings, while it is open; else a link to earlier ones. */
export function DryRunNotice({ profile: { id } }: { profile: Profile }): ReactNode {
  const { data } = useDryRuns(id);
  const newest = data?.dryRuns[0];
  if (newest === undefined) return null;
  if (!isOpen(newest)) {
    return (
      <p className="note mb-4">
        <Link to="/profiles/$id/dry-runs" params={{ id }} search={{}}>
          Earlier dry runs
        </Link>
      </p>
    );
  }
  return (
    <div className="mb-4">
      <Notice tone="next" title={isRunning(newest) ? 'A dry run is running.' : 'A dry run is finished.'}>
        <Summary run={newest} />{' '}
        <Link to="/profiles/$id/dry-runs" params={{ id }} search={{ run: newest.id }}>
          See the result
        </Link>
        {isRunning(newest) ? <span className="note block">Drop it before you start another one.</span> : null}
      </Notice>
    </div>
  );
}

function Summary({ run }: { run: DryRunEntry }): string {
  const { result } = run;
  const differ = result === null || result.differing === 0 ? '' : ` ${differText(result)}.`;
  return `${resultSentence(run)}${differ}`;
}
