import type { ReactNode } from 'react';
import { useNow } from '#web/data/session.tsx';
import { remainingMs, runStateText } from './research.ts';
import { age } from './time.ts';
import { Failure } from '#web/ui/notice.tsx';
import { useRun } from '#web/data/read.ts';

interface ProgressProps {
  state: string;
  done: number;
  all: number;
  /** Counted unit, such as `coins`. */
  unit: string;
  /** ISO. */
  since: string;
  stop: () => Promise<unknown>;
  /** Name of the work in the stop button. */
  what: string;
}

/** Progress of background work with its remaining time and a stop button. */
export function WorkProgress({ state, done, all, unit, since, stop, what }: ProgressProps): ReactNode {
  const now = useNow();
  const abort = useRun(stop);
  const left = remainingMs({ done, all, passedMs: now - Date.parse(since) });
  return (
    <div className="grid gap-2 p-2">
      <div role="status" className="flex flex-wrap items-center gap-x-4">
        <progress aria-label={`Progress of ${what}`} max={Math.max(1, all)} value={done} />
        <span>
          {done} of {all} {unit}
        </span>
        <span className="note">
          {state === 'queued'
            ? runStateText(state)
            : left === null
              ? `for ${age(now - Date.parse(since))}`
              : `about ${age(left)} left`}
        </span>
        <button type="button" className="btn small" disabled={abort.isPending} onClick={() => abort.mutate()}>
          Stop {what}
        </button>
      </div>
      <Failure what="Stop failed." error={abort.error} />
      <p className="note">It continues when you leave this page.</p>
    </div>
  );
}
