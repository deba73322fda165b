import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { type LogFilters, logsQuery } from '#web/data/queries.ts';
import { Feed } from '#web/ui/feed.tsx';
import { LogList } from './log-list.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';

interface DecisionLogProps {
  profileId: ProfileId;
  filters?: LogFilters;
  /** Loads new rows automatically; else only on demand. */
  follow?: boolean;
  /** Rows of one page. */
  size?: number;
  /** Rows of one line each, grouped by trade. */
  grouped?: boolean;
}

/** The log of a profile or of one coin, page by page; every row opens to its numbers. */
export function DecisionLog({
  profileId,
  filters = {},
  follow = true,
  size = 15,
  grouped = false,
}: DecisionLogProps): ReactNode {
  const log = useInfiniteQuery({ ...logsQuery(profileId, filters, size), enabled: follow });
  const { data, error } = log;
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  const narrow = Object.entries(filters).some(([name, value]) => name !== 'symbol' && value !== undefined);
  return (
    <>
      {error === null ? null : <Failure what="Could not load the log." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={6} /> : null}
      {data !== undefined && rows.length === 0 ? (
        <p className="p-2">
          {narrow
            ? 'No rows match the filters.'
            : 'No decisions yet. The first one appears within seconds while the profile is running.'}
        </p>
      ) : null}
      {grouped ? (
        <LogList rows={rows} named={filters.symbol === undefined} />
      ) : (
        <Feed rows={rows} open named={filters.symbol === undefined} />
      )}
      <div className="actions">
        {log.hasNextPage ? (
          <button
            type="button"
            className="btn"
            disabled={log.isFetchingNextPage}
            onClick={() => void log.fetchNextPage()}
          >
            Show older
          </button>
        ) : null}
        {follow ? null : (
          <button type="button" className="btn" disabled={log.isFetching} onClick={() => void log.refetch()}>
            Refresh
          </button>
        )}
      </div>
    </>
  );
}
