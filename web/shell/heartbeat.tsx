import type { ReactNode } from 'react';
import { decisionRateText, RATE_SECONDS } from '#web/data/decision-rate.ts';
import { useDecisionRate } from '#web/data/live.tsx';

const WIDTH = RATE_SECONDS * 10;

/** Height of the mark of a second: logarithmic, so that busy and quiet seconds are both visible. */
const heightOf = (count: number): number => Math.min(9, 3 + Math.round(Math.log2(count)));

/** One mark per second for four minutes; a gap is a second without a decision; the magenta mark is now. */
export function Heartbeat(): ReactNode {
  const { seconds } = useDecisionRate();
  const marks = seconds.map((count, i) => (count ? `M${i * 10 + 5} 12v-${heightOf(count)}` : '')).join('');
  return (
    <div className="beat" role="img" aria-label={decisionRateText(seconds)} title={decisionRateText(seconds)}>
      <svg preserveAspectRatio="none" viewBox={`0 0 ${WIDTH} 12`}>
        <path d={marks} stroke="var(--color-control)" />
        <path d={`M${WIDTH - 5} 12V0`} stroke="var(--color-intent)" strokeWidth="2" />
      </svg>
    </div>
  );
}
