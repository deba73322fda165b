import type { ReactNode } from 'react';
import { retryNow, useConnection } from '#web/data/live.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { age } from '#web/ui/time.ts';

/** On every page while its live updates are lost: everything below may be old. */
export function LostBar(): ReactNode {
  const { stream, frameAtMs, nowMs, retry } = useConnection();
  if (stream !== 'lost') return null;
  const wait = retry.atMs === null ? 0 : Math.ceil((retry.atMs - nowMs) / 1000);
  return (
    <div className="alarm" role="alert">
      <Icon name="off" />
      <span>
        <b>{navigator.onLine ? 'The service does not answer.' : 'Offline.'}</b>{' '}
        {frameAtMs === null ? 'No data yet.' : `No data for ${age(nowMs - frameAtMs)}.`}{' '}
        {retry.attempt === 0 ? null : `${wait > 0 ? `Retrying in ${wait} s` : 'Connecting'}, attempt ${retry.attempt}.`}
      </span>
      <button type="button" className="btn small" onClick={retryNow}>
        Retry now
      </button>
    </div>
  );
}
