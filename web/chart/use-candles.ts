import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { type Interval, INTERVAL_MS } from '#core/market/candle.ts';
import { useLoad, useLoader } from '#web/data/load.ts';
import { chartPage, type ChartSource, PAGE } from './chart-page.ts';
import { type ChartState, ChartStore } from './chart-store.ts';

interface Candles {
  readonly store: ChartStore;
  readonly state: ChartState;
  /** Why the newest candles, or older ones, could not be loaded. */
  readonly error: unknown;
}

/** The candles of a chart; another `source` object, or another interval, starts again. */
export function useCandles(source: ChartSource, interval: Interval): Candles {
  const load = useLoader();
  const store = useMemo(() => {
    const read = (beforeMs: number | undefined) => load(chartPage(source, interval, beforeMs));
    return new ChartStore({ read, intervalMs: INTERVAL_MS[interval], limit: PAGE });
  }, [load, source, interval]);
  const newest = useLoad(chartPage(source, interval));
  const state = useSyncExternalStore(store.subscribe, store.read);
  useEffect(() => {
    if (newest.data !== undefined) store.receive(newest.data);
  }, [store, newest.data]);
  return { store, state, error: newest.error ?? state.error };
}
