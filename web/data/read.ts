import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  useIsMutating,
  useMutation,
  useQueries,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { isObject } from '#core/merge.ts';
import type { Answer, Call, Operation } from '#api/contract/operation.ts';
import { readCoinDay } from '#api/contract/overview.ts';
import { listStrategies } from '#api/contract/profiles.ts';
import { onboarding } from '#api/contract/session.ts';
import { call } from './call.ts';

/** Answers that change only with a new version or with the first operator. */
const LASTING: readonly Operation[] = [listStrategies, onboarding];
/** Answers about the market alone: no change of the operator affects them. */
const OF_MARKET: readonly Operation[] = [readCoinDay];

/** Where the answers of an operation are in the cache. Without `parts`, or with some of them, it matches several answers. */
export const keyOf = (op: Operation, parts: unknown = {}): QueryKey => [op.method, op.path, parts];

/** The path parameter `id` in a key; empty without one. */
export function idIn([, , parts]: QueryKey): string {
  const params = isObject(parts) ? parts['params'] : undefined;
  return isObject(params) ? String(params['id'] ?? '') : '';
}

/** How to fetch an answer of an operation and where to cache it. */
export const readOf = <Op extends Operation>(op: Op, parts: Call<Op>) => ({
  queryKey: keyOf(op, parts),
  queryFn: ({ signal }: { signal: AbortSignal }) => call(op, parts, signal),
  ...(LASTING.includes(op) ? { staleTime: Number.POSITIVE_INFINITY } : {}),
  ...(OF_MARKET.includes(op) ? { staleTime: 'static' as const } : {}),
});

interface ReadOptions<Data, Shown> {
  /** Polling interval in ms, constant or from the newest answer; none when absent or `false`. */
  readonly every?: number | ((data: Data | undefined) => number | false);
  /** With `false` only a cached answer is used. */
  readonly enabled?: boolean;
  /** Keeps the answer for the previous parts while the one for new parts is fetched. */
  readonly keep?: boolean;
  /** The used part of the answer; the component renders again only when this part changes. */
  readonly select?: (data: Data) => Shown;
}

/** An answer of an operation, fetched again when it is stale. A failed refetch keeps the last answer. */
export function useRead<Op extends Operation, Shown = Answer<Op>>(
  op: Op,
  parts: Call<Op>,
  { every, enabled = true, keep = false, select }: ReadOptions<Answer<Op>, Shown> = {},
) {
  return useQuery<Answer<Op>, Error, Shown>({
    ...readOf(op, parts),
    enabled,
    ...(every === undefined
      ? {}
      : { refetchInterval: typeof every === 'number' ? every : ({ state }) => every(state.data) }),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    ...(select === undefined ? {} : { select }),
  });
}

interface Reads<Data> {
  readonly data: readonly Data[] | undefined;
  readonly error: Error | null;
  /** Of the oldest answer, in ms; 0 without a part. */
  readonly dataUpdatedAt: number;
  readonly refetch: () => Promise<unknown>;
}

/** The answers for several parts as one list; it has data once all of them arrived. */
export const useReads = <Op extends Operation>(
  op: Op,
  all: readonly Call<Op>[],
  every: number | false | ((data: Answer<Op> | undefined) => number | false) = false,
): Reads<Answer<Op>> =>
  useQueries({
    queries: all.map((parts) => ({
      ...readOf(op, parts),
      refetchInterval:
        typeof every === 'function'
          ? ({ state }: { state: { data?: Answer<Op> | undefined } }) => every(state.data)
          : every,
    })),
    combine: joined,
  });

function joined<Data>(results: readonly UseQueryResult<Data>[]): Reads<Data> {
  const data = results.flatMap((result) => (result.data === undefined ? [] : [result.data]));
  return {
    data: data.length === results.length ? data : undefined,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    dataUpdatedAt: results.length === 0 ? 0 : Math.min(...results.map(({ dataUpdatedAt }) => dataUpdatedAt)),
    refetch: () => Promise.all(results.map(({ refetch }) => refetch())),
  };
}

/** Where a page of a list starts; nothing for the first page. */
interface PageStart {
  readonly cursor?: string;
}
const nextOf = (page: unknown): string | null =>
  isObject(page) && typeof page['nextCursor'] === 'string' ? page['nextCursor'] : null;

/** A list that an operation answers page by page. */
export function useReadPages<Op extends Operation>(
  op: Op,
  partsAt: (start: PageStart) => Call<Op>,
  { every, enabled = true }: { readonly every?: number; readonly enabled?: boolean } = {},
) {
  return useInfiniteQuery({
    queryKey: [...keyOf(op, partsAt({})), 'pages'],
    queryFn: ({ signal, pageParam }) => call(op, partsAt(pageParam === '' ? {} : { cursor: pageParam }), signal),
    initialPageParam: '',
    getNextPageParam: nextOf,
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
  });
}

/** Fetches the answers of an operation again, also those that are not shown now. */
export function useRefetch(op: Operation): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: keyOf(op), refetchType: 'all' });
}

interface ActOptions<Done, Sent> {
  readonly onSuccess?: (answer: Done, sent: Sent) => unknown;
}

/** Runs a change that needs more than one operation; like {@link useAct} otherwise. */
export const useRun = <Done, Sent = void>(run: (sent: Sent) => Promise<Done>, options: ActOptions<Done, Sent> = {}) =>
  useMutation<Done, Error, Sent>({ ...options, mutationFn: (sent) => run(sent) });

/** True until every change and the reads after it have ended: a change that sends stored values back has to wait for them. */
export const useIsSaving = (): boolean => useIsMutating() > 0;

/** Runs an operation that changes something. Then every read is stale (query-client.ts), before `onSuccess` runs. */
export const useAct = <Op extends Operation>(op: Op, options: ActOptions<Answer<Op>, Call<Op>> = {}) =>
  useRun((parts: Call<Op>) => call(op, parts), options);
