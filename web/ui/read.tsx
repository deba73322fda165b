import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { When } from './when.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';

interface ReadProps<Data> {
  of: Pick<UseQueryResult<Data>, 'data' | 'error' | 'dataUpdatedAt'> & { readonly refetch: () => unknown };
  /** The subject, such as `the accounts`. */
  what: string;
  /** Title of the page until the answer arrives. */
  title?: string;
  /** Rows of the placeholder, and their height in px. */
  rows?: number;
  height?: number;
  children: (data: Data) => ReactNode;
}

/** An answer: a placeholder of its height until it arrives, a failure with a retry, then its data, also while a retry fails. */
export function Read<Data>({ of, what, title, rows = 3, height, children }: ReadProps<Data>): ReactNode {
  const { data, error, dataUpdatedAt, refetch } = of;
  return (
    <>
      {data === undefined && title !== undefined ? (
        <div className="head">
          <h1 className="verdict">{title}</h1>
        </div>
      ) : null}
      <Failure what={`Could not load ${what}.`} error={error} retry={refetch}>
        {data === undefined ? null : (
          <>
            Last loaded <When at={new Date(dataUpdatedAt).toISOString()} />.
          </>
        )}
      </Failure>
      {data !== undefined ? children(data) : null}
      {data === undefined && error === null ? (
        <Skeleton rows={rows} what={what} {...(height === undefined ? {} : { height })} />
      ) : null}
    </>
  );
}

/** The button for the next page of a list, the newest first; nothing on the last page. */
export function Older({
  of,
}: {
  of: { readonly hasNextPage: boolean; readonly fetchNextPage: () => unknown };
}): ReactNode {
  if (!of.hasNextPage) return null;
  return (
    <div className="actions">
      <button type="button" className="btn" onClick={() => void of.fetchNextPage()}>
        Show older
      </button>
    </div>
  );
}
