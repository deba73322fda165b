import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { currentSession } from '#api/contract/session.ts';
import { isSignedOut, ProblemError } from './problem-error.ts';
import { keyOf } from './read.ts';

/**
 * One cache for the page. Any 401 clears the session, which shows the sign-in page. After any change every shown answer is
 * fetched again, so that no change has to list what it affects.
 */
export function makeQueryClient(): QueryClient {
  const onError = (error: unknown): void => {
    if (isSignedOut(error)) client.setQueryData(keyOf(currentSession), null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError, onSuccess: () => client.invalidateQueries() }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) =>
          failures < 2 && !(error instanceof ProblemError && error.problem.status >= 400 && error.problem.status < 500),
      },
    },
  });
  return client;
}
