import type { ReactNode } from 'react';
import { sentenceOf } from '#web/data/problem-error.ts';
import { Icon } from './icon.tsx';

interface NoticeProps {
  tone: 'loss' | 'care' | 'next';
  title?: string;
  children?: ReactNode;
}

/** A message next to its subject. `loss` interrupts a screen reader, the others wait. */
export function Notice({ tone, title, children }: NoticeProps): ReactNode {
  const mark = tone === 'loss' ? 'x' : tone === 'care' ? 'warn' : 'flag';
  return (
    <div className={`say ${tone}`} role={tone === 'loss' ? 'alert' : 'status'}>
      <Icon name={mark} /> {title === undefined ? null : <b>{title} </b>}
      {children}
    </div>
  );
}

interface FailureProps {
  what: string;
  /** Nothing is shown for `null`. */
  error: unknown;
  retry?: () => unknown;
  children?: ReactNode;
}

/** A failed action or read with the message of the server. */
export function Failure({ what, error, retry, children }: FailureProps): ReactNode {
  if (error === null) return null;
  return (
    <Notice tone="loss" title={what}>
      {sentenceOf(error)} {children}
      {retry === undefined ? null : (
        <>
          {' '}
          <button type="button" className="btn small" onClick={() => void retry()}>
            Retry
          </button>
        </>
      )}
    </Notice>
  );
}

interface SkeletonProps {
  rows: number;
  /** Of one row in px. */
  height?: number;
  what: string;
}

/** Placeholder rows of the height of the answer; names the subject when the answer takes long. */
export function Skeleton({ rows, height = 36, what }: SkeletonProps): ReactNode {
  return (
    <div aria-busy="true" className="skeleton">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} style={{ height }}>
          <span className="sk" style={{ width: `${40 + ((row * 17) % 40)}%` }} />
        </span>
      ))}
      <span className="note late">Loading {what}…</span>
    </div>
  );
}
