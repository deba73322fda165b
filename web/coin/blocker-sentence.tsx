import type { ReactNode } from 'react';
import type { Blocker } from '#web/data/blockers.ts';
import { Prose, When } from '#web/ui/when.tsx';

/** The sentence of a blocker after its name, with the time since which it lasts. */
export function BlockerSentence({ blocker: { sentence, since } }: { blocker: Blocker }): ReactNode {
  return (
    <>
      <Prose text={sentence} />
      {since === null ? null : (
        <>
          {' '}
          since <When wall at={since} />.
        </>
      )}
    </>
  );
}
