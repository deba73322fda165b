import { memo, type ReactNode } from 'react';
import { useTimes } from '#web/data/session.tsx';
import { prose } from '#web/words/prose.ts';
import { moment, utc } from '#web/words/time.ts';

/** A moment in the operator's zone, UTC on hover. */
export function When({ at }: { at: string }): ReactNode {
  const { zone, nowMs } = useTimes();
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={utc(ms)}>
      {moment(ms, zone, nowMs)}
    </time>
  );
}

/** A sentence of the service, numbers and times written as everywhere else. */
export const Prose = memo(({ text }: { text: string }): ReactNode => {
  const { zone, nowMs } = useTimes();
  return prose(text, zone, nowMs);
});
