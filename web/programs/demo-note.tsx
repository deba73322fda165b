import type { ReactNode } from 'react';

/** A page that a live demo locks as a whole. */
export function DemoNote({ title }: { title: string }): ReactNode {
  return (
    <div className="head">
      <h1 className="verdict">{title}</h1>
      <p className="two">A live demo gives programs no access.</p>
    </div>
  );
}
