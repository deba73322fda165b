import type { ReactNode } from 'react';
import { useRun } from '#web/data/read.ts';

/** A text to paste elsewhere, and a button that copies it; `name` completes its label, such as `Copy the token`. */
export function CopyText({ text, name }: { text: string; name: string }): ReactNode {
  const copy = useRun(() => navigator.clipboard.writeText(text));
  return (
    <>
      <pre className="mx-2">{text}</pre>
      <div className="actions">
        <button type="button" className="btn small" onClick={() => copy.mutate()}>
          Copy {name}
        </button>
        {copy.isSuccess ? <span role="status">Copied.</span> : null}
        {copy.isError ? <span role="status">The browser blocked it: select the text and copy it.</span> : null}
      </div>
    </>
  );
}
