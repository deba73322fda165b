import { z } from 'zod';
import { ACTION_STATES } from '#core/order/operator-action.ts';
import { accountId, instant, ofAccount, profileId } from './fields.ts';
import { operation } from './operation.ts';

const actionId = z.uuid();

/** An action of the worker: `reason` is a sentence why it was refused, `detail` its outcome. */
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

/** Answer of an operation that requests a worker action. `readAction` returns the outcome, and topic `action` publishes it. */
export const actionAccepted = z.object({ actionId });

export const readAction = operation({
  ...ofAccount,
  method: 'GET',
  path: '/accounts/:id/actions/:actionId',
  status: 200,
  summary: 'State and outcome of a requested worker action',
  params: ofAccount.params.extend({ actionId }),
  response: action,
});
