import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

/** Data that several requests give, such as candles. */
export interface Load<Data> {
  /** Where the data are in the cache. */
  readonly key: readonly unknown[];
  readonly load: (signal: AbortSignal) => Promise<Data>;
  /** With `false` only cached data are used. */
  readonly enabled?: boolean;
  /** Polling interval in ms; none when absent. */
  readonly every?: number;
  /** How long the data are used without another request, in ms; for as long as the page is open when absent. */
  readonly freshMs?: number;
}

const optionsOf = <Data>({ key, load, enabled = true, every, freshMs }: Load<Data>) => ({
  queryKey: ['load', ...key],
  queryFn: ({ signal }: { signal: AbortSignal }) => load(signal),
  enabled,
  staleTime: freshMs ?? ('static' as const),
  refetchInterval: every ?? (false as const),
});

export const useLoad = <Data>(load: Load<Data>) => useQuery(optionsOf(load));

export const useLoads = <Data>(loads: readonly Load<Data>[]) => useQueries({ queries: loads.map(optionsOf) });

/** Loads outside of rendering, through the same cache. */
export function useLoader(): <Data>(load: Load<Data>) => Promise<Data> {
  const client = useQueryClient();
  return useCallback((load) => client.fetchQuery(optionsOf(load)), [client]);
}
