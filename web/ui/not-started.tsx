import type { ReactNode } from 'react';
import { ProblemError } from '#web/data/problem-error.ts';
import { Failure, Notice } from '#web/ui/notice.tsx';

interface NotStartedProps {
  /** Nothing is shown for `null`. */
  error: Error | null;
  /** Whether an error of this path is shown at its field already. */
  isShown: (path: string) => boolean;
}

/** Why a run did not start: lists the errors that belong to no field. */
export function NotStarted({ error, isShown }: NotStartedProps): ReactNode {
  const errors = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  const rest = errors.filter(({ path }) => !isShown(path));
  if (errors.length === 0) return <Failure what="Not started." error={error} />;
  return (
    <Notice tone="loss" title="Not started:">
      {rest.length === 0 ? 'fix the marked fields.' : rest.map(({ path, message }) => `${path} ${message}`).join('; ')}
    </Notice>
  );
}
