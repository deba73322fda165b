import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { useAction } from '#web/data/use-action.ts';
import { ActionOutcome } from '#web/ui/action-outcome.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

interface AskProps {
  accountId: AccountId;
  /** The quiet button. */
  words: string;
  label?: string;
  small?: boolean;
  disabled?: boolean;
  /** False takes the quiet button away; a dialog that is open stays until it is read. */
  offered?: boolean;
  title: string;
  /** What will happen, before it does. */
  children: ReactNode;
  /** The loud button: names the object and the amount. */
  action: string;
  done: string;
  /** The id is one for the whole dialog: pressing again after a lost answer asks for nothing more. */
  run: (requestId: string) => Promise<{ actionId: string | null }>;
  onDone?: () => void;
}

/** A quiet button, a dialog that says what will happen, and the worker's word about what did. */
export function AskWorker(props: AskProps): ReactNode {
  const { words, label, small = false, disabled, offered = true } = props;
  const [asking, setAsking] = useState(false);
  return (
    <>
      {offered ? (
        <button
          type="button"
          className={small ? 'btn small quiet two' : 'btn'}
          aria-label={label}
          disabled={disabled}
          onClick={() => setAsking(true)}
        >
          {words}
        </button>
      ) : null}
      {asking ? <Asking {...props} onClose={() => setAsking(false)} /> : null}
    </>
  );
}

function Asking({
  accountId,
  title,
  children,
  action,
  done,
  run,
  onDone,
  onClose,
}: AskProps & { onClose: () => void }) {
  const [requestId] = useState(() => crypto.randomUUID());
  const act = useAction(accountId, () => run(requestId));
  const ended = act.isDone || (act.action !== undefined && !act.isWaiting);
  const close = (): void => {
    onClose();
    if (act.isDone) onDone?.();
  };
  return (
    <Dialog title={title} open onClose={close}>
      <div className="two grid gap-2 whitespace-normal py-2 text-left">{children}</div>
      <ActionOutcome state={act} done={done} />
      <ActButtons
        words={action}
        ended={ended}
        waiting={act.isWaiting}
        onAct={() => act.ask(undefined)}
        onClose={close}
      />
    </Dialog>
  );
}

interface ButtonsProps {
  words: string;
  ended: boolean;
  waiting: boolean;
  onAct: () => void;
  onClose: () => void;
}

export function ActButtons({ words, ended, waiting, onAct, onClose }: ButtonsProps): ReactNode {
  return (
    <div className="flex flex-wrap gap-3 pt-2">
      {ended ? null : (
        <button type="button" className="btn go" disabled={waiting} onClick={onAct}>
          {words}
        </button>
      )}
      <button type="button" className="btn" onClick={onClose}>
        {ended ? 'Close' : 'Leave it'}
      </button>
    </div>
  );
}
