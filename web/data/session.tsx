import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { keys } from './keys.ts';
import { type Dashboard, dashboardQuery, onboardingQuery, type Session, sessionQuery } from './queries.ts';
import { browserZone } from './zones.ts';
import { useBeat } from './live.tsx';

/** How moments are written: in the operator's IANA zone, as seen from the present minute of the market. */
interface Times {
  readonly zone: string;
  readonly nowMs: number;
}
const TimesContext = createContext<Times>({ zone: browserZone(), nowMs: 0 });
const MINUTE_MS = 60_000;

/** Asks once for all the moments of a page: hundreds that each looked for themselves would cost more than to draw them. */
export function Times({ children }: { children: ReactNode }): ReactNode {
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const zone = session?.user.timezone ?? browserZone();
  const now = useMarketTime() ?? Date.now();
  const nowMs = now - (now % MINUTE_MS);
  return <TimesContext value={useMemo(() => ({ zone, nowMs }), [zone, nowMs])}>{children}</TimesContext>;
}

export const useTimes = (): Times => useContext(TimesContext);
/** That of the browser until somebody is signed in. */
export const useZone = (): string => useTimes().zone;

/** The public live demo: what it locks is not offered. */
export const useDemo = (): boolean => useQuery(onboardingQuery).data?.demoMode ?? false;

/** Puts a fresh session in the cache and drops what an earlier reader saw. */
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

/** Time of the market when it runs on a clock of its own (a replay), else `null`. */
export function useMarketTime(): number | null {
  const beat = useBeat();
  const { data: told = null } = useQuery({ ...dashboardQuery, enabled: false, select: marketAtOf });
  const marketMs = beat.marketMs ?? (told === null ? null : Date.parse(told));
  return marketMs === null || !runsApart(marketMs) ? null : marketMs;
}

/** Tells the time of the market that an account trades on; `null` while no worker has, `undefined` until that is known. */
export function useMarketClock(accountId: AccountId): (() => number) | null | undefined {
  const replayMs = useMarketTime();
  const { data: told, refetch } = useQuery({
    ...dashboardQuery,
    select: ({ accounts }) => accounts.find(({ id }) => id === accountId)?.marketAt ?? null,
  });
  useEffect(() => {
    if (told !== null) return;
    // Each price that is written into the answer would put off an interval of the query.
    const timer = setInterval(() => void refetch(), SOON_MS);
    return () => clearInterval(timer);
  }, [told, refetch]);
  if (told === null || told === undefined) return told;
  const marketMs = Date.parse(told);
  return () => (runsApart(marketMs) ? (replayMs ?? marketMs) : Date.now());
}
