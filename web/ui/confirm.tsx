import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { Failure } from './say.tsx';

interface ConfirmProps {
  /** The quiet button that asks. */
  words: string;
  title: string;
  /** What will happen, before it does. */
  children: ReactNode;
  /** The loud button: names the object and the amount. */
  action: string;
  keep?: string;
  failed: string;
  run: () => Promise<unknown>;
  small?: boolean;
  label?: string;
  disabled?: boolean;
}

/** A quiet button, a dialog that says what will happen, and a loud button that does it. */
export function Confirm(props: ConfirmProps): ReactNode {
  const { words, title, children, action, keep = 'Leave it', failed, run, small = false, label, disabled } = props;
  const [asking, setAsking] = useState(false);
  const act = useMutation({ mutationFn: run, onSuccess: () => setAsking(false) });
  return (
    <>
      <button
        type="button"
        className={small ? 'btn small' : 'btn'}
        aria-label={label}
        disabled={disabled}
        onClick={() => setAsking(true)}
      >
        {words}
      </button>
      <Dialog title={title} open={asking} onClose={() => setAsking(false)}>
        <div className="two grid gap-2 whitespace-normal py-2 text-left">{children}</div>
        {act.isError ? <Failure what={failed} error={act.error} /> : null}
        <div className="flex flex-wrap gap-3 pt-2">
          <button type="button" className="btn go" disabled={act.isPending} onClick={() => act.mutate()}>
            {action}
          </button>
          <button type="button" className="btn" data-first onClick={() => setAsking(false)}>
            {keep}
          </button>
        </div>
      </Dialog>
    </>
  );
}
