import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { useRun } from '#web/data/read.ts';

interface ConfirmProps {
  /** Text of the button that opens the dialog. */
  words: string;
  title: string;
  /** Explains the action before it runs. */
  children: ReactNode;
  /** Text of the button that runs the action: names the object and the amount. */
  action: string;
  keep?: string;
  failed: string;
  run: () => Promise<unknown>;
  small?: boolean;
  label?: string;
  disabled?: boolean;
}

/** A button, a dialog that explains the action, and a button that runs it. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { words, title, children, action, keep = 'Cancel', failed, run, small = false, label, disabled } = props;
  const [open, setOpen] = useState(false);
  const act = useRun(run, { onSuccess: () => setOpen(false) });
  return (
    <>
      <button
        type="button"
        className={small ? 'btn small' : 'btn'}
        aria-label={label}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {words}
      </button>
      <Dialog title={title} open={open} onClose={() => setOpen(false)}>
        <div className="two grid gap-2 py-2">{children}</div>
        <Failure what={failed} error={act.error} />
        <div className="flex flex-wrap gap-3 pt-2">
          <button type="button" className="btn go" disabled={act.isPending} onClick={() => act.mutate()}>
            {action}
          </button>
          <button type="button" className="btn" data-first onClick={() => setOpen(false)}>
            {keep}
          </button>
        </div>
      </Dialog>
    </>
  );
}
