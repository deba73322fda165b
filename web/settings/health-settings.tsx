import type { ReactNode } from 'react';
import { useConnection } from '#web/data/live.tsx';
import { useStatus } from '#web/data/session.tsx';
import { troublesOf } from '#web/shell/health.ts';
import { Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

const CONNECTION = { live: 'connected', connecting: 'connecting', lost: 'lost, reconnecting' } as const;

/** Versions and start times of the processes. */
export function HealthSettings(): ReactNode {
  const { data, isError } = useStatus();
  const { stream } = useConnection();
  const troubles = troublesOf(data, isError);
  return (
    <Section title="System health" note="checked every 5 s">
      {troubles.map(({ tone, title, detail }) => (
        <Notice key={detail} tone={tone} title={title}>
          {detail}
        </Notice>
      ))}
      {data === undefined ? null : (
        <dl className="dl">
          <dt>Web app and API</dt>
          <dd>
            <code>{data.api.sha.slice(0, 7)}</code>, since <When at={data.api.bootedAt} />
          </dd>
          <dt>Worker</dt>
          <dd>
            {data.worker === null ? (
              'not running'
            ) : (
              <>
                <code>{data.worker.sha.slice(0, 7)}</code>, since <When at={data.worker.bootedAt} />
              </>
            )}
          </dd>
          <dt>Last database migration</dt>
          <dd>
            <When at={data.db.latestMigrationAppliedAt} />
          </dd>
          <dt>Live updates of this page</dt>
          <dd>{CONNECTION[stream]}</dd>
        </dl>
      )}
    </Section>
  );
}
