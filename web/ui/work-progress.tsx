import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNow } from '#web/data/session.tsx';
import { remainingMs, runWords } from './research.ts';
import { age } from './time.ts';
import { Failure } from './say.tsx';

interface ProgressProps {
  state: string;
  done: number;
  all: number;
  /** What is counted, such as `coins`. */
  unit: string;
  /** ISO. */
  since: string;
  stop: () => Promise<unknown>;
  /** What the button stops. */
  what: string;
}

/** How far work in the background has come, what is left, and a way to stop it. */
export function WorkProgress({ state, done, all, unit, since, stop, what }: ProgressProps): ReactNode {
  const now = useNow();
  const abort = useMutation({ mutationFn: stop });
  const left = remainingMs({ done, all, passedMs: now - Date.parse(since) });
  return (
    <div className="grid gap-2 p-2">
      <div role="status" className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <progress aria-label={`Progress of ${what}`} max={Math.max(1, all)} value={done} />
        <span>
          {done} of {all} {unit}
        </span>
        <span className="note">
          {state === 'queued'
            ? runWords(state)
            : left === null
              ? `for ${age(now - Date.parse(since))}`
              : `about ${age(left)} left`}
        </span>
        <button type="button" className="btn small" disabled={abort.isPending} onClick={() => abort.mutate()}>
          Stop {what}
        </button>
      </div>
      {abort.isError ? <Failure what="Not stopped." error={abort.error} /> : null}
      <p className="note">It goes on when you leave this page.</p>
    </div>
  );
}
