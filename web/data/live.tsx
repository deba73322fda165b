import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { DecisionRate, type DecisionRateView } from './decision-rate.ts';
import { type Batch, collect, emptyBatch, freshCoin, freshDashboard, venuesOf } from './frames.ts';
import { keys } from './keys.ts';
import { type EventFrame, LiveSocket, type SocketState, socketAddress } from './live-socket.ts';
import { type Coin, type CoinPage, dashboardQuery, statusQuery } from './queries.ts';

const decisionRate = new DecisionRate();
const Connection = createContext<SocketState>('connecting');

const WRITE_EVERY_MS = 250;
const REFETCH_EVERY_MS = 1_000;

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

function connect(client: QueryClient, onState: (state: SocketState) => void): () => void {
  let batch = emptyBatch();
  let open = false;
  const stale = new Map<string, readonly string[]>();
  const socket = new LiveSocket(socketAddress(location), {
    frame: (frame) => {
      const marketMs = collect(batch, frame);
      if (marketMs !== undefined) decisionRate.record(Date.now(), marketMs);
      for (const key of staleKeys(frame)) stale.set(key.join(' '), key);
    },
    resync: () => void client.invalidateQueries(),
    state: (state) => {
      open = state === 'open';
      // A rejected upgrade looks like any other loss; fetching the session distinguishes them.
      if (state === 'lost') void client.invalidateQueries({ queryKey: keys.session });
      onState(state);
    },
  });
  const writer = setInterval(() => {
    if (batch.prices.size + batch.states.size === 0) return;
    const full = batch;
    batch = emptyBatch();
    writeBatch(client, full);
  }, WRITE_EVERY_MS);
  const refetcher = setInterval(() => {
    for (const queryKey of stale.values()) void client.invalidateQueries({ queryKey });
    stale.clear();
    // The marks do not move without a worker or without a connection.
    decisionRate.step(open && client.getQueryData(statusQuery.queryKey)?.worker != null);
  }, REFETCH_EVERY_MS);
  return () => {
    socket.close();
    clearInterval(writer);
    clearInterval(refetcher);
  };
}

/** Keeps the page live while it is mounted. */
export function Live({ children }: { children: ReactNode }): ReactNode {
  const client = useQueryClient();
  const [state, setState] = useState<SocketState>('connecting');
  useEffect(() => connect(client, setState), [client]);
  return <Connection value={state}>{children}</Connection>;
}

export const useConnection = (): SocketState => useContext(Connection);
export const useDecisionRate = (): DecisionRateView => useSyncExternalStore(decisionRate.subscribe, decisionRate.read);
