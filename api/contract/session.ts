import { z } from 'zod';
import { instant, sessionId } from './fields.ts';
import { operation } from './operation.ts';

const user = z.object({ email: z.string(), timezone: z.string() });
const session = z.object({ id: sessionId, expiresAt: instant, user });
export const newPassword = z
  .string()
  .min(12, 'needs at least 12 characters')
  .max(1024, 'is longer than 1024 characters');
const timezone = z.string().max(60);
const processInfo = z.object({ sha: z.string(), bootedAt: instant });

export const status = operation({
  method: 'GET',
  path: '/status',
  auth: 'public',
  status: 200,
  summary: 'Builds and boot times of api and worker, time of the latest migration',
  response: z.object({
    api: processInfo,
    worker: processInfo.nullable(),
    db: z.object({ latestMigrationAppliedAt: instant }),
  }),
});

export const onboarding = operation({
  method: 'GET',
  path: '/onboarding',
  auth: 'public',
  status: 200,
  summary: 'Whether the operator still has to be created',
  response: z.object({ needsOnboarding: z.boolean(), demoMode: z.boolean() }),
});

export const signUp = operation({
  method: 'POST',
  path: '/auth/sign-up',
  auth: 'public',
  status: 201,
  summary: 'Creates the one operator and the account "Paper", and signs in',
  audit: 'operator.create',
  body: z.strictObject({
    email: z.email('is not an e-mail address').max(320),
    password: newPassword,
    timezone: timezone.optional(),
  }),
  response: session,
});

export const signIn = operation({
  method: 'POST',
  path: '/auth/sign-in',
  auth: 'public',
  status: 200,
  summary: 'Starts a session of 24 hours',
  audit: 'session.create',
  body: z.strictObject({ email: z.string().max(320), password: z.string().max(1024) }),
  response: session,
});

export const signOut = operation({
  method: 'POST',
  path: '/auth/sign-out',
  need: 'session',
  auth: 'session',
  status: 204,
  summary: 'Ends this session',
  audit: 'session.end',
});

export const currentSession = operation({
  method: 'GET',
  path: '/auth/session',
  need: 'session',
  auth: 'session',
  status: 200,
  summary: 'The session of this request',
  response: session,
});

const settings = z.object({ timezone: z.string() });

export const readSettings = operation({
  method: 'GET',
  path: '/account/settings',
  auth: 'session',
  status: 200,
  summary: 'Settings of the operator',
  response: settings,
});

export const changeSettings = operation({
  method: 'PATCH',
  path: '/account/settings',
  need: 'session',
  auth: 'session',
  status: 200,
  summary: 'Changes settings of the operator',
  audit: 'settings.change',
  body: z.strictObject({ timezone: timezone.optional() }),
  response: settings,
});
