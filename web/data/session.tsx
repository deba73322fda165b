import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { keys } from './keys.ts';
import { type Dashboard, dashboardQuery, onboardingQuery, type Session, sessionQuery } from './queries.ts';
import { browserZone } from './zones.ts';
import { useDecisionRate } from './live.tsx';

/** How times are formatted: in the operator's IANA zone, relative to the present minute of the market. */
interface Times {
  readonly zone: string;
  readonly nowMs: number;
}
const TimesContext = createContext<Times>({ zone: browserZone(), nowMs: 0 });
const MINUTE_MS = 60_000;

/** Provides zone and market time once for all times of a page: hundreds of separate queries would be slow. */
export function Times({ children }: { children: ReactNode }): ReactNode {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const zone = session?.user.timezone ?? browserZone();
  const now = useMarketTime() ?? Date.now();
  const nowMs = now - (now % MINUTE_MS);
  return <TimesContext value={useMemo(() => ({ zone, nowMs }), [zone, nowMs])}>{children}</TimesContext>;
}

export const useTimes = (): Times => useContext(TimesContext);
/** The zone of the browser until the operator signs in. */
export const useZone = (): string => useTimes().zone;

/** The public live demo: locked actions are hidden. */
export const useDemo = (): boolean => useQuery(onboardingQuery).data?.demoMode ?? false;

/** Stores a new session in the cache and drops the data of the previous one. */
export function useEnter(): (session: Session) => void {
  const client = useQueryClient();
  return (session) => {
    client.removeQueries({
      predicate: ({ queryKey }) =>
        queryKey[0] !== 'session' && queryKey[0] !== 'status' && queryKey[0] !== 'onboarding',
    });
    client.setQueryData(keys.session, session);
  };
}

/** Wall time, once a second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const CLOCKS_DIFFER_MS = 60_000;
const SOON_MS = 1_000;

const marketAtOf = ({ accounts }: Dashboard): string | null =>
  accounts.find(({ marketAt }) => marketAt !== null)?.marketAt ?? null;

const runsApart = (marketMs: number): boolean => Math.abs(marketMs - Date.now()) >= CLOCKS_DIFFER_MS;

/** Market time in ms when the market has its own clock (a replay), else `null`. */
export function useMarketTime(): number | null {
  const decisionRate = useDecisionRate();
  const { data: reported = null } = useQuery({ ...dashboardQuery, enabled: false, select: marketAtOf });
  const marketMs = decisionRate.marketMs ?? (reported === null ? null : Date.parse(reported));
  return marketMs === null || !runsApart(marketMs) ? null : marketMs;
}

/** The market clock of an account; `null` while no worker has reported it, `undefined` while loading. */
export function useMarketClock(accountId: AccountId): (() => number) | null | undefined {
  const replayMs = useMarketTime();
  const { data: reported, refetch } = useQuery({
    ...dashboardQuery,
    select: ({ accounts }) => accounts.find(({ id }) => id === accountId)?.marketAt ?? null,
  });
  useEffect(() => {
    if (reported !== null) return;
    // Each price written into the cached answer would reset a refetch interval of the query.
    const timer = setInterval(() => void refetch(), SOON_MS);
    return () => clearInterval(timer);
  }, [reported, refetch]);
  if (reported === null || reported === undefined) return reported;
  const marketMs = Date.parse(reported);
  return () => (runsApart(marketMs) ? (replayMs ?? marketMs) : Date.now());
}
