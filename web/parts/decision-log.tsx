import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { logsQuery } from '#web/data/queries.ts';
import { Feed } from './feed.tsx';
import { Failure, Skeleton } from './say.tsx';

/** The log of a profile, or of one of its coins, a page at a time; every row opens to its numbers. */
export function DecisionLog({ profileId, symbol }: { profileId: ProfileId; symbol?: string }): ReactNode {
  const log = useInfiniteQuery(logsQuery(profileId, symbol));
  const { data, error } = log;
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <>
      {error === null ? null : <Failure what="The log could not be read." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={6} /> : null}
      {data !== undefined && rows.length === 0 ? (
        <p className="p-2">No decision yet. The first one appears within seconds while the profile is on.</p>
      ) : null}
      <Feed rows={rows} open named={symbol === undefined} />
      {log.hasNextPage ? (
        <div className="actions">
          <button
            type="button"
            className="btn"
            disabled={log.isFetchingNextPage}
            onClick={() => void log.fetchNextPage()}
          >
            Show older
          </button>
        </div>
      ) : null}
    </>
  );
}
