import { z } from 'zod';
import { ACTION_STATES } from '#core/order/operator-action.ts';
import { accountId, instant, profileId } from './fields.ts';
import { operation } from './operation.ts';

const actionId = z.uuid();

/** Something the worker was asked to do: `reason` says in words why it was refused, `detail` what came of it. */
const action = z.object({
  id: actionId,
  accountId,
  profileId: profileId.nullable(),
  symbol: z.string().nullable(),
  kind: z.string(),
  payload: z.unknown(),
  state: z.enum(ACTION_STATES),
  reason: z.string().nullable(),
  detail: z.unknown(),
  requestedAt: instant,
  expiresAt: instant,
  finishedAt: instant.nullable(),
});

/** What an operation answers with that asks the worker to act: the outcome is read at `readAction`, and told as topic `action`. */
export const actionAccepted = z.object({ actionId });

export const readAction = operation({
  method: 'GET',
  path: '/accounts/:id/actions/:actionId',
  auth: 'session',
  status: 200,
  summary: 'What became of something the worker was asked to do',
  params: z.object({ id: accountId, actionId }),
  response: action,
});
