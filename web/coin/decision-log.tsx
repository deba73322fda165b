import { type ReactNode, useEffect, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { listLogs } from '#api/contract/records.ts';
import type { LogRow } from '#web/data/answers.ts';
import { useReadPages } from '#web/data/read.ts';
import { Feed } from '#web/ui/feed.tsx';
import { LogList } from './log-list.tsx';
import { Read } from '#web/ui/read.tsx';
import { When } from '#web/ui/when.tsx';

const POLL_MS = 15_000;
/** Pages that a search reads without a click. */
const SEARCHED_PAGES = 5;

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
    // Reading every page of a long search again and again would keep the database busy.
    { ...(filters.q === undefined ? { every: POLL_MS } : {}), enabled: follow },
  );
  const search = useSearch(log, { isSearch: filters.q !== undefined, size });
  const narrow = filters.q !== undefined || filters.from !== undefined || filters.level?.includes('info') === false;
  const Rows = grouped ? LogList : OpenFeed;
  return (
    <>
      <Read of={log} what="the log" rows={6}>
        {({ pages }) =>
          pages.every(({ rows }) => rows.length === 0) ? (
            <p className="p-2">
              {narrow
                ? search.to === null
                  ? 'No rows match the filters.'
                  : 'No rows match so far.'
                : filters.level === undefined
                  ? 'No decisions yet. The first one appears within seconds while the profile is running.'
                  : 'No orders, fills or warnings yet. Decisions to wait are under Logs, Everything.'}
            </p>
          ) : (
            <Rows rows={pages.flatMap(({ rows }) => rows)} named={filters.symbol === undefined} />
          )
        }
      </Read>
      {search.to === null ? null : (
        <p className="note p-2" role="status">
          Searched back to <When at={search.to} day />
          {search.isRunning ? '; the search continues.' : '.'}
        </p>
      )}
      <div className="actions">
        {log.hasNextPage ? (
          <button type="button" className="btn" disabled={search.isRunning} onClick={search.goOn}>
            {filters.q === undefined ? 'Show older' : 'Search older rows'}
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

type Log = ReturnType<typeof useReadPages<typeof listLogs>>;

/**
 * Reads the next pages of a search until one screenful is found, at most SEARCHED_PAGES at once: a page may be empty.
 * `to` is how far back it has looked, null when there is nothing older.
 */
function useSearch(log: Log, { isSearch, size }: { isSearch: boolean; size: number }) {
  const [wanted, setWanted] = useState({ rows: size, pages: SEARCHED_PAGES });
  const { data, hasNextPage, isFetchingNextPage, isError, fetchNextPage } = log;
  const pages = data?.pages ?? [];
  const rows = pages.reduce((sum, page) => sum + page.rows.length, 0);
  const goesOn = isSearch && hasNextPage && !isError && rows < wanted.rows && pages.length < wanted.pages;
  useEffect(() => {
    if (goesOn && !isFetchingNextPage) void fetchNextPage();
  }, [goesOn, isFetchingNextPage, fetchNextPage]);
  return {
    to: pages.at(-1)?.searchedTo ?? null,
    isRunning: goesOn || isFetchingNextPage,
    goOn(): void {
      setWanted({ rows: rows + size, pages: pages.length + SEARCHED_PAGES });
      if (!isSearch) void fetchNextPage();
    },
  };
}

const OpenFeed = (props: { rows: readonly LogRow[]; named: boolean }): ReactNode => <Feed {...props} open />;
