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

/** A failed action with the message of the server. */
export function Failure({ what, error }: { what: string; error: unknown }): ReactNode {
  return (
    <Notice tone="loss" title={what}>
      {sentenceOf(error)}
    </Notice>
  );
}

/** Placeholder rows while the page waits for an answer. */
export function Skeleton({ rows, height = 36 }: { rows: number; height?: number }): ReactNode {
  return (
    <div aria-busy="true" className="grid">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className="flex items-center px-2" style={{ height }}>
          <span className="sk" style={{ width: `${40 + ((row * 17) % 40)}%` }} />
        </span>
      ))}
      <span className="vh">Loading</span>
    </div>
  );
}
