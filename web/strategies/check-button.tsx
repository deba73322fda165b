import type { ReactNode } from 'react';
import { checkStrategyVersion } from '#api/contract/strategy-files.ts';
import { useAct } from '#web/data/read.ts';
import { useDemo } from '#web/data/session.tsx';
import { Failure } from '#web/ui/notice.tsx';
import type { FileVersion } from './version-state.ts';

interface CheckButtonProps {
  version: Pick<FileVersion, 'hash' | 'title' | 'checkRequestedAt'>;
  small?: boolean;
}

/** Requests a check of a version; its result appears after about half a minute. */
export function CheckButton({
  version: { hash, title, checkRequestedAt },
  small = false,
}: CheckButtonProps): ReactNode {
  const demo = useDemo();
  const check = useAct(checkStrategyVersion);
  if (demo) return null;
  return (
    <>
      <button
        type="button"
        className={small ? 'btn small' : 'btn'}
        aria-label={`Check ${title}`}
        disabled={check.isPending || checkRequestedAt !== null}
        onClick={() => check.mutate({ params: { hash } })}
      >
        Check
      </button>
      <Failure what="Could not request the check." error={check.error} />
    </>
  );
}
