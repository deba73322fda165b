import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { exportAuditLogs, listAuditLogs } from '#api/contract/upkeep.ts';
import { addressOf, call } from '#web/data/call.ts';
import { dashboardQuery } from '#web/data/queries.ts';
import { Context } from '#web/ui/feed.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Skeleton } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { actionWords } from './change-words.ts';

/** Everything the operator changed, with what it was before and after. */
export function ChangesPage(): ReactNode {
  const log = useInfiniteQuery({
    queryKey: ['changes'],
    queryFn: ({ signal, pageParam }) =>
      call(listAuditLogs, { query: { limit: 50, ...(pageParam === '' ? {} : { cursor: pageParam }) } }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });
  const { data: known } = useQuery(dashboardQuery);
  const names = new Map<string, string>(
    [...(known?.profiles ?? []), ...(known?.accounts ?? [])].map(({ id, name }) => [id, name]),
  );
  const rows = log.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <>
      <title>Changes · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/activity">Activity</Link>
        <span>Changes</span>
      </nav>
      <div className="head">
        <h1 className="verdict">What you changed, and from where.</h1>
        <p className="two">Every change of settings, accounts, keys and switches. Secrets are never written here.</p>
      </div>
      <Section
        title="Changes"
        note={
          <a href={addressOf(exportAuditLogs.path, undefined, { format: 'csv' })} download>
            Save as a table (CSV)
          </a>
        }
      >
        {log.error === null ? null : <Failure what="The changes could not be read." error={log.error} />}
        {log.data === undefined && log.error === null ? <Skeleton rows={8} /> : null}
        {log.data !== undefined && rows.length === 0 ? <p className="p-2">Nothing was changed yet.</p> : null}
        <ul className="feed dated">
          {rows.map(({ id, at, action, subject, before, after, ip }) => (
            <li key={id}>
              <When at={at} />
              <Icon name="dot" />
              <div>
                {actionWords(action)}
                {names.has(subject) ? <b> {names.get(subject)}</b> : null}
                <span className="note block">
                  {ip === 'unknown' ? 'from an address that is not known' : `from ${ip}`}
                  {subject === '' || names.has(subject) ? null : (
                    <>
                      , <code>{subject}</code>
                    </>
                  )}
                </span>
                <Context ctx={{ ...(before == null ? {} : { before }), ...(after == null ? {} : { after }) }} />
              </div>
            </li>
          ))}
        </ul>
        {log.hasNextPage ? (
          <div className="actions">
            <button type="button" className="btn" onClick={() => void log.fetchNextPage()}>
              Show older
            </button>
          </div>
        ) : null}
      </Section>
    </>
  );
}
