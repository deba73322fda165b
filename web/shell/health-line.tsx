import type { ReactNode } from 'react';
import { type Connection, PRICE_LIMIT_MS } from '#web/data/freshness.ts';
import { useConnection, useDecisionRate } from '#web/data/live.tsx';
import { readDashboard } from '#api/contract/records.ts';
import type { Dashboard } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { useMarketTime, useNow, useStatus, useTimes, useZone } from '#web/data/session.tsx';
import { troublesOf } from './health.ts';
import { age, full, moment, place, utc } from '#web/ui/time.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Notice } from '#web/ui/notice.tsx';

/** Health of the service, with its problems above the line. `signedIn` adds the state of the live updates. */
export function HealthLine({ signedIn }: { signedIn: boolean }): ReactNode {
  const { data: status, isError } = useStatus();
  const { stream } = useConnection();
  const isLost = signedIn && stream === 'lost';
  const troubles = isLost ? [] : troublesOf(status, isError);
  const worker = isLost || isError ? null : (status?.worker ?? null);
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
        {signedIn ? <LiveStatus worker={worker !== null} /> : null}
        {worker !== null && worker.sha === status?.api.sha ? (
          <span className="opt">
            <Icon name="ok" /> Web and worker on <code>{worker.sha.slice(0, 7)}</code>
          </span>
        ) : null}
        <span className="grow" />
        <Clock />
      </div>
    </>
  );
}

function LiveStatus({ worker }: { worker: boolean }): ReactNode {
  const connection = useConnection();
  const { lastTickMs } = useDecisionRate();
  const now = useNow();
  if (connection.stream === 'connecting') return <span>Connecting for live updates</span>;
  if (connection.stream === 'lost') return <LostStatus connection={connection} />;
  return (
    <>
      <PriceStatus ageMs={connection.priceAgeMs} />
      {worker && lastTickMs !== null ? (
        <span className="mid">
          <Icon name="ok" /> Worker decided {age(now - lastTickMs)} ago
        </span>
      ) : null}
      {worker ? <StreamStatus /> : null}
    </>
  );
}

/** Whether the worker receives the prices of the exchange, as it last reported. */
function StreamStatus(): ReactNode {
  const { data } = useRead(readDashboard, {}, { enabled: false, select: streamsOf });
  if (data === undefined || data === 'none') return null;
  const isConnected = data === 'connected';
  return (
    <span className={isConnected ? 'opt' : 'care'}>
      <Icon name={isConnected ? 'ok' : 'warn'} /> Exchange stream {isConnected ? 'connected' : 'lost'}
    </span>
  );
}

function streamsOf({ accounts }: Dashboard): 'connected' | 'lost' | 'none' {
  const states = accounts.flatMap(({ run }) => run?.streamConnected ?? []);
  return states.length === 0 ? 'none' : states.every(Boolean) ? 'connected' : 'lost';
}

function PriceStatus({ ageMs }: { ageMs: number | null }): ReactNode {
  const isOld = ageMs !== null && ageMs >= PRICE_LIMIT_MS;
  return (
    <span className={isOld ? 'care' : undefined}>
      <Icon name={isOld ? 'warn' : 'dot'} /> <b>Live</b>
      {ageMs === null ? '' : `, price ${age(ageMs)} old`}
    </span>
  );
}

function LostStatus({ connection: { frameAtMs, nowMs, retry } }: { connection: Connection }): ReactNode {
  const { zone, nowMs: marketMs, toMarket } = useTimes();
  const since = frameAtMs === null ? 'so far' : `since ${moment(toMarket(frameAtMs), zone, marketMs)}`;
  return (
    <>
      <span className="care">
        <Icon name="off" />{' '}
        <b>{frameAtMs === null ? 'No live updates yet' : `Live updates lost ${age(nowMs - frameAtMs)} ago`}</b>
        {retryText(retry.atMs, nowMs)}
      </span>
      <span className="mid">
        <Icon name="q" /> Worker: not known {since}
      </span>
    </>
  );
}

const retryText = (atMs: number | null, nowMs: number): string =>
  atMs === null || atMs <= nowMs ? ', connecting' : `, retrying in ${Math.ceil((atMs - nowMs) / 1000)} s`;

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
    <time className="nb" title={`${utc(market.marketMs)}; your clock ${full(now, zone, true)}`}>
      <b>Replay at {market.speed}x</b>, market time {full(market.marketMs, zone, true)}{' '}
      <span className="wide">{place(zone)}</span>
    </time>
  );
}
