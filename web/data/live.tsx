import { hashKey, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { listAccounts } from '#api/contract/accounts.ts';
import { listDryRuns, readDryRun } from '#api/contract/dry-runs.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { readOrderTerms } from '#api/contract/manual.ts';
import type { Operation } from '#api/contract/operation.ts';
import { listCoins, listProfiles, readCoin, readProfile } from '#api/contract/profiles.ts';
import { listPriceAlerts } from '#api/contract/price-alerts.ts';
import { listProposals } from '#api/contract/proposals.ts';
import { listLogs, readDashboard } from '#api/contract/records.ts';
import { readAccountRisk, readProfileRisk } from '#api/contract/risk.ts';
import { currentSession, status } from '#api/contract/session.ts';
import type { Coin, CoinPage, Dashboard, Status } from './answers.ts';
import { DecisionRate, type DecisionRateView } from './decision-rate.ts';
import { type Batch, collect, emptyBatch, expectsPrices, freshCoin, freshDashboard, venuesOf } from './frames.ts';
import { type Connection, Freshness, isStale, PRICE_LIMIT_MS, staleAgeMs } from './freshness.ts';
import { type EventFrame, LiveSocket, socketAddress } from './live-socket.ts';
import { idIn, keyOf } from './read.ts';

const decisionRate = new DecisionRate();
const freshness = new Freshness(Date.now());
let socket: LiveSocket | undefined;

const WRITE_EVERY_MS = 250;
const STEP_EVERY_MS = 1_000;

/** Writes a batch of prices and decisions into every cached answer that shows them. */
function writeBatch(client: QueryClient, batch: Batch): void {
  const dashboard = keyOf(readDashboard);
  const venues = venuesOf(client.getQueryData<Dashboard>(dashboard));
  client.setQueryData<Dashboard>(dashboard, (old) => (old === undefined ? old : freshDashboard(old, batch)));
  for (const [key] of client.getQueriesData<{ coins: Coin[] }>({ queryKey: keyOf(listCoins) })) {
    const id = idIn(key);
    client.setQueryData<{ coins: Coin[] }>(key, (old) =>
      old === undefined
        ? old
        : { coins: old.coins.map((coin) => freshCoin(coin, { profileId: id, venue: venues.get(id) }, batch)) },
    );
  }
  for (const [key] of client.getQueriesData<CoinPage>({ queryKey: keyOf(readCoin) })) {
    const id = idIn(key);
    client.setQueryData<CoinPage>(key, (old) => {
      if (old === undefined) return old;
      const coin = freshCoin(old.coin, { profileId: id, venue: venues.get(id) }, batch);
      return coin === old.coin ? old : { ...old, coin };
    });
  }
}

const OF_COINS: readonly Operation[] = [readDashboard, listCoins, readCoin];
/** Operations whose answers an event changes; prices and decisions update the cache in place. */
const CHANGED_BY: Partial<Record<EventFrame['topic'], readonly Operation[]>> = {
  order: OF_COINS,
  position: OF_COINS,
  action: [...OF_COINS, listProposals],
  orphan: OF_COINS,
  log: [readDashboard, listLogs],
  profile: [...OF_COINS, listProfiles, readProfile],
  account: [readDashboard, listAccounts, readOrderTerms, listPriceAlerts],
  halt: [readDashboard, readCoin, readKillSwitch, readProfileRisk, readAccountRisk],
  status: [status],
  'dry-run': [listDryRuns, readDryRun],
};

/** Keys that a frame invalidates. */
const staleKeys = ({ topic, id }: EventFrame): readonly QueryKey[] =>
  (CHANGED_BY[topic] ?? []).map((op) => keyOf(op, op === listLogs && id !== undefined ? { params: { id } } : {}));

/** The status is read more often than the dashboard, whose blockers must follow it. */
function isWorkerChanged(client: QueryClient): boolean {
  const service = client.getQueryData<Status>(keyOf(status));
  const dashboard = client.getQueryData<Dashboard>(keyOf(readDashboard));
  if (service === undefined || dashboard === undefined) return false;
  const isDown = dashboard.blockers.list.some(({ kind }) => kind === 'worker-down');
  return isDown !== (service.worker === null);
}

function connect(client: QueryClient): () => void {
  let batch = emptyBatch();
  const stale = new Map<string, QueryKey>();
  const opened = new LiveSocket(socketAddress(location), {
    alive: () => freshness.frame(Date.now()),
    frame: (frame) => {
      const { price, marketMs } = collect(batch, frame);
      if (price !== undefined) freshness.price(price, Date.now());
      if (marketMs !== undefined) decisionRate.record(Date.now(), marketMs);
      for (const key of staleKeys(frame)) stale.set(hashKey(key), key);
    },
    resync: () => void client.invalidateQueries(),
    state: (state, retry) => {
      // A rejected upgrade looks like any other loss; fetching the session distinguishes them.
      if (state === 'lost') void client.invalidateQueries({ queryKey: keyOf(currentSession) });
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
    freshness.step(Date.now(), expectsPrices(client.getQueryData<Dashboard>(keyOf(readDashboard))));
    const isLive = freshness.read().stream === 'live';
    // Answers from before the loss may be old, also those that no missed frame would invalidate.
    if (wasLost && isLive) void client.invalidateQueries();
    if (isWorkerChanged(client)) void client.invalidateQueries({ queryKey: keyOf(readDashboard) });
    // The marks do not move without a worker or without a connection.
    decisionRate.step(isLive && client.getQueryData<Status>(keyOf(status))?.worker != null);
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
