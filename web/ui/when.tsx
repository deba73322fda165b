import { memo, type ReactNode } from 'react';
import { useTimes } from '#web/data/session.tsx';
import { prose } from './prose.ts';
import { dated, moment, utc } from './time.ts';

interface WhenProps {
  at: string;
  /** Also a moment of today has its day. */
  day?: boolean;
  /** `at` is wall time: in a replay it is shown at market time. */
  wall?: boolean;
}

/** A moment in the operator's zone, UTC on hover. */
export function When({ at, day = false, wall = false }: WhenProps): ReactNode {
  const { zone, nowMs, toMarket } = useTimes();
  const ms = wall ? toMarket(Date.parse(at)) : Date.parse(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={utc(ms)}>
      {day ? dated(ms, zone, nowMs) : moment(ms, zone, nowMs)}
    </time>
  );
}

/** A sentence of the service, numbers and times written as everywhere else. */
export const Prose = memo(({ text }: { text: string }): ReactNode => {
  const { zone, nowMs } = useTimes();
  return prose(text, zone, nowMs);
});
