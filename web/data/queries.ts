import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import type { restoreBackup } from '#api/contract/backup.ts';
import { readJob } from '#api/contract/jobs.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { listCoins, listProfiles, listStrategies, readCoin, readProfile } from '#api/contract/profiles.ts';
import { listLogs, listSymbols, readDashboard, readTickTrace } from '#api/contract/records.ts';
import { currentSession, onboarding, status } from '#api/contract/session.ts';
import { listEquity } from '#api/contract/trades.ts';
import { call } from './call.ts';
import { keys } from './keys.ts';
import { isSignedOut } from './problem-error.ts';

export type Dashboard = Answer<typeof readDashboard>;
export type DashboardAccount = Dashboard['accounts'][number];
export type Coin = Answer<typeof listCoins>['coins'][number];
export type CoinPage = Answer<typeof readCoin>;
export type Order = CoinPage['orders'][number];
export type LogRow = Answer<typeof listLogs>['rows'][number];
export type Profile = Answer<typeof readProfile>;
export type Status = Answer<typeof status>;
export type Session = Answer<typeof currentSession>;
export type Market = Answer<typeof listSymbols>['symbols'][number];

const SLOW_MS = 15_000;

export const statusQuery = queryOptions({
  queryKey: keys.status,
  queryFn: ({ signal }) => call(status, {}, signal),
  refetchInterval: 5_000,
  refetchIntervalInBackground: true,
  retry: false,
});
/** Polled until the job has ended. */
export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['job', jobId],
    queryFn: ({ signal }) => call(readJob, { params: { id: jobId } }, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'done' || state.data?.state === 'failed' ? false : 1_000),
  });
/** The result of a restore that ended every session; set by the restore, never fetched. */
export const restoredQuery = queryOptions({
  queryKey: ['restored'],
  queryFn: (): Answer<typeof restoreBackup> | null => null,
  enabled: false,
});
export const onboardingQuery = queryOptions({
  queryKey: keys.onboarding,
  queryFn: ({ signal }) => call(onboarding, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
  // Without the first answer no page opens.
  refetchInterval: ({ state }) => (state.data === undefined ? 5_000 : false),
});
/** `null` means signed out. */
export const sessionQuery = queryOptions({
  queryKey: keys.session,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await call(currentSession, {}, signal);
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
  staleTime: 60_000,
});
export const killSwitchQuery = queryOptions({
  queryKey: keys.killSwitch,
  queryFn: ({ signal }) => call(readKillSwitch, {}, signal),
  refetchInterval: SLOW_MS,
});
export const dashboardQuery = queryOptions({
  queryKey: keys.dashboard,
  queryFn: ({ signal }) => call(readDashboard, {}, signal),
  refetchInterval: SLOW_MS,
});
export const accountsQuery = queryOptions({
  queryKey: keys.accounts,
  queryFn: ({ signal }) => call(listAccounts, {}, signal),
});
export const orphansKey = (accountId: AccountId) => ['orphans', accountId] as const;
export const profilesQuery = queryOptions({
  queryKey: keys.profiles,
  queryFn: ({ signal }) => call(listProfiles, {}, signal),
});
export const strategiesQuery = queryOptions({
  queryKey: keys.strategies,
  queryFn: ({ signal }) => call(listStrategies, {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});
export const symbolsQuery = (accountId: AccountId) =>
  queryOptions({
    queryKey: keys.symbols(accountId),
    queryFn: ({ signal }) => call(listSymbols, { query: { accountId } }, signal),
    // Trading rules arrive with the first worker run; an empty answer is fetched again soon.
    refetchInterval: (query) => (query.state.data?.symbols.length ? false : 2_000),
  });
export const profileQuery = (id: ProfileId) =>
  queryOptions({ queryKey: keys.profile(id), queryFn: ({ signal }) => call(readProfile, { params: { id } }, signal) });
export const coinsQuery = (id: ProfileId) =>
  queryOptions({ queryKey: keys.coins(id), queryFn: ({ signal }) => call(listCoins, { params: { id } }, signal) });
export const coinQuery = (id: ProfileId, symbol: string) =>
  queryOptions({
    queryKey: keys.coin(id, symbol),
    queryFn: ({ signal }) => call(readCoin, { params: { id, symbol } }, signal),
    refetchInterval: SLOW_MS,
  });
/** Equity points of a profile, from a moment on when it is given. */
export const equityQuery = (id: ProfileId, from?: string) =>
  queryOptions({
    queryKey: ['equity', id, from ?? ''] as const,
    queryFn: ({ signal }) => call(listEquity, { params: { id }, query: from === undefined ? {} : { from } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
/** Filters of a log: absent means all. `level` is a comma list. */
export interface LogFilters {
  readonly symbol?: string;
  readonly level?: string;
  readonly q?: string;
  readonly from?: string;
}

export const logsQuery = (id: ProfileId, filters: LogFilters, limit: number) =>
  infiniteQueryOptions({
    queryKey: keys.logs(id, JSON.stringify(filters)),
    queryFn: ({ signal, pageParam }) => {
      const place = pageParam === '' ? {} : { cursor: pageParam };
      return call(listLogs, { params: { id }, query: { limit, ...filters, ...place } }, signal);
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
    refetchInterval: SLOW_MS,
  });
/** The newest log rows of a coin, for its timeline; fetched less often than the log because of its size. */
export const timelineQuery = (id: ProfileId, symbol: string) =>
  queryOptions({
    queryKey: keys.timeline(id, symbol),
    queryFn: ({ signal }) => call(listLogs, { params: { id }, query: { symbol, limit: 300 } }, signal),
    refetchInterval: SLOW_MS,
  });
export const traceQuery = (id: ProfileId, symbol: string) =>
  queryOptions({
    queryKey: keys.trace(id, symbol),
    queryFn: ({ signal }) => call(readTickTrace, { params: { id }, query: { symbol, limit: 8 } }, signal),
    refetchInterval: 5_000,
  });
