import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useConnection } from '#web/data/live.tsx';
import { statusQuery } from '#web/data/queries.ts';
import { troublesOf } from '#web/shell/health.ts';
import { Say } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

const CONNECTION = { open: 'connected', connecting: 'connecting', lost: 'lost, reconnecting' } as const;

/** What runs, since when and in which version. */
export function HealthSettings(): ReactNode {
  const { data, isError } = useQuery(statusQuery);
  const connection = useConnection();
  const troubles = troublesOf(data, isError);
  return (
    <Section title="System health" note="asked every 5 s">
      {troubles.map(({ tone, title, detail }) => (
        <Say key={detail} tone={tone} title={title}>
          {detail}
        </Say>
      ))}
      {data === undefined ? null : (
        <dl className="dl">
          <dt>Web and interface</dt>
          <dd>
            <code>{data.api.sha.slice(0, 7)}</code>, since <When at={data.api.bootedAt} />
          </dd>
          <dt>Worker, which trades</dt>
          <dd>
            {data.worker === null ? (
              'not running'
            ) : (
              <>
                <code>{data.worker.sha.slice(0, 7)}</code>, since <When at={data.worker.bootedAt} />
              </>
            )}
          </dd>
          <dt>Database changed last</dt>
          <dd>
            <When at={data.db.latestMigrationAppliedAt} />
          </dd>
          <dt>Live updates of this page</dt>
          <dd>{CONNECTION[connection]}</dd>
        </dl>
      )}
    </Section>
  );
}
