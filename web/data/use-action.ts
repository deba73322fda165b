import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AccountId } from '#core/ids.ts';
import { readAction } from '#api/contract/actions.ts';
import { call } from './call.ts';

const ENDED: readonly string[] = ['done', 'refused', 'expired'];

/** Something the worker is asked to do: sent once, then watched until its outcome is known. */
export function useAction<Wish>(accountId: AccountId, ask: (wish: Wish) => Promise<{ actionId: string | null }>) {
  const client = useQueryClient();
  const asked = useMutation({ mutationFn: ask });
  const actionId = asked.data?.actionId ?? undefined;
  const needless = asked.data?.actionId === null;
  const { data: action, error } = useQuery({
    queryKey: ['action', actionId],
    enabled: actionId !== undefined,
    queryFn: ({ signal }) => call(readAction, { params: { id: accountId, actionId: actionId ?? '' } }, signal),
    refetchInterval: ({ state }) => (ENDED.includes(state.data?.state ?? '') ? false : 700),
  });
  const ended = needless || (action !== undefined && ENDED.includes(action.state));
  useEffect(() => {
    if (ended) void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'action' });
  }, [ended, client]);
  return {
    ask: asked.mutate,
    reset: asked.reset,
    error: asked.error ?? error,
    action,
    /** Carried out, or there was nothing left for the worker to do. */
    isDone: needless || action?.state === 'done',
    /** Asked, and the outcome is not known yet. */
    isWaiting: asked.isPending || (actionId !== undefined && !ended),
  };
}
