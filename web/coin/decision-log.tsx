import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { listLogs } from '#api/contract/records.ts';
import type { LogRow } from '#web/data/answers.ts';
import { useReadPages } from '#web/data/read.ts';
import { Feed } from '#web/ui/feed.tsx';
import { LogList } from './log-list.tsx';
import { Read } from '#web/ui/read.tsx';

const POLL_MS = 15_000;

/** Filters of a log: absent means all. `level` is a comma list. */
export interface LogFilters {
  readonly symbol?: string;
  readonly level?: string;
  readonly q?: string;
  readonly from?: string;
}

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
  const log = useReadPages(
    listLogs,
    (start) => ({ params: { id: profileId }, query: { limit: size, ...filters, ...start } }),
    { every: POLL_MS, enabled: follow },
  );
  const narrow = Object.entries(filters).some(([name, value]) => name !== 'symbol' && value !== undefined);
  const Rows = grouped ? LogList : OpenFeed;
  return (
    <>
      <Read of={log} what="the log" rows={6}>
        {({ pages }) =>
          pages.every(({ rows }) => rows.length === 0) ? (
            <p className="p-2">
              {narrow
                ? 'No rows match the filters.'
                : 'No decisions yet. The first one appears within seconds while the profile is running.'}
            </p>
          ) : (
            <Rows rows={pages.flatMap(({ rows }) => rows)} named={filters.symbol === undefined} />
          )
        }
      </Read>
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

const OpenFeed = (props: { rows: readonly LogRow[]; named: boolean }): ReactNode => <Feed {...props} open />;
