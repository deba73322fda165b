import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import type { ApiContext } from '#api/frame/context.ts';
import type { Answer, Operation } from '#api/contract/operation.ts';
import { type Caller, callerOf } from '#api/guard/caller.ts';
import { requireSameSite } from '#api/guard/origin.ts';
import { type Authenticated, type Operator, sessionCookie } from '#api/guard/session.ts';
import { identifyOperator, type Visitors } from '#api/guard/visitor-limits.ts';
import { type Mask, maskFor } from '#api/guard/visitor-mask.ts';
import { isStorableText, readJsonBody } from '#api/frame/json-body.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import { parseWith, requireValid } from '#api/frame/validate.ts';

export type ApiEnv = { Variables: { requestId: string; origin: string | null } };

type Part<Op, Name extends 'params' | 'query' | 'body'> = Op extends { readonly [Key in Name]: infer Schema }
  ? Schema extends z.ZodType
    ? z.output<Schema>
    : undefined
  : undefined;

/** A validated request of one operation. */
export interface Incoming<Op extends Operation> {
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
}

/** Returns the value of the contract, or a Response where the bytes matter. */
type Handler<Op extends Operation> = (incoming: Incoming<Op>) => Promise<Answer<Op> | Response>;

export interface Routes {
  readonly context: ApiContext;
  handle<const Op extends Operation>(operation: Op, handler: Handler<Op>): void;
}

/** All routes; those of `urgent` use the reserved connections. */
export interface AllRoutes extends Routes {
  readonly urgent: Routes;
}

interface Parts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly upload: ReadableStream<Uint8Array> | null;
  readonly operator: Operator | null;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly mask: Mask;
  readonly reply: Headers;
}

/** The parts were parsed with the schemas that the type is derived from, which TypeScript cannot infer. */
const asIncoming = <Op extends Operation>(parts: Parts): Incoming<Op> => parts as Incoming<Op>;

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
  return {
    context,
    handle(operation, handler) {
      app.on(operation.method, `/api${operation.path}`, async (c) => {
        const reply = new Headers({ 'cache-control': 'no-store' });
        const caller = callerOf(c.req.raw.headers, { origin: c.get('origin'), listed: context.settings.origins });
        const sent = { cookie: c.req.header('cookie') ?? null, caller };
        const find = () => identifyOperator({ guard, visitors }, sent);
        const operator = operation.auth === 'session' ? await requireOperator(c, { find, reply }) : null;
        const limits = visitors?.limits.of(operator, sent.cookie, caller);
        if (operator !== null && changes(operation)) limits?.requireChange(caller);
        const mask = maskFor(operator);
        const parts = { ...(await readParts(c, operation)), operator, caller, mask, signal: c.req.raw.signal, reply };
        const compute = () => handler(asIncoming(parts));
        const answer = await (limits === undefined ? compute() : limits.answer(compute));
        visitors?.limits.remember(reply);
        return respond(operation, answer, { reply, mask });
      });
    },
  };
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

async function readParts(
  c: Context<ApiEnv>,
  operation: Operation,
): Promise<Pick<Parts, 'params' | 'query' | 'body' | 'upload'>> {
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

function requireUpload(request: Request, type: string): ReadableStream<Uint8Array> {
  if (request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type && request.body !== null)
    return request.body;
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

function respond(
  operation: Operation,
  answer: unknown,
  { reply, mask }: { readonly reply: Headers; readonly mask: Mask },
): Response {
  if (answer instanceof Response) {
    for (const [name, value] of reply)
      if (name !== 'cache-control' || !answer.headers.has(name)) answer.headers.append(name, value);
    return answer;
  }
  if (operation.status === 204) return new Response(null, { status: 204, headers: reply });
  reply.set('content-type', 'application/json');
  return new Response(JSON.stringify(answer, mask), { status: operation.status, headers: reply });
}
