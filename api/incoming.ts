import type { z } from 'zod';
import type { AccountView } from '#storage/operator/accounts.ts';
import type { BoundSymbol } from '#storage/operator/profile-symbols.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import type { AnswerValue, Operation } from '#api/contract/operation.ts';
import type { Caller } from '#api/guard/caller.ts';
import type { Operator } from '#api/guard/session.ts';
import type { Mask } from '#api/guard/visitor-mask.ts';
import type { Commit, LockedSubject } from './commit.ts';

type Part<Op, Name extends 'params' | 'query' | 'body'> = Op extends { readonly [Key in Name]: infer Schema }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : undefined
  : undefined;

/** The subject of a request, as its operation declares it. */
type SubjectOf<Op> = Op extends { readonly scope: 'account' }
  ? { readonly account: AccountView }
  : Op extends { readonly scope: 'profile' }
    ? OfProfile
    : Op extends { readonly scope: 'coin' }
      ? OfProfile & { readonly bound: BoundSymbol }
      : unknown;

interface OfProfile {
  readonly profile: ProfileView;
  readonly readAccount: () => Promise<AccountView>;
}

type ActionOf<Op> = Op extends { readonly audit: readonly (infer Action extends string)[] } ? Action : never;
/** Runs the change of an operation that declares its audit action. */
type CommitOf<Op> = Op extends { readonly audit: string | readonly string[] }
  ? { readonly commit: Commit<LockedSubject<Op>, ActionOf<Op>> }
  : unknown;

/** A validated request of one operation, with its subject. */
export type Incoming<Op extends Operation> = Parts<Op> & SubjectOf<Op> & CommitOf<Op>;

interface Parts<Op extends Operation> {
  readonly params: Part<Op, 'params'>;
  readonly query: Part<Op, 'query'>;
  readonly body: Part<Op, 'body'>;
  /** The bytes of an uploaded body; null for every other operation. */
  readonly upload: Op extends { readonly upload: string } ? ReadableStream<Uint8Array> : null;
  readonly operator: Op extends { readonly auth: 'session' } ? Operator : null;
  readonly caller: Caller;
  /** Aborts when the client closes the connection before it has its answer. */
  readonly signal: AbortSignal;
  /** Applied to every JSON answer; a handler that writes a file applies it itself. */
  readonly mask: Mask;
  /** Headers of the response, for cookies. */
  readonly reply: Headers;
  /** Sends a GET with the headers of this request through all checks, as if the client had sent it alone. */
  readonly sendAlone: Op extends { readonly gathers: true } ? SendAlone : null;
}

/** `tag`: the entity tag of the known answer. */
export type SendAlone = (address: string, tag: string | undefined) => Promise<Response>;

/** Returns the value of the contract, or a Response where the bytes matter. */
export type Handler<Op extends Operation> = (incoming: Incoming<Op>) => Promise<AnswerValue<Op> | Response>;
