import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { restoreBackup } from '#api/contract/backup.ts';
import type { Answer } from '#api/contract/operation.ts';
import { readDashboard } from '#api/contract/records.ts';
import { currentSession, onboarding, status } from '#api/contract/session.ts';
import type { Dashboard, Session, Status } from './answers.ts';
import { call } from './call.ts';
import { isSignedOut } from './problem-error.ts';
import { keyOf, readOf, useRead } from './read.ts';
import { browserZone } from './zones.ts';
import { useDecisionRate } from './live.tsx';

/** How times are formatted: in the operator's IANA zone, relative to the present minute of the market. */
interface Times {
  readonly zone: string;
  readonly nowMs: number;
  /** Market time of a wall time in ms; the same time unless the market is a replay. */
  readonly toMarket: (wallMs: number) => number;
}
const TimesContext = createContext<Times>({ zone: browserZone(), nowMs: 0, toMarket: (wallMs) => wallMs });
const MINUTE_MS = 60_000;

/** Provides zone and market time once for all times of a page: hundreds of separate queries would be slow. */
export function Times({ children }: { children: ReactNode }): ReactNode {
  const { data: session } = useSession({ enabled: false });
  const zone = session?.user.timezone ?? browserZone();
  const replay = useReplay();
  const now = useMarketTime()?.marketMs ?? Date.now();
  const nowMs = now - (now % MINUTE_MS);
  const speed = replay?.speed ?? 1;
  // The same within seconds in every answer, so that times are not formatted again.
  const shiftMs = replay === null ? 0 : Math.round((replay.marketMs - replay.wallMs * speed) / SOON_MS) * SOON_MS;
  const times = useMemo(
    () => ({ zone, nowMs, toMarket: (wallMs: number) => wallMs * speed + shiftMs }),
    [zone, nowMs, speed, shiftMs],
  );
  return <TimesContext value={times}>{children}</TimesContext>;
}

export const useTimes = (): Times => useContext(TimesContext);
/** The zone of the browser until the operator signs in. */
export const useZone = (): string => useTimes().zone;

/** The public live demo: locked actions are hidden. */
export const useDemo = (): boolean => useRead(onboarding, {}).data?.demoMode ?? false;

const STATUS_EVERY_MS = 5_000;

/** The state of the service, also while the page is in the background. The first failure shows. */
export const useStatus = () =>
  useQuery<Status>({
    queryKey: keyOf(status),
    queryFn: ({ signal }) => call(status, {}, signal),
    refetchInterval: STATUS_EVERY_MS,
    refetchIntervalInBackground: true,
    retry: false,
  });

const sessionRead = {
  queryKey: keyOf(currentSession),
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Session | null> =>
    call(currentSession, {}, signal).catch((error: unknown) => {
      if (isSignedOut(error)) return null;
      throw error;
    }),
  staleTime: 60_000,
};

/** The session; `null` means signed out. With `enabled: false` only the known one. */
export const useSession = ({ enabled }: { enabled: boolean }) => useQuery<Session | null>({ ...sessionRead, enabled });

/** Starts the reads that decide which page opens, unless their answers are known. */
export function prefetchSession(client: QueryClient): void {
  void client.prefetchQuery({ ...readOf(onboarding, {}), staleTime: 'static' });
  void client.prefetchQuery({ ...sessionRead, staleTime: 'static' });
}

/** The result of a restore, which ended every session; it is not fetched. */
export const useRestored = (): Answer<typeof restoreBackup> | undefined =>
  useQuery<Answer<typeof restoreBackup>>({ queryKey: keyOf(restoreBackup), enabled: false }).data;

const OF_NO_SESSION = [status, onboarding, currentSession].map(({ path }) => path);

/** Stores the session, or `null` after signing out, and drops the data of the previous one. */
function enter(client: QueryClient, session: Session | null): void {
  client.removeQueries({ predicate: ({ queryKey }) => !OF_NO_SESSION.some((path) => path === queryKey[1]) });
  client.setQueryData(keyOf(currentSession), session);
}

/** Enters a new session, or leaves it with `null`. */
export function useEnter(): (session: Session | null) => void {
  const client = useQueryClient();
  return (session) => enter(client, session);
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

const SOON_MS = 1_000;

/** The market reads `marketMs` at wall time `wallMs`, both of the service, and runs `speed` times as fast. */
interface Replay {
  readonly speed: number;
  readonly marketMs: number;
  readonly wallMs: number;
}

const replayOf = ({ accounts, blockers }: Dashboard): Replay | null => {
  const account = accounts.find(({ replay }) => replay !== null);
  if (account?.replay == null || account.marketAt === null) return null;
  const { speed } = account.replay;
  return { speed, marketMs: Date.parse(account.marketAt), wallMs: Date.parse(blockers.checkedAt) };
};

/** The replay that the service reports; `null` for every other market. */
function useReplay(): Replay | null {
  const { data = null } = useRead(readDashboard, {}, { enabled: false, select: replayOf });
  return data;
}

/** Market time in ms and its speed while the service reports a replay, else `null`. */
export function useMarketTime(): { readonly marketMs: number; readonly speed: number } | null {
  const { marketMs } = useDecisionRate();
  const replay = useReplay();
  return replay === null ? null : { marketMs: Math.max(marketMs ?? 0, replay.marketMs), speed: replay.speed };
}

/** The market clock of an account; `null` while no worker has reported it, `undefined` while loading. */
export function useMarketClock(accountId: AccountId): (() => number) | null | undefined {
  const replay = useMarketTime();
  const { data: reported, refetch } = useRead(
    readDashboard,
    {},
    { select: ({ accounts }) => accounts.find(({ id }) => id === accountId)?.marketAt ?? null },
  );
  useEffect(() => {
    if (reported !== null) return;
    // Each price written into the cached answer would reset a refetch interval of the query.
    const timer = setInterval(() => void refetch(), SOON_MS);
    return () => clearInterval(timer);
  }, [reported, refetch]);
  if (reported === null || reported === undefined) return reported;
  const marketMs = Date.parse(reported);
  return () => (replay === null ? Date.now() : Math.max(replay.marketMs, marketMs));
}
