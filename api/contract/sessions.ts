import { z } from 'zod';
import { instant, sessionId } from './fields.ts';
import { operation } from './operation.ts';
import { newPassword } from './session.ts';

export const changePassword = operation({
  method: 'POST',
  path: '/auth/change-password',
  auth: 'session',
  status: 204,
  summary: 'Changes the password and ends every other session',
  audit: 'password.change',
  body: z.strictObject({ currentPassword: z.string().max(1024, 'is longer than 1024 characters'), newPassword }),
});

export const listSessions = operation({
  method: 'GET',
  path: '/auth/sessions',
  auth: 'session',
  status: 200,
  summary: 'Sessions that are valid now, last used first',
  response: z.object({
    sessions: z.array(
      z.object({
        id: sessionId,
        createdAt: instant,
        lastUsedAt: instant,
        expiresAt: instant,
        ip: z.string(),
        userAgent: z.string(),
        current: z.boolean(),
      }),
    ),
  }),
});

export const deleteSession = operation({
  method: 'DELETE',
  path: '/auth/sessions/:id',
  auth: 'session',
  status: 204,
  summary: 'Ends a session',
  audit: 'session.delete',
  params: z.object({ id: sessionId }),
});

export const revokeOtherSessions = operation({
  method: 'POST',
  path: '/auth/sessions/revoke-others',
  auth: 'session',
  status: 200,
  summary: 'Ends every session but this one',
  audit: 'session.revoke-others',
  response: z.object({ ended: z.number() }),
});
