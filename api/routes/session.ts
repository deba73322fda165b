import type { z } from 'zod';
import type { SessionId } from '#core/ids.ts';
import { createAccount, saveApiKey } from '#storage/operator/accounts.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import { deleteSession } from '#storage/operator/sessions.ts';
import {
  createOperator,
  holdPassword,
  readOperator,
  readUserByEmail,
  saveTimezone,
  type User,
} from '#storage/operator/users.ts';
import { announce, announceSessionEnd } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { changeSettings, currentSession, readSettings, signIn, signOut, signUp } from '#api/contract/session.ts';
import { hashPassword, verifyPassword } from '#api/guard/password.ts';
import { clearCookies, openSession, type Operator, SESSION_MS, sessionCookie } from '#api/guard/session.ts';
import { requireSignInAllowance } from '#api/guard/throttle.ts';
import type { AllRoutes, Incoming } from '#api/handle.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import { isTimezone } from '#api/frame/timezone.ts';

/** Session id of the injected operator of a live demo. */
const NO_SESSION: SessionId = '00000000-0000-0000-0000-000000000000' as SessionId;
const CLOSED = 'The operator already exists: sign in instead.';

function sessionView({ user, session }: Operator, now: Date): z.output<typeof signIn.response> {
  const expiresAt = session?.expiresAt ?? new Date(now.getTime() + SESSION_MS);
  return {
    id: session?.id ?? NO_SESSION,
    expiresAt,
    user: { email: user.email, timezone: user.timezone },
  };
}

function requireTimezone(name: string): string {
  if (isTimezone(name)) return name;
  throw invalidField('timezone', `is "${name}", which is not an IANA time zone such as Europe/Berlin or UTC`);
}

/** Creates an account on the paper exchange, with its key if one was prepared, so that a fresh install can trade at once. */
async function createPaperAccount(transaction: Transaction, context: ApiContext, user: User): Promise<void> {
  const accountId = await createAccount(transaction, {
    userId: user.id,
    name: 'Paper',
    exchangeMode: 'testnet',
    endpoint: 'paper',
  });
  const { paperKey } = context.settings;
  if (accountId === undefined || paperKey === null) return;
  await saveApiKey(transaction, {
    accountId,
    label: 'Paper',
    ...paperKey,
    status: 'healthy',
    checkedAt: context.now(),
  });
}

async function signUpOperator(context: ApiContext, { commit, body, caller, reply }: Incoming<typeof signUp>) {
  const { database, cache, log } = context;
  if ((await readOperator(database.kysely)) !== undefined) throw new ApiProblem('onboarding_closed', CLOSED);
  const timezone = requireTimezone(body.timezone ?? 'UTC');
  const passwordHash = await hashPassword(body.password);
  const opened = await commit(async ({ transaction }) => {
    const user = await createOperator(transaction, { email: body.email, passwordHash, timezone });
    if (user === undefined) throw new ApiProblem('onboarding_closed', CLOSED);
    await createPaperAccount(transaction, context, user);
    const answer = await openSession(transaction, { user, caller, at: context.now() });
    return { answer, subject: user.id, userId: user.id };
  });
  await announce({ cache, log }, { command: 'accounts-changed' });
  reply.append('set-cookie', sessionCookie(caller.cookieNames[0], opened.token));
  return sessionView(opened.operator, context.now());
}

async function signInOperator(context: ApiContext, { commit, body, caller, reply }: Incoming<typeof signIn>) {
  const { database, cache } = context;
  await requireSignInAllowance(cache, caller.ip);
  const user = await readUserByEmail(database.kysely, body.email);
  const refused = new ApiProblem('wrong_credentials', 'The e-mail address or the password is wrong.');
  if (!(await verifyPassword(body.password, user?.passwordHash)) || user === undefined) throw refused;
  const opened = await commit(async ({ transaction }) => {
    // Refused when the password was changed during the check.
    if (!(await holdPassword(transaction, user))) throw refused;
    const answer = await openSession(transaction, { user, caller, at: context.now() });
    return { answer, subject: user.id, userId: user.id };
  });
  reply.append('set-cookie', sessionCookie(caller.cookieNames[0], opened.token));
  return sessionView(opened.operator, context.now());
}

export function mountSession({ urgent: { context, handle } }: AllRoutes): void {
  handle(signUp, (incoming) => signUpOperator(context, incoming));
  handle(signIn, (incoming) => signInOperator(context, incoming));

  handle(signOut, async ({ operator, commit, caller, reply }) => {
    // The request that ends a session does not prolong it.
    clearCookies(reply, caller);
    const id = operator.session?.id;
    await commit(async ({ transaction }) => {
      const isDeleted = id !== undefined && (await deleteSession(transaction, id));
      return isDeleted ? { answer: undefined, subject: id } : { answer: undefined, unchanged: true };
    });
    if (id !== undefined) await announceSessionEnd(context, id);
    return undefined;
  });

  handle(currentSession, async ({ operator }) => sessionView(operator, context.now()));
  handle(readSettings, async ({ operator }) => ({ timezone: operator.user.timezone }));

  handle(changeSettings, ({ operator: { user }, commit, body }) =>
    commit(async ({ transaction }) => {
      const before = { timezone: user.timezone };
      if (body.timezone === undefined) return { answer: before, unchanged: true };
      const after = { timezone: requireTimezone(body.timezone) };
      await saveTimezone(transaction, user.id, after.timezone);
      return { answer: after, subject: user.id, before, after };
    }),
  );
}
