import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { useAction } from '#web/data/use-action.ts';
import { ActionOutcome } from '#web/ui/action-outcome.tsx';
import { Dialog } from '#web/ui/dialog.tsx';

interface WorkerActionProps {
  accountId: AccountId;
  /** Text of the button that opens the dialog. */
  words: string;
  label?: string;
  small?: boolean;
  disabled?: boolean;
  /** False hides the button that opens the dialog; a dialog that is open stays. */
  offered?: boolean;
  title: string;
  /** Explains the action before it runs. */
  children: ReactNode;
  /** Text of the button that runs the action: names the object and the amount. */
  action: string;
  /** Text of the button that closes the dialog without acting. */
  keep?: string;
  done: string;
  /** One id per dialog: pressing again after a lost response does not repeat the request. */
  run: (requestId: string) => Promise<{ actionId: string | null }>;
  onDone?: () => void;
}

/** A button, a dialog that explains the action, and the outcome that the worker reports. */
export function WorkerAction(props: WorkerActionProps): ReactNode {
  const { words, label, small = false, disabled, offered = true } = props;
  const [open, setOpen] = useState(false);
  return (
    <>
      {offered ? (
        <button
          type="button"
          className={small ? 'btn small' : 'btn'}
          aria-label={label}
          disabled={disabled}
          onClick={() => setOpen(true)}
        >
          {words}
        </button>
      ) : null}
      {open ? <ActionDialog {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function ActionDialog({
  accountId,
  title,
  children,
  action,
  keep,
  done,
  run,
  onDone,
  onClose,
}: WorkerActionProps & { onClose: () => void }) {
  const [requestId] = useState(() => crypto.randomUUID());
  const act = useAction(accountId, () => run(requestId));
  const ended = act.isDone || (act.action !== undefined && !act.isWaiting);
  const close = (): void => {
    onClose();
    if (act.isDone) onDone?.();
  };
  return (
    <Dialog title={title} open onClose={close}>
      <div className="two grid gap-2 py-2">{children}</div>
      <ActionOutcome state={act} done={done} />
      <ActButtons
        words={action}
        keep={keep}
        ended={ended}
        waiting={act.isWaiting}
        onAct={() => act.send(undefined)}
        onClose={close}
      />
    </Dialog>
  );
}

interface ButtonsProps {
  words: string;
  keep?: string | undefined;
  ended: boolean;
  waiting: boolean;
  onAct: () => void;
  onClose: () => void;
}

function ActButtons({ words, keep = 'Cancel', ended, waiting, onAct, onClose }: ButtonsProps): ReactNode {
  return (
    <div className="flex flex-wrap gap-3 pt-2">
      {ended ? null : (
        <button type="button" className="btn go" disabled={waiting} onClick={onAct}>
          {words}
        </button>
      )}
      <button type="button" className="btn" onClick={onClose}>
        {ended ? 'Close' : keep}
      </button>
    </div>
  );
}
