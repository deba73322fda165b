import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import { listPerformanceTrades, type PERIODS, readPerformance } from '#api/contract/performance.ts';
import { call } from '#web/data/call.ts';

export type Performance = Answer<typeof readPerformance>;

/** A period of an account; days such as `2026-11-25` in the operator's time zone. */
export interface PeriodChoice {
  readonly period: (typeof PERIODS)[number];
  readonly from?: string;
  readonly to?: string;
  readonly profileId?: ProfileId;
}

export const performanceQuery = (id: AccountId, choice: PeriodChoice) =>
  queryOptions({
    queryKey: ['performance', id, choice],
    queryFn: ({ signal }) => call(readPerformance, { params: { id }, query: choice }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

/** Trades that were closed on one day. */
export const dayTradesQuery = (id: AccountId, day: string, profileId: ProfileId | undefined) =>
  infiniteQueryOptions({
    queryKey: ['performance-trades', id, day, profileId],
    queryFn: ({ signal, pageParam }) => {
      const query = { period: 'custom' as const, from: day, to: day, limit: 50 };
      const filter = profileId === undefined ? {} : { profileId };
      const place = pageParam === '' ? {} : { cursor: pageParam };
      return call(listPerformanceTrades, { params: { id }, query: { ...query, ...filter, ...place } }, signal);
    },
    initialPageParam: '',
    getNextPageParam: (page) => page.nextCursor,
  });
