import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { INTERVAL_MS, type Interval } from '#core/market/candle.ts';
import { chartQuery, type ChartSource, PAGE } from './chart-query.ts';
import { type ChartState, ChartStore } from './chart-store.ts';

interface Candles {
  readonly store: ChartStore;
  readonly state: ChartState;
  /** Why the newest candles, or older ones, could not be loaded. */
  readonly error: unknown;
}

/** The candles of a chart; another `source` object, or another interval, starts again. */
export function useCandles(source: ChartSource, interval: Interval): Candles {
  const client = useQueryClient();
  const store = useMemo(() => {
    const read = (beforeMs: number | undefined) => client.fetchQuery(chartQuery(source, interval, beforeMs));
    return new ChartStore({ read, intervalMs: INTERVAL_MS[interval], limit: PAGE });
  }, [client, source, interval]);
  const newest = useQuery(chartQuery(source, interval));
  const state = useSyncExternalStore(store.subscribe, store.read);
  useEffect(() => {
    if (newest.data !== undefined) store.receive(newest.data);
  }, [store, newest.data]);
  return { store, state, error: newest.error ?? state.error };
}
