import { useIsFetching } from '@tanstack/react-query';
import { useMatches, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** A page stands still this long after the last first answer; one whose answers take longer can be used meanwhile. */
const [QUIET_MS, LONGEST_MS] = [100, 3_000];

/**
 * Whether what a page asks for first is there. Until then each answer moves what stands below it, and a click would land on
 * something else.
 */
export function useSteady(): boolean {
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname });
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  const asked = useIsFetching({ predicate: ({ state }) => state.status === 'pending' });
  const [steadyAt, setSteadyAt] = useState<string | undefined>(undefined);
  const waits = isLoading || asked > 0;
  useEffect(() => {
    if (steadyAt === path) return undefined;
    const timer = setTimeout(() => setSteadyAt(path), waits ? LONGEST_MS : QUIET_MS);
    return () => clearTimeout(timer);
  }, [path, waits, steadyAt]);
  return steadyAt === path;
}
