import type { ReactNode } from 'react';
import { BEAT_SECONDS, beatWords } from '#web/data/beat.ts';
import { useBeat } from '#web/data/live.tsx';

const WIDTH = BEAT_SECONDS * 10;

/** Height of a second's mark: taller with more decisions, on a logarithmic scale so that busy and quiet both show. */
const heightOf = (count: number): number => Math.min(9, 3 + Math.round(Math.log2(count)));

/** One mark per second for four minutes; a gap is a second without a decision; the magenta mark is now. */
export function Heartbeat(): ReactNode {
  const { seconds } = useBeat();
  const marks = seconds.map((count, i) => (count ? `M${i * 10 + 5} 12v-${heightOf(count)}` : '')).join('');
  return (
    <div className="beat" role="img" aria-label={beatWords(seconds)} title={beatWords(seconds)}>
      <svg preserveAspectRatio="none" viewBox={`0 0 ${WIDTH} 12`}>
        <path d={marks} stroke="var(--color-control)" />
        <path d={`M${WIDTH - 5} 12V0`} stroke="var(--color-intent)" strokeWidth="2" />
      </svg>
    </div>
  );
}
