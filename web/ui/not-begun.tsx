import type { ReactNode } from 'react';
import { ProblemError } from '#web/data/problem-error.ts';
import { Failure, Say } from './say.tsx';

interface NotBegunProps {
  error: Error;
  /** Whether a refusal of this path stands at its field already. */
  isShown: (path: string) => boolean;
}

/** Why a run was not begun: what stands at no field is named here. */
export function NotBegun({ error, isShown }: NotBegunProps): ReactNode {
  const errors = error instanceof ProblemError ? (error.problem.errors ?? []) : [];
  const rest = errors.filter(({ path }) => !isShown(path));
  if (errors.length === 0) return <Failure what="Not begun." error={error} />;
  return (
    <Say tone="loss" title="Not begun.">
      {rest.length === 0
        ? 'It waits for what is marked above.'
        : rest.map(({ path, message }) => `${path} ${message}`).join('; ')}
    </Say>
  );
}
