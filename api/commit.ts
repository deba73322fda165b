import type { UserId } from '#core/ids.ts';
import { inSpan, type Span } from '#core/ports/tracing.ts';
import type { AuditActor } from '#core/installation/audit-actor.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { takeUpdate } from '#storage/operator/chat.ts';
import { writeAuditLog } from '#storage/operator/audit-logs.ts';
import type { BoundSymbol } from '#storage/operator/profile-symbols.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import type { Database, Transaction } from '#storage/postgres/database.ts';
import type { Caller } from '#api/guard/caller.ts';
import { type ChatGrant, isVisitor, type Operator } from '#api/guard/session.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { lockSubject, type Subject, type SubjectRequest, subjectText } from './subject.ts';

/** Inside the transaction of a change. */
interface Locked {
  readonly transaction: Transaction;
}

/** With the subject of the operation, read again after its locks. */
export type LockedSubject<Op> = Locked &
  (Op extends { readonly scope: 'account' }
    ? { readonly account: AccountView }
    : Op extends { readonly scope: 'profile' }
      ? { readonly profile: ProfileView }
      : Op extends { readonly scope: 'coin' }
        ? { readonly profile: ProfileView; readonly bound: BoundSymbol }
        : unknown);

/** A change with the values of its audit row. */
interface Audited<Answer> {
  readonly answer: Answer;
  readonly before?: unknown;
  readonly after?: unknown;
  /** Default: the subject of the operation. */
  readonly subject?: string;
  /** Default: the operator of the request. */
  readonly userId?: UserId | null;
}

/** Nothing was changed, so there is nothing to audit. */
interface Unchanged<Answer> {
  readonly answer: Answer;
  readonly unchanged: true;
}

type Changed<Answer, Action> =
  | Unchanged<Answer>
  | (Audited<Answer> & ([Action] extends [never] ? unknown : { readonly action: Action }));

/**
 * Runs a change and writes its audit row, both in one transaction. `Action` names the possible actions where the operation
 * declares several. Returns the answer of `work`.
 */
export type Commit<In extends Locked, Action extends string = never> = <Answer>(
  work: (locked: In) => Promise<Changed<Answer, Action>>,
) => Promise<Answer>;

interface Committing {
  readonly database: Database;
  readonly request: SubjectRequest & { readonly caller: Caller; readonly span: Span | undefined };
  readonly subject: Subject;
}

type LooseCommit = (work: (locked: Locked & Subject) => Promise<LooseChange>) => unknown;
type LooseChange = Audited<unknown> & Partial<Unchanged<unknown>> & { readonly action?: string };

/** The commit of one request, and whether it was called. */
export function commitOf({ database, request, subject }: Committing) {
  const state = { isCommitted: false };
  const commit: LooseCommit = async (work) => {
    const answer = await inSpan(request.span, 'commit', (span) =>
      database.transaction(async (transaction) => {
        await requireFirstTime(transaction, request.operator?.chat);
        const locked = await inSpan(span, 'lock', () => lockSubject(transaction, request, subject));
        const change = await inSpan(span, 'change rows', () => work({ transaction, ...locked }));
        const audited = { ...change, on: { ...subject, ...locked } };
        if (change.unchanged !== true)
          await inSpan(span, 'write audit row', () => writeAudit(transaction, request, audited));
        return change.answer;
      }),
    );
    state.isCommitted = true;
    return answer;
  };
  return { commit, state };
}

/** The change of a message of the chat is committed once, however often the message is received. */
async function requireFirstTime(transaction: Transaction, chat: ChatGrant | undefined): Promise<void> {
  if (chat === undefined || (await takeUpdate(transaction, chat.update))) return;
  throw new ApiProblem('conflict', 'The message was already carried out, or the chat is switched off.');
}

const actorOf = (operator: Operator | null): AuditActor | null => {
  if (operator?.chat !== undefined) return { kind: 'telegram', ...operator.chat.sender };
  return operator?.token == null ? null : { kind: 'token', id: operator.token.id, name: operator.token.name };
};

async function writeAudit(
  transaction: Transaction,
  request: Committing['request'],
  { on, before, after, ...change }: LooseChange & { readonly on: Subject },
): Promise<void> {
  const { operation, operator, caller } = request;
  const action = change.action ?? operation.audit;
  if (typeof action !== 'string') throw new Error(`${operation.method} ${operation.path} names no action to audit.`);
  const { ip, userAgent } = caller;
  await writeAuditLog(transaction, {
    userId: change.userId === undefined ? (operator?.user.id ?? null) : change.userId,
    ...{ action, subject: change.subject ?? subjectText(request, on, action), before, after, ip, userAgent },
    // Any visitor of a live demo may make such changes.
    brief: operator !== null && isVisitor(operator),
    actor: actorOf(operator),
  });
}
