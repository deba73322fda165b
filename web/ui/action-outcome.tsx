import type { ReactNode } from 'react';
import type { useAction } from '#web/data/use-action.ts';
import { Prose } from './when.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';

type State = Pick<ReturnType<typeof useAction>, 'error' | 'action' | 'isDone' | 'isWaiting'>;

/** The outcome of a request to the worker. */
export function ActionOutcome({
  state: { error, action, isDone, isWaiting },
  done,
}: {
  state: State;
  done: string;
}): ReactNode {
  if (error !== null) return <Failure what="Failed." error={error} />;
  if (isWaiting) {
    return (
      <p className="note p-2" role="status">
        Sent to the worker…
      </p>
    );
  }
  if (isDone) return <Notice tone="next">{done}</Notice>;
  if (action === undefined) return null;
  return (
    <Notice tone="care" title={action.state === 'expired' ? 'Expired.' : 'Rejected.'}>
      <Prose text={action.reason ?? 'No reason given.'} />
    </Notice>
  );
}
