import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  note?: ReactNode;
  /** Columns of twelve; nothing means the width of the parent. */
  span?: 3 | 4 | 5 | 6 | 7 | 8 | 9 | 12;
  /** First of its neighbours in a single-column layout. */
  first?: boolean;
  children: ReactNode;
}

const SPANS = { 3: 'c3', 4: 'c4', 5: 'c5', 6: 'c6', 7: 'c7', 8: 'c8', 9: 'c9', 12: 'c12' } as const;

/** A strong hairline with a down-tick, a title and a note: never a box. */
export function Section({ title, note, span, first = false, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <section className={`sec ${span === undefined ? '' : SPANS[span]} ${first ? 'first' : ''}`} aria-labelledby={id}>
      <div className="sh">
        <h2 id={id}>{title}</h2>
        {note === undefined ? null : <span className="note">{note}</span>}
      </div>
      {children}
    </section>
  );
}
