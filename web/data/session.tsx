import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keys } from './keys.ts';
import { dashboardQuery, onboardingQuery, type Session, sessionQuery } from './queries.ts';
import { browserZone } from '#web/words/zones.ts';
import { useBeat } from './live.tsx';

/** The operator's IANA zone; that of the browser until somebody is signed in. */
export const useZone = (): string => useQuery({ ...sessionQuery, enabled: false }).data?.user.timezone ?? browserZone();

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

/** Time of the market when it runs on a clock of its own (a replay), else `null`. */
export function useMarketTime(): number | null {
  const beat = useBeat();
  const { data } = useQuery({ ...dashboardQuery, enabled: false });
  const told = data?.accounts.find((account) => account.marketAt !== null)?.marketAt ?? null;
  const marketMs = beat.marketMs ?? (told === null ? null : Date.parse(told));
  return marketMs === null || Math.abs(marketMs - Date.now()) < CLOCKS_DIFFER_MS ? null : marketMs;
}
