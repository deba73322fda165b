import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useBeat, useConnection } from '#web/data/live.tsx';
import { statusQuery } from '#web/data/queries.ts';
import { useMarketTime, useNow, useZone } from '#web/data/session.tsx';
import { troublesOf } from './health.ts';
import { age, full, place, utc } from '#web/ui/time.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Say } from '#web/ui/say.tsx';

const CONNECTION_WORDS = {
  open: 'Live updates connected',
  connecting: 'Connecting for live updates',
  lost: 'Live updates lost, reconnecting',
} as const;

/** Health of the service; what is wrong replaces the quiet line. `signedIn` adds what only the socket knows. */
export function HealthLine({ signedIn }: { signedIn: boolean }): ReactNode {
  const { data: status, isError } = useQuery(statusQuery);
  const troubles = troublesOf(status, isError);
  return (
    <>
      {troubles.length > 0 ? (
        <div className="troubles">
          {troubles.map(({ tone, title, detail }) => (
            <Say key={detail} tone={tone} title={title}>
              {detail}
            </Say>
          ))}
        </div>
      ) : null}
      <div className="health" role="group" aria-label="Health">
        {status?.worker && !isError ? <WorkerWords signedIn={signedIn} /> : null}
        {signedIn ? <ConnectionWords /> : null}
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

function WorkerWords({ signedIn }: { signedIn: boolean }): ReactNode {
  const { lastTickMs } = useBeat();
  const now = useNow();
  return (
    <span>
      <Icon name="dot" /> <b>Worker live</b>
      {signedIn && lastTickMs !== null ? `, decided ${age(now - lastTickMs)} ago` : ''}
    </span>
  );
}

function ConnectionWords(): ReactNode {
  const state = useConnection();
  return (
    <span className={state === 'open' ? 'mid' : 'care'}>
      <Icon name={state === 'open' ? 'ok' : 'warn'} /> {CONNECTION_WORDS[state]}
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
      <b>Replay: market time</b> {full(market, zone, true)} <span className="wide">{place(zone)}</span>
    </time>
  );
}
