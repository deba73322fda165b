import type { SessionId } from '#core/ids.ts';
import {
  deleteSession as removeSession,
  deleteSessionsBut,
  listSessions as selectSessions,
} from '#storage/operator/sessions.ts';
import { savePassword } from '#storage/operator/users.ts';
import { announceSessionEnd } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { changePassword, deleteSession, listSessions, revokeOtherSessions } from '#api/contract/sessions.ts';
import { hashPassword, verifyPassword } from '#api/guard/password.ts';
import { clearCookies, type Operator } from '#api/guard/session.ts';
import { requirePasswordAllowance } from '#api/guard/throttle.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';

const WRONG = 'is not the current password';
const ENDED = 'This session has ended: sign in again.';

/** Only the injected operator of a live demo has no session, and there these operations are locked. */
function requireSession({ session }: Operator): SessionId {
  if (session === null) throw new ApiProblem('not_signed_in', 'Sign in first: there is no valid session.');
  return session.id;
}

async function change(context: ApiContext, { operator, commit, body }: Incoming<typeof changePassword>) {
  const own = requireSession(operator);
  await requirePasswordAllowance(context.cache, own);
  const { id: userId, passwordHash } = operator.user;
  if (!(await verifyPassword(body.currentPassword, passwordHash))) throw invalidField('currentPassword', WRONG);
  if (body.newPassword === body.currentPassword) throw invalidField('newPassword', 'is the current password');
  const hash = await hashPassword(body.newPassword);
  const ended = await commit(async ({ transaction }) => {
    // The hash that was verified must still be the stored one: of two concurrent changes the second fails.
    if (!(await savePassword(transaction, userId, { from: passwordHash, to: hash }))) {
      throw invalidField('currentPassword', WRONG);
    }
    const others = await deleteSessionsBut(transaction, userId, own);
    if (others === undefined) throw new ApiProblem('not_signed_in', ENDED);
    return { answer: others, subject: userId, after: { endedSessions: others.length } };
  });
  for (const id of ended) await announceSessionEnd(context, id);
  return undefined;
}

async function revokeOthers(context: ApiContext, { operator, commit }: Incoming<typeof revokeOtherSessions>) {
  const own = requireSession(operator);
  const { id: userId } = operator.user;
  const ended = await commit(async ({ transaction }) => {
    const others = await deleteSessionsBut(transaction, userId, own);
    if (others === undefined) throw new ApiProblem('not_signed_in', ENDED);
    return { answer: others, subject: userId, before: others, after: [] };
  });
  for (const id of ended) await announceSessionEnd(context, id);
  return { ended: ended.length };
}

async function end(context: ApiContext, incoming: Incoming<typeof deleteSession>) {
  const { operator, caller, commit, params, reply } = incoming;
  const own = requireSession(operator);
  const { id } = params;
  await commit(async ({ transaction }) => {
    if (!(await removeSession(transaction, id))) throw new ApiProblem('not_found', `There is no session ${id}.`);
    return { answer: undefined, subject: id };
  });
  await announceSessionEnd(context, id);
  if (id === own) {
    clearCookies(reply, caller);
  }
  return undefined;
}

export function mountSessions({ context, handle }: Routes): void {
  handle(changePassword, (incoming) => change(context, incoming));
  handle(revokeOtherSessions, (incoming) => revokeOthers(context, incoming));
  handle(deleteSession, (incoming) => end(context, incoming));
  handle(listSessions, async ({ operator }) => {
    const own = requireSession(operator);
    const rows = await selectSessions(context.database.kysely, operator.user.id, context.now());
    return { sessions: rows.map((row) => ({ ...row, current: row.id === own })) };
  });
}
