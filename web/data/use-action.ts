import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AccountId } from '#core/ids.ts';
import { readAction } from '#api/contract/actions.ts';
import { useRead } from './read.ts';

const ENDED: readonly string[] = ['done', 'refused', 'expired'];

/** A request to the worker: sent once, then polled until its outcome is known. */
export function useAction<Request>(
  accountId: AccountId,
  send: (request: Request) => Promise<{ actionId: string | null }>,
) {
  const client = useQueryClient();
  const sent = useMutation({ mutationFn: send });
  const actionId = sent.data?.actionId ?? undefined;
  const needless = sent.data?.actionId === null;
  const { data: action, error } = useRead(
    readAction,
    { params: { id: accountId, actionId: actionId ?? '' } },
    { enabled: actionId !== undefined, every: (data) => (ENDED.includes(data?.state ?? '') ? false : 700) },
  );
  const ended = needless || (action !== undefined && ENDED.includes(action.state));
  useEffect(() => {
    if (ended) void client.invalidateQueries();
  }, [ended, client]);
  return {
    send: sent.mutate,
    reset: sent.reset,
    error: sent.error ?? error,
    action,
    /** Executed, or nothing was left to do. */
    isDone: needless || action?.state === 'done',
    /** Sent, and the outcome is not known yet. */
    isWaiting: sent.isPending || (actionId !== undefined && !ended),
  };
}
