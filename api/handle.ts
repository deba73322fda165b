import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import type { ApiContext } from '#api/frame/context.ts';
import { inSpan, type Span } from '#core/ports/tracing.ts';
import type { Operation } from '#api/contract/operation.ts';
import { type Caller, callerOf } from '#api/guard/caller.ts';
import { requireSameSite } from '#api/guard/origin.ts';
import { type Authenticated, type Operator, sessionCookie } from '#api/guard/session.ts';
import { authenticateToken, bearerIn, requireScope } from '#api/guard/token.ts';
import { identifyOperator, type Visitors } from '#api/guard/visitor-limits.ts';
import { type Mask, maskFor } from '#api/guard/visitor-mask.ts';
import { encoderOf } from '#api/frame/encode.ts';
import { jsonResponse } from '#api/frame/json-response.ts';
import { isStorableText, readJsonBody } from '#api/frame/json-body.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import { parseWith, requireValid } from '#api/frame/validate.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import { commitOf } from './commit.ts';
import type { Handler, Incoming, SendAlone } from './incoming.ts';
import { accountReader, readSubject, type Subject } from './subject.ts';

export type { Incoming } from './incoming.ts';

export type ApiEnv = {
  Variables: { requestId: string; origin: string | null; span: Span | undefined };
  /** Passed by calls inside the process only: the operator of a message of the chat. Other such calls pass none at all. */
  Bindings: { chatOperator?: Operator };
};

export interface Routes {
  readonly context: ApiContext;
  handle<const Op extends Operation>(operation: Op, handler: Handler<Op>): void;
}

/** All routes; those of `urgent` use the reserved connections. */
export interface AllRoutes extends Routes {
  readonly urgent: Routes;
}

interface RequestParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly upload: ReadableStream<Uint8Array> | null;
}

interface LooseParts extends RequestParts, Subject {
  readonly operator: Operator | null;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly mask: Mask;
  readonly reply: Headers;
  readonly sendAlone: SendAlone | null;
  readonly span: Span | undefined;
  readonly readAccount: () => Promise<AccountView>;
  readonly commit: unknown;
}

/** The parts were parsed with the schemas that the type is derived from, which TypeScript cannot infer. */
const asIncoming = <Op extends Operation>(parts: LooseParts): Incoming<Op> => parts as unknown as Incoming<Op>;

interface RoutesOptions {
  readonly context: ApiContext;
  /** Context of the session check. */
  readonly guard: ApiContext;
  /** Only in a live demo. */
  readonly visitors: Visitors | undefined;
}

const changes = ({ method, reads }: Operation): boolean => method !== 'GET' && reads !== true;

/** Mounts operations of the contract under `/api`: session check with `guard`, then validation, then the handler. */
export function createRoutes(app: Hono<ApiEnv>, { context, guard, visitors }: RoutesOptions): Routes {
  const { sessions, ...unshared } = guard;
  return {
    context,
    handle(operation, handler) {
      const checks = changes(operation) ? unshared : guard;
      const encode = operation.response === undefined ? undefined : encoderOf(operation.response);
      app.on(operation.method, `/api${operation.path}`, async (c) => {
        const reply = new Headers({ 'cache-control': 'no-store' });
        const caller = callerOf(c.req.raw.headers, { origin: c.get('origin'), listed: context.settings.origins });
        const sent = { cookie: c.req.header('cookie') ?? null, caller };
        const find = () =>
          identify(
            { guard: checks, visitors },
            { ...sent, bearer: bearerIn(c.req.raw.headers), within: c.env?.chatOperator },
          );
        const signedIn = () => inSpan(c.get('span'), 'authenticate', () => requireOperator(c, { find, reply }));
        const operator = operation.auth === 'session' ? await signedIn() : null;
        if (operator !== null) requireScope(operator, operation);
        const limits = visitors?.limits.of(operator, sent.cookie, caller);
        if (operator !== null && changes(operation)) limits?.requireChange(caller);
        const mask = maskFor(operator);
        const sendAlone = operation.gathers === true ? sendAloneOf(app, c) : null;
        const sender = { operator, caller, mask, signal: c.req.raw.signal };
        const parts = { ...(await readParts(c, operation)), ...sender, reply, sendAlone };
        const compute = () =>
          inSpan(c.get('span'), 'answer', (span) => answerOf(context, { ...parts, span }, { operation, handler }));
        // The operations that it gathers take turns of their own.
        const takesTurn = limits !== undefined && operation.gathers !== true;
        const answer = await (takesTurn ? limits.answer(compute) : compute()).finally(
          () => changes(operation) && sessions?.clear(),
        );
        visitors?.limits.remember(reply);
        const sends = { request: c.req.raw, reply, mask };
        return respond(operation, answer instanceof Response ? answer : encode?.(answer), sends);
      });
    },
  };
}

function sendAloneOf(app: Hono<ApiEnv>, { env, req }: Context<ApiEnv>): SendAlone {
  const { headers, signal } = req.raw;
  return async (address, tag) => {
    const own = new Headers(headers);
    // The whole answer is compressed, and has a tag of its own.
    for (const name of ['accept-encoding', 'if-none-match']) own.delete(name);
    if (tag !== undefined) own.set('if-none-match', tag);
    return await app.request(address, { headers: own, signal }, env);
  };
}

/** Reads the subject of a request and runs its handler. */
async function answerOf<Op extends Operation>(
  { database }: ApiContext,
  parts: Omit<LooseParts, keyof Subject | 'readAccount' | 'commit'>,
  { operation, handler }: { readonly operation: Op; readonly handler: Handler<Op> },
): Promise<unknown> {
  const request = { operation, ...parts };
  const subject = await readSubject(database.kysely, request);
  const { commit, state } = commitOf({ database, request, subject });
  const readAccount = accountReader(database.kysely, request, subject);
  const answer = await handler(asIncoming({ ...parts, ...subject, readAccount, commit }));
  if (operation.audit !== undefined && !state.isCommitted)
    throw new Error(`${operation.method} ${operation.path} has answered without its commit.`);
  return answer;
}

/** A token decides alone: with one, the cookie is ignored. */
async function identify(
  { guard, visitors }: Pick<RoutesOptions, 'guard' | 'visitors'>,
  {
    bearer,
    within,
    ...sent
  }: { cookie: string | null; caller: Caller; bearer: string | undefined; within: Operator | undefined },
): Promise<Authenticated | undefined> {
  if (within !== undefined) return { operator: within, prolonged: null };
  if (bearer === undefined) return identifyOperator({ guard, visitors }, sent);
  return { operator: await authenticateToken(guard, bearer, sent.caller), prolonged: null };
}

async function requireOperator(
  c: Context<ApiEnv>,
  { find, reply }: { find: () => Promise<Authenticated | undefined>; reply: Headers },
): Promise<Operator> {
  requireSameSite(c.req.raw.headers);
  const authenticated = await find();
  if (authenticated === undefined) throw new ApiProblem('not_signed_in', 'Sign in first: there is no valid session.');
  const { prolonged, operator } = authenticated;
  if (prolonged !== null) reply.append('set-cookie', sessionCookie(prolonged.name, prolonged.token));
  return operator;
}

async function readParts(c: Context<ApiEnv>, operation: Operation): Promise<RequestParts> {
  return {
    params: operation.params === undefined ? undefined : requireParams(operation.params, c.req.param()),
    query: operation.query === undefined ? undefined : requireValid(operation.query, singleQuery(c.req.queries())),
    upload: operation.upload === undefined ? null : requireUpload(c.req.raw, operation.upload),
    body:
      operation.body === undefined
        ? undefined
        : requireValid(operation.body, await readJsonBody(c.req.raw, operation.maxBodyKiB)),
  };
}

/** An operation whose senders choose the type themselves. */
const ANY_TYPE = '*/*';

function requireUpload(request: Request, type: string): ReadableStream<Uint8Array> {
  const sent = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if ((type === ANY_TYPE || sent === type) && request.body !== null) return request.body;
  if (type === ANY_TYPE) throw new ApiProblem('malformed_json', 'The body is empty.');
  throw new ApiProblem('wrong_media_type', `The body must be a file: send it with content-type ${type}.`);
}

/** Answers 404 for a path parameter that no record can have. */
function requireParams(schema: z.ZodType, raw: unknown): unknown {
  const parsed = parseWith(schema, raw);
  if (parsed.success) return parsed.data;
  throw new ApiProblem('not_found', 'There is nothing at this address.');
}

function singleQuery(queries: Record<string, string[]>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, [value = '', ...more]] of Object.entries(queries)) {
    if (more.length > 0) throw invalidField(name, 'is given more than once');
    if (!isStorableText(value)) throw invalidField(name, 'holds a character that cannot be stored');
    single[name] = value;
  }
  return single;
}

async function respond(
  operation: Operation,
  answer: unknown,
  { request, reply, mask }: { readonly request: Request; readonly reply: Headers; readonly mask: Mask },
): Promise<Response> {
  if (answer instanceof Response) {
    for (const [name, value] of reply)
      if (name !== 'cache-control' || !answer.headers.has(name)) answer.headers.append(name, value);
    return answer;
  }
  if (operation.status === 204) return new Response(null, { status: 204, headers: reply });
  return await jsonResponse(JSON.stringify(answer, mask), { request, status: operation.status, headers: reply });
}
