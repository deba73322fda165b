import { type ReactNode, useEffect, useId, useRef } from 'react';

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A modal of the browser itself: it traps focus, closes on Escape and gives focus back. `data-first` has it first. */
export function Dialog({ title, open, onClose, children }: DialogProps): ReactNode {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    if (open && !dialog.open) {
      dialog.showModal();
      dialog.querySelector<HTMLElement>('[data-first]')?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    <dialog ref={ref} className="dlg" aria-labelledby={id} onClose={onClose}>
      {open ? (
        <>
          <h2 id={id} className="fig">
            {title}
          </h2>
          {children}
        </>
      ) : null}
    </dialog>
  );
}
