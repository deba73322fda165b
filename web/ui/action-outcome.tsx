import type { ReactNode } from 'react';
import type { useAction } from '#web/data/use-action.ts';
import { Failure, Say } from './say.tsx';
import { Prose } from './when.tsx';

type State = Pick<ReturnType<typeof useAction>, 'error' | 'action' | 'isDone' | 'isWaiting'>;

/** What became of something the worker was asked to do, in its words. */
export function ActionOutcome({
  state: { error, action, isDone, isWaiting },
  done,
}: {
  state: State;
  done: string;
}): ReactNode {
  if (error !== null) return <Failure what="Not done." error={error} />;
  if (isWaiting) {
    return (
      <p className="note p-2" role="status">
        Asked. The worker carries it out in the coin’s own turn…
      </p>
    );
  }
  if (isDone) return <Say tone="next">{done}</Say>;
  if (action === undefined) return null;
  return (
    <Say tone="care" title={action.state === 'expired' ? 'Not done in time.' : 'Refused.'}>
      <Prose text={action.reason ?? 'No reason was given.'} />
    </Say>
  );
}
