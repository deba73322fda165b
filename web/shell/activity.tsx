import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { listDeadLetters } from '#api/contract/jobs.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import { dashboardQuery } from '#web/data/queries.ts';
import { Feed } from '#web/ui/feed.tsx';
import { Failure, Skeleton } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { highlights } from '#web/ui/prose.ts';

/** What all profiles did lately, and the lists of what needs a decision of the operator. */
export function ActivityPage(): ReactNode {
  const { data, error } = useQuery(dashboardQuery);
  const profiles = data?.profiles ?? [];
  return (
    <>
      <title>Activity · Tradewind</title>
      <div className="head">
        <h1 className="verdict">What was done, and what waits for you.</h1>
      </div>
      <div className="cols">
        <Section title="What it did and why" note="newest first" span={8}>
          {error === null ? null : <Failure what="The activity could not be read." error={error} />}
          {data === undefined && error === null ? <Skeleton rows={8} /> : null}
          {data?.activity.length === 0 ? <p className="p-2">Nothing yet.</p> : null}
          <Feed rows={highlights(data?.activity ?? [])} open named />
        </Section>
        <div className="c4">
          <Waiting />
          <Section title="Everything, by profile">
            <ul className="block">
              {profiles.map(({ id, name }) => (
                <li key={id}>
                  <span />
                  <span className="flex flex-wrap gap-x-4">
                    <span className="grow">{name}</span>
                    <Link to="/profiles/$id/logs" params={{ id }}>
                      Log
                    </Link>
                  </span>
                </li>
              ))}
            </ul>
            {data !== undefined && profiles.length === 0 ? <p className="p-2">There is no profile yet.</p> : null}
          </Section>
        </div>
      </div>
    </>
  );
}

function Waiting(): ReactNode {
  const { data } = useQuery({
    queryKey: keys.deadLetters,
    queryFn: ({ signal }) => call(listDeadLetters, { query: {} }, signal),
  });
  const letters = data?.deadLetters.length ?? 0;
  return (
    <Section title="Lists">
      <ul className="block">
        <li>
          <span />
          <span>
            <Link to="/orphans">Orphan orders</Link>
            <span className="note block">on the exchange, but tracked by no profile</span>
          </span>
        </li>
        <li>
          <span />
          <span>
            <Link to="/dead-letters">Work that was given up</Link>
            <span className="note block">{letters === 0 ? 'nothing' : `${letters} to look at`}</span>
          </span>
        </li>
        <li>
          <span />
          <span>
            <Link to="/changes">What you changed</Link>
            <span className="note block">settings, accounts, keys and switches</span>
          </span>
        </li>
      </ul>
    </Section>
  );
}
