import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { DecisionRate, type DecisionRateView } from './decision-rate.ts';
import { type Batch, collect, emptyBatch, expectsPrices, freshCoin, freshDashboard, venuesOf } from './frames.ts';
import { type Connection, Freshness, isStale, PRICE_LIMIT_MS, staleAgeMs } from './freshness.ts';
import { keys } from './keys.ts';
import { type EventFrame, LiveSocket, socketAddress } from './live-socket.ts';
import { type Coin, type CoinPage, dashboardQuery, statusQuery } from './queries.ts';

const decisionRate = new DecisionRate();
const freshness = new Freshness(Date.now());
let socket: LiveSocket | undefined;

const WRITE_EVERY_MS = 250;
const STEP_EVERY_MS = 1_000;

/** Writes a batch of prices and decisions into every cached answer that shows them. */
function writeBatch(client: QueryClient, batch: Batch): void {
  const venues = venuesOf(client.getQueryData(dashboardQuery.queryKey));
  client.setQueryData(dashboardQuery.queryKey, (old) => (old === undefined ? old : freshDashboard(old, batch)));
  for (const [key] of client.getQueriesData<{ coins: Coin[] }>({ queryKey: ['coins'] })) {
    const id = String(key[1]);
    client.setQueryData<{ coins: Coin[] }>(key, (old) =>
      old === undefined
        ? old
        : { coins: old.coins.map((coin) => freshCoin(coin, { profileId: id, venue: venues.get(id) }, batch)) },
    );
  }
  for (const [key] of client.getQueriesData<CoinPage>({ queryKey: ['coin'] })) {
    const id = String(key[1]);
    client.setQueryData<CoinPage>(key, (old) => {
      if (old === undefined) return old;
      const coin = freshCoin(old.coin, { profileId: id, venue: venues.get(id) }, batch);
      return coin === old.coin ? old : { ...old, coin };
    });
  }
}

/** Query keys that a frame invalidates; prices and decisions update the cache in place. */
function staleKeys({ topic, id }: EventFrame): readonly (readonly string[])[] {
  if (topic === 'order' || topic === 'position' || topic === 'action') return [keys.dashboard, ['coins'], ['coin']];
  if (topic === 'log') return [keys.dashboard, id === undefined ? ['logs'] : ['logs', id]];
  if (topic === 'profile') return [keys.dashboard, keys.profiles, ['profile'], ['coins'], ['coin']];
  if (topic === 'account') return [keys.dashboard, keys.accounts];
  if (topic === 'halt') return [keys.dashboard, keys.killSwitch, keys.risk, ['coin']];
  if (topic === 'orphan') return [keys.dashboard, ['coins'], ['coin']];
  return topic === 'status' ? [keys.status] : [];
}

/** The status is read more often than the dashboard, whose blockers must follow it. */
function isWorkerChanged(client: QueryClient): boolean {
  const status = client.getQueryData(statusQuery.queryKey);
  const dashboard = client.getQueryData(dashboardQuery.queryKey);
  if (status === undefined || dashboard === undefined) return false;
  const isDown = dashboard.blockers.list.some(({ kind }) => kind === 'worker-down');
  return isDown !== (status.worker === null);
}

function connect(client: QueryClient): () => void {
  let batch = emptyBatch();
  const stale = new Map<string, readonly string[]>();
  const opened = new LiveSocket(socketAddress(location), {
    alive: () => freshness.frame(Date.now()),
    frame: (frame) => {
      const { price, marketMs } = collect(batch, frame);
      if (price !== undefined) freshness.price(price, Date.now());
      if (marketMs !== undefined) decisionRate.record(Date.now(), marketMs);
      for (const key of staleKeys(frame)) stale.set(key.join(' '), key);
    },
    resync: () => void client.invalidateQueries(),
    state: (state, retry) => {
      // A rejected upgrade looks like any other loss; fetching the session distinguishes them.
      if (state === 'lost') void client.invalidateQueries({ queryKey: keys.session });
      freshness.socket(state, retry, Date.now());
    },
  });
  socket = opened;
  const writer = setInterval(() => {
    if (batch.prices.size + batch.states.size === 0) return;
    const full = batch;
    batch = emptyBatch();
    writeBatch(client, full);
  }, WRITE_EVERY_MS);
  const refetcher = setInterval(() => {
    for (const queryKey of stale.values()) void client.invalidateQueries({ queryKey });
    stale.clear();
    const wasLost = freshness.read().stream === 'lost';
    freshness.step(Date.now(), expectsPrices(client.getQueryData(dashboardQuery.queryKey)));
    const isLive = freshness.read().stream === 'live';
    // Answers from before the loss may be old, also those that no missed frame would invalidate.
    if (wasLost && isLive) void client.invalidateQueries();
    if (isWorkerChanged(client)) void client.invalidateQueries({ queryKey: keys.dashboard });
    // The marks do not move without a worker or without a connection.
    decisionRate.step(isLive && client.getQueryData(statusQuery.queryKey)?.worker != null);
  }, STEP_EVERY_MS);
  return () => {
    opened.close();
    clearInterval(writer);
    clearInterval(refetcher);
  };
}

/** Keeps the page live while it is mounted. */
export function Live({ children }: { children: ReactNode }): ReactNode {
  const client = useQueryClient();
  useEffect(() => connect(client), [client]);
  return children;
}

/** The state of the live updates, once a second. */
export const useConnection = (): Connection => useSyncExternalStore(freshness.subscribe, freshness.read);
/** Whether prices and everything computed from them must be shown as old; changes seldom. */
export const useIsStale = (): boolean => useSyncExternalStore(freshness.subscribe, () => isStale(freshness.read()));
/** Age of the shown values in ms while they are stale, else `null`. */
export const useStaleAge = (): number | null =>
  useSyncExternalStore(freshness.subscribe, () => staleAgeMs(freshness.read()));
/** Age of the price of one coin in whole seconds while it is stale, else `null`. `key`: see priceKeyOf. */
export const useStalePrice = (key: string): number | null =>
  useSyncExternalStore(freshness.subscribe, () => {
    const ageMs = freshness.priceAgeMs(key);
    return ageMs === null || ageMs < PRICE_LIMIT_MS ? null : Math.floor(ageMs / 1000);
  });
export const retryNow = (): void => socket?.retryNow();
export const useDecisionRate = (): DecisionRateView => useSyncExternalStore(decisionRate.subscribe, decisionRate.read);
