import type { ReactNode } from 'react';
import { useMarketTime, useZone } from '#web/data/session.tsx';
import { prose } from '#web/words/prose.ts';
import { moment, utc } from '#web/words/time.ts';

/** A moment in the operator's zone, UTC on hover. */
export function When({ at }: { at: string }): ReactNode {
  const zone = useZone();
  const now = useMarketTime() ?? Date.now();
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={utc(ms)}>
      {moment(ms, zone, now)}
    </time>
  );
}

/** A sentence of the service, numbers and times written as everywhere else. */
export function Prose({ text }: { text: string }): ReactNode {
  const zone = useZone();
  const now = useMarketTime() ?? Date.now();
  return <>{prose(text, zone, now)}</>;
}
