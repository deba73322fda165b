import { memo, type ReactNode } from 'react';
import { useTimes } from '#web/data/session.tsx';
import { prose } from './prose.ts';
import { dated, moment, utc } from './time.ts';

/** A moment in the operator's zone, UTC on hover; with `day` also one of today has its day. */
export function When({ at, day = false }: { at: string; day?: boolean }): ReactNode {
  const { zone, nowMs } = useTimes();
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={utc(ms)}>
      {day ? dated(ms, zone, nowMs) : moment(ms, zone, nowMs)}
    </time>
  );
}

/** A sentence of the service, numbers and times written as everywhere else. */
export const Prose = memo(({ text }: { text: string }): ReactNode => {
  const { zone, nowMs } = useTimes();
  return prose(text, zone, nowMs);
});
