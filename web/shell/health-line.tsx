import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useDecisionRate, useConnection } from '#web/data/live.tsx';
import { statusQuery } from '#web/data/queries.ts';
import { useMarketTime, useNow, useZone } from '#web/data/session.tsx';
import { troublesOf } from './health.ts';
import { age, full, place, utc } from '#web/ui/time.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Notice } from '#web/ui/notice.tsx';

const CONNECTION_LABELS = {
  open: 'Live updates connected',
  connecting: 'Connecting for live updates',
  lost: 'Live updates lost, reconnecting',
} as const;

/** Health of the service, with its problems above the line. `signedIn` adds the state of the socket. */
export function HealthLine({ signedIn }: { signedIn: boolean }): ReactNode {
  const { data: status, isError } = useQuery(statusQuery);
  const troubles = troublesOf(status, isError);
  return (
    <>
      {troubles.length > 0 ? (
        <div className="troubles">
          {troubles.map(({ tone, title, detail }) => (
            <Notice key={detail} tone={tone} title={title}>
              {detail}
            </Notice>
          ))}
        </div>
      ) : null}
      <div className="health" role="group" aria-label="Health">
        {status?.worker && !isError ? <WorkerStatus signedIn={signedIn} /> : null}
        {signedIn ? <ConnectionStatus /> : null}
        {status?.worker && !isError && status.worker.sha === status.api.sha ? (
          <span className="opt">
            <Icon name="ok" /> Web and worker on <code>{status.api.sha.slice(0, 7)}</code>
          </span>
        ) : null}
        <span className="grow" />
        <Clock />
      </div>
    </>
  );
}

function WorkerStatus({ signedIn }: { signedIn: boolean }): ReactNode {
  const { lastTickMs } = useDecisionRate();
  const now = useNow();
  return (
    <span>
      <Icon name="dot" /> <b>Live</b>
      {signedIn && lastTickMs !== null ? ` · Worker decided ${age(now - lastTickMs)} ago` : ''}
    </span>
  );
}

function ConnectionStatus(): ReactNode {
  const state = useConnection();
  return (
    <span className={state === 'open' ? 'mid' : 'care'}>
      <Icon name={state === 'open' ? 'ok' : 'warn'} /> {CONNECTION_LABELS[state]}
    </span>
  );
}

function Clock(): ReactNode {
  const zone = useZone();
  const now = useNow();
  const market = useMarketTime();
  if (market === null) {
    return (
      <time className="nb" title={utc(now)}>
        {full(now, zone)} <span className="wide">{place(zone)}</span>
      </time>
    );
  }
  return (
    <time className="nb" title={`${utc(market)}; your clock ${full(now, zone, true)}`}>
      <b>Replay, market time</b> {full(market, zone, true)} <span className="wide">{place(zone)}</span>
    </time>
  );
}
