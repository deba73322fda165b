import type { z } from 'zod';
import type { TokenScope } from '#core/installation/token-scopes.ts';

/** A coin is one that its profile has bound. */
export type Scope = 'account' | 'profile' | 'coin';
/**
 * `account` and `profile`: their rows, against other changes. `account-end`: the row of the account, also against intents and
 * new profiles. `intents`: new intents of the profile.
 */
export type Lock = 'account' | 'account-end' | 'intents' | 'profile';

/** One HTTP operation: schemas for validation, client types and documentation. */
export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path under the API root, parameters as `:name`. */
  readonly path: string;
  readonly auth: 'public' | 'session';
  readonly summary: string;
  /** Changes nothing, although it is not a GET. */
  readonly reads?: true;
  /** Its answer holds the answers of other operations, which check the sender themselves. */
  readonly gathers?: true;
  /** Scope that a token needs, where the rule of `needOf` (scopes.ts) is wrong; `session`: no token may. */
  readonly need?: TokenScope | 'session';
  /** It names no account, but a token that is limited to accounts sees only records of those. */
  readonly filtersAccounts?: true;
  /** Its subject, named by its path or query: an id that the operator does not own answers 404. */
  readonly scope?: Scope;
  /** Action of the audit row that a change writes; a list where the outcome decides. */
  readonly audit?: string | readonly string[];
  /** Taken in this order before a change reads its subject again. Default: the row of the profile. */
  readonly locks?: readonly Lock[];
  readonly status: 200 | 201 | 202 | 204;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly response?: Response;
  /** Media types of a response that is not JSON. */
  readonly media?: readonly string[];
  /** Maximum JSON body in KiB, if 64 are too few. */
  readonly maxBodyKiB?: number;
  /** Media type of a request body that is not JSON. */
  readonly upload?: string;
}

/** Keeps the exact schema types of an operation. */
export const operation = <const Op extends Operation>(op: Op): Op => op;

type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Arguments of a call: only the parts that the operation declares. */
export type Call<Op extends Operation> = (Op extends { params: infer P } ? { params: Input<P> } : unknown) &
  (Op extends { query: infer Q } ? { query?: Input<Q> } : unknown) &
  (Op extends { body: infer B } ? { body: Input<B> } : unknown);

/** A value as JSON text shows it: an instant is text. */
export type Sent<Value> = Value extends Date
  ? string
  : Value extends string
    ? Value
    : Value extends object
      ? { [Key in keyof Value]: Sent<Value[Key]> }
      : Value;

/** An answer as its handler returns it; the codecs of the contract make its wire form. */
export type AnswerValue<Op extends Operation> = Op extends { response: infer R } ? Output<R> : undefined;

/** An answer as a client receives it. */
export type Answer<Op extends Operation> = Sent<AnswerValue<Op>>;
