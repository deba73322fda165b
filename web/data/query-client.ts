import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut, ProblemError } from './problem-error.ts';
import { keys } from './keys.ts';

/** One cache for the page. Any 401 clears the session, which shows the sign-in page. */
export function makeQueryClient(): QueryClient {
  const onError = (error: unknown): void => {
    if (isSignedOut(error)) client.setQueryData(keys.session, null);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
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
