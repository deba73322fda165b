import { useIsFetching } from '@tanstack/react-query';
import { useMatches, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** A page is steady this long after its first answers; a page with slow answers can be used after the maximum. */
const [QUIET_MS, LONGEST_MS] = [100, 3_000];

/**
 * Whether the first answers of a page have arrived. Until then each answer moves the content below it, and a click could hit
 * another element.
 */
export function useSteady(): boolean {
  const path = useMatches({ select: (matches) => matches.at(-1)?.pathname });
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  const pending = useIsFetching({ predicate: ({ state }) => state.status === 'pending' });
  const [steadyAt, setSteadyAt] = useState<string | undefined>(undefined);
  const waits = isLoading || pending > 0;
  useEffect(() => {
    if (steadyAt === path) return undefined;
    const timer = setTimeout(() => setSteadyAt(path), waits ? LONGEST_MS : QUIET_MS);
    return () => clearTimeout(timer);
  }, [path, waits, steadyAt]);
  return steadyAt === path;
}
