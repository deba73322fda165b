import { isIPv6 } from 'node:net';
import type { Account } from '#paper/exchange/accounts.ts';
import { type Fault, type Faults, UNKNOWN_OUTCOME } from '#paper/faults/faults.ts';
import { type Limits, orderCountHeaders, type Wait } from './limits.ts';
import { openParams, type Params, parseParams, readText } from './params.ts';
import { type Environment, isServed } from './profiles.ts';
import { deny, type Refusal, RefusedError, refusalBody, refuse } from '#paper/exchange/refusal.ts';
import type { RequestLog } from './request-log.ts';
import { type Route, type RouteTable, type SignedRoute, weightOf } from './routes.ts';
import { requireAccount } from './security.ts';
import { signedText } from './signatures.ts';
import { encode, readTimeUnit } from './time-unit.ts';

/** A request as received, with raw query and body. */
interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly rawBody: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly ip: string;
  /** Protocol time at which the request was accepted, if it is executed later; absent: now. */
  readonly acceptedMs?: number;
}

/** The reply to a request. `reset` cuts the connection instead. */
interface RestReply {
  readonly kind: 'reply' | 'reset';
  readonly status: number;
  readonly body: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RestContext {
  readonly accounts: readonly Account[];
  readonly table: RouteTable;
  readonly limits: Limits;
  readonly faults: Faults;
  readonly log: RequestLog;
  readonly environment: Environment;
}

const UNIT_HEADER = 'x-mbx-time-unit';
const JSON_TYPE = 'application/json;charset=UTF-8';
const WALLET = '/sapi/';
const GONE = ['/api/v3/userDataStream', '/api/v1/userDataStream'];

/** Handles one request: faults, limits, route, security, parameters, execution. */
export async function handleRest(context: RestContext, request: RestRequest): Promise<RestReply> {
  const fault = context.faults.take(request);
  if (fault?.kind === 'late') return replyBeforeExecution(context, request, fault);
  const done = fault?.kind === 'delay' && fault.applied ? execute(context, request) : undefined;
  if (fault !== undefined && fault.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
  if (done !== undefined) return done;
  const works = fault === undefined || fault.kind === 'delay' || fault.kind === 'apply-then-fail' || fault.applied;
  const reply = works ? await execute(context, request) : failure(fault);
  if (!works) logRequest(context, request, { weight: 0, status: reply.status });
  return fault === undefined || fault.kind === 'delay' ? reply : failed(fault, reply);
}

const failed = (fault: Fault, reply: RestReply): RestReply => ({
  ...failure(fault),
  headers: { ...reply.headers, ...fault.headers },
});

/** Fault `late`: the client gets an unknown outcome first. The accepted request takes effect after it. */
function replyBeforeExecution(context: RestContext, request: RestRequest, fault: Fault): RestReply {
  const accepted = { ...request, acceptedMs: Date.now() };
  setTimeout(() => void execute(context, accepted), fault.delayMs).unref();
  return failure(fault);
}

function failure(fault: Fault): RestReply {
  const isText = typeof fault.body === 'string';
  const body = isText ? String(fault.body) : JSON.stringify(fault.body ?? UNKNOWN_OUTCOME);
  return {
    ...replyWith(fault.status, body, isText ? 'text/html' : JSON_TYPE),
    headers: fault.headers,
    kind: fault.kind === 'reset' ? 'reset' : 'reply',
  };
}

const replyWith = (status: number, body: string, contentType = JSON_TYPE): RestReply => ({
  kind: 'reply',
  status,
  body,
  contentType,
  headers: {},
});

const refusalReply = (refusal: Refusal): RestReply => replyWith(refusal.status, JSON.stringify(refusalBody(refusal)));

/** Executes a request. The work is done when this returns, except for answers that have to be fetched. */
async function execute(context: RestContext, request: RestRequest): Promise<RestReply> {
  const { reply, weight } = GONE.includes(request.path) ? { reply: gone(), weight: 1 } : applyWeight(context, request);
  const done = reply instanceof Promise ? await reply : reply;
  logRequest(context, request, { weight, status: done.status });
  return done;
}

/** A reply with the weight that was counted for it. */
interface WeightedReply {
  readonly reply: RestReply | Promise<RestReply>;
  readonly weight: number;
}

/** Counts the request's weight and answers it. Gives the weight back if success is free. */
function applyWeight(context: RestContext, request: RestRequest): WeightedReply {
  const nowMs = Date.now();
  const route = routeOf(context, request);
  const parsed = parseSafely(request);
  const params = parsed.kind === 'refused' ? openParams(new Map()) : parsed.params;
  const weight = route === undefined ? 1 : weightOf(route, params);
  if (request.path.startsWith(WALLET)) return applyWalletWeight(context, { request, params, weight, nowMs });
  const admission = context.limits.admit(request.ip, weight, nowMs);
  if (admission.kind === 'wait') return { weight, reply: waitReply(admission, nowMs) };
  const { used } = admission;
  if (route === undefined) return { weight, reply: withHeaders(notFound(request), used) };
  if (parsed.kind === 'refused') return { weight, reply: withHeaders(refusalReply(parsed), used) };
  const reply = runRoute(context, route, { request, params });
  if (reply instanceof Promise) return { weight, reply: reply.then((fetched) => withHeaders(fetched, used)) };
  if (reply.status !== 200 || !isFreeWhenDone(route)) return { weight, reply: withHeaders(reply, used) };
  return { weight: 0, reply: withHeaders(reply, context.limits.addWeight(request.ip, -weight, nowMs)) };
}

const routeOf = ({ table, environment }: RestContext, { method, path }: RestRequest): Route | undefined =>
  isServed(environment, path) ? table.byPath(method, path) : undefined;

const withHeaders = (reply: RestReply, used: number): RestReply => ({
  ...reply,
  headers: { 'X-MBX-USED-WEIGHT': String(used), 'X-MBX-USED-WEIGHT-1M': String(used), ...reply.headers },
});

const gone = (): RestReply => replyWith(410, '<html><body>410 Gone</body></html>', 'text/html');

/** The wallet API has its own count and header. None of its requests is free. */
function applyWalletWeight(
  context: RestContext,
  input: RouteInput & { readonly weight: number; readonly nowMs: number },
): WeightedReply {
  const { request, weight, nowMs } = input;
  const admission = context.limits.admitToWallet(request.ip, weight, nowMs);
  const route = routeOf(context, request);
  const reply =
    admission.kind === 'wait'
      ? waitReply(admission, nowMs)
      : route === undefined
        ? notFound(request)
        : runRoute(context, route, input);
  const headers = { 'X-SAPI-USED-IP-WEIGHT-1M': String(admission.used) };
  return { weight, reply: reply instanceof Promise ? reply : { ...reply, headers } };
}

function waitReply({ refusal, untilMs, used }: Wait, nowMs: number): RestReply {
  const reply = withHeaders(refusalReply(refusal), used);
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000));
  return { ...reply, headers: { ...reply.headers, 'Retry-After': String(seconds) } };
}

export const isFreeWhenDone = (route: Route): boolean => route.security !== 'none' && route.freeWhenDone === true;

function parseSafely(request: RestRequest): { readonly kind: 'parsed'; readonly params: Params } | Refusal {
  try {
    return { kind: 'parsed', params: parseParams(request.rawQuery, request.rawBody) };
  } catch (error) {
    if (error instanceof RefusedError) return error.refusal;
    throw error;
  }
}

interface RouteInput {
  readonly request: RestRequest;
  readonly params: Params;
}

function runRoute(context: RestContext, route: Route, input: RouteInput): RestReply | Promise<RestReply> {
  try {
    const header = input.request.headers[UNIT_HEADER];
    const unit = readTimeUnit(typeof header === 'string' ? header : undefined);
    if (route.security === 'none') {
      const body = route.handle(input.params);
      const wrap = (fetched: unknown): RestReply => replyWith(200, encode(fetched, unit));
      return body instanceof Promise ? body.then(wrap, refusalOf) : wrap(body);
    }
    const account = authorize(context, route, input);
    const { body, headers } = performSigned(context.limits, route, { params: input.params, account });
    return { ...replyWith(200, encode(body, unit)), headers };
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): RestReply {
  if (error instanceof RefusedError) return refusalReply(error.refusal);
  throw error;
}

/** Executes a signed operation for an account whose request has been checked. Applies the order limits. */
export function performSigned(
  limits: Limits,
  route: SignedRoute,
  { params, account }: { readonly params: Params; readonly account: Account },
): { body: unknown; headers: Record<string, string> } {
  const nowMs = Date.now();
  if (route.security === 'trade' && !account.canTrade)
    deny(route.method === 'DELETE' ? -2011 : -2010, 'This account may not place or cancel orders.');
  const reached = route.placesOrder === true ? limits.reachedOrderLimit(account.name, nowMs) : undefined;
  if (reached !== undefined) {
    const refusal = refuse(-1015, `Too many new orders; current limit is ${reached}.`, 429);
    if (route.whenLimited === undefined) throw new RefusedError(refusal);
    route.whenLimited(params, account, refusal);
  }
  const body = handleCounted(limits, route, { params, account });
  let headers = {};
  const count = route.placesOrder === true ? (route.orderCount ?? 1) : 0;
  for (let nth = 0; nth < count; nth++) headers = orderCountHeaders(limits.addOrder(account.name, nowMs));
  return { body, headers };
}

/** A placement that is refused after half of its work counts as an accepted one. */
function handleCounted(
  limits: Limits,
  route: SignedRoute,
  { params, account }: { readonly params: Params; readonly account: Account },
): unknown {
  try {
    return route.handle(params, account);
  } catch (error) {
    const isHalfDone = error instanceof RefusedError && error.refusal.data !== undefined;
    if (isHalfDone && route.placesOrder === true) limits.addOrder(account.name, Date.now());
    throw error;
  }
}

function authorize(context: RestContext, route: SignedRoute, { request, params }: RouteInput): Account {
  const header = request.headers['x-mbx-apikey'];
  const apiKey = typeof header === 'string' ? header : undefined;
  const base = { accounts: context.accounts, apiKey, ip: request.ip, security: route.security };
  readText(params, 'recvWindow');
  const text = signedText(request.rawQuery, request.rawBody);
  return requireAccount({ ...base, params, text, nowMs: request.acceptedMs ?? Date.now() });
}

function notFound(request: RestRequest): RestReply {
  if (String(request.headers.accept ?? '').includes('text/html'))
    return replyWith(404, '<html><body>404 Not Found</body></html>', 'text/html');
  const body = {
    timestamp: Date.now(),
    status: 404,
    error: 'Not Found',
    message: 'No message available',
    path: request.path,
  };
  return replyWith(404, JSON.stringify(body));
}

function logRequest(context: RestContext, request: RestRequest, outcome: { weight: number; status: number }): void {
  const names = `${request.rawQuery}&${request.rawBody}`.split('&').map((pair) => pair.split('=')[0] ?? '');
  context.log.add({
    atMs: Date.now(),
    method: request.method,
    path: request.path,
    headers: Object.keys(request.headers),
    params: names.filter((name) => name !== ''),
    ...outcome,
  });
}

/** Maps 127.0.0.1 and ::1 to one address. */
export const plainAddress = (address: string | undefined): string =>
  address === undefined || (isIPv6(address) && address === '::1') ? '127.0.0.1' : address.replace('::ffff:', '');
