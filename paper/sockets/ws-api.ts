import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Account } from '#paper/exchange/accounts.ts';
import { parseJson, readLiterals } from '#paper/json-literals.ts';
import { orderLimitRows, type Wait, WEIGHT_LIMIT } from '#paper/rest/limits.ts';
import { openParams, type Params } from '#paper/rest/params.ts';
import { type Refusal, RefusedError, refusalBody, refuse } from '#paper/exchange/refusal.ts';
import { isFreeWhenDone, performSigned, type RestContext } from '#paper/rest/rest.ts';
import { type Route, weightOf } from '#paper/rest/routes.ts';
import { textOf } from './stream-socket.ts';
import { encode, type TimeUnit } from '#paper/rest/time-unit.ts';
import type { UserStreams } from '#paper/streams/user-streams.ts';
import { authorize, performSession, type Session } from './ws-session.ts';

const envelope = z.object({ id: z.union([z.int(), z.string().max(64), z.null()]), method: z.string() });
const SESSION_WEIGHT = 2;

interface WsApiInput {
  readonly context: RestContext;
  readonly users: UserStreams;
  readonly sessions: Set<Session>;
}

/** Serves one connection of /ws-api/v3 until it closes. */
export function serveWsApi(
  socket: WebSocket,
  { context, users, sessions }: WsApiInput,
  { ip, query, unit }: { readonly ip: string; readonly query: URLSearchParams; readonly unit: TimeUnit },
): void {
  const session: Session = {
    context,
    users,
    ip,
    connectedMs: Date.now(),
    returnRateLimits: query.get('returnRateLimits') !== 'false',
    unit,
    subscriptions: new Map(),
    lastSubscriptionId: -1,
    loggedOn: undefined,
    send: (frame) => socket.send(frame),
  };
  sessions.add(session);
  context.limits.addWeight(ip, SESSION_WEIGHT, Date.now());
  socket.on('message', (data) => void answer(session, textOf(data)).then((reply) => socket.send(reply)));
  socket.on('close', () => {
    sessions.delete(session);
    for (const subscription of session.subscriptions.values()) users.remove(subscription);
  });
}

/** A call as received. */
interface Call {
  readonly id: string | number | null;
  readonly method: string;
  readonly params: Params;
  readonly route: Route | undefined;
}

type Outcome = { readonly kind: 'done'; readonly result: unknown; readonly account?: Account } | Refusal | Wait;

async function answer(session: Session, text: string): Promise<string> {
  const parsed = envelope.safeParse(parseJson(text));
  const values = readLiterals(text, 'params');
  if (!parsed.success || values === undefined)
    return reply(session, { id: null, isAskingLimits: session.returnRateLimits }, refuse(-1135, 'Invalid JSON'));
  const method = parsed.data.method.replace(/^v3\//, '');
  const params = openParams(values);
  const limits = values.get('returnRateLimits');
  params.read.add('returnRateLimits');
  const call: Call = { id: parsed.data.id, method, params, route: session.context.table.byWsMethod(method) };
  const performed = perform(session, call);
  const outcome = performed instanceof Promise ? await performed : performed;
  logCall(session, call, outcome);
  const isAskingLimits = limits === undefined ? session.returnRateLimits : limits === 'true';
  return reply(session, { id: call.id, isAskingLimits }, outcome);
}

/** The log lists an operation of the WebSocket API by its name. */
function logCall(session: Session, { method, params }: Call, outcome: Outcome): void {
  const status = outcome.kind === 'done' ? 200 : outcome.kind === 'wait' ? outcome.refusal.status : outcome.status;
  const names = [...params.values.keys()];
  session.context.log.add({
    atMs: Date.now(),
    method: 'WS',
    path: method,
    headers: [],
    params: names,
    weight: 0,
    status,
  });
}

function reply(
  session: Session,
  { id, isAskingLimits }: { readonly id: Call['id']; readonly isAskingLimits: boolean },
  outcome: Outcome,
): string {
  const limits = isAskingLimits ? { rateLimits: limitRows(session, outcome) } : {};
  if (outcome.kind === 'done') return encode({ id, status: 200, result: outcome.result, ...limits }, session.unit);
  const refusal = outcome.kind === 'wait' ? outcome.refusal : outcome;
  const data = outcome.kind === 'wait' ? { data: { serverTime: Date.now(), retryAfter: outcome.untilMs } } : {};
  const error = { ...refusalBody(refusal), ...data };
  return JSON.stringify({ id, status: refusal.status, error, ...limits });
}

function limitRows({ context, ip }: Session, outcome: Outcome): Record<string, unknown>[] {
  const nowMs = Date.now();
  const count = context.limits.addWeight(ip, 0, nowMs);
  const weight = { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: WEIGHT_LIMIT, count };
  if (outcome.kind !== 'done' || outcome.account === undefined) return [weight];
  return [...orderLimitRows(context.limits.orderCounts(outcome.account.name, nowMs)), weight];
}

function perform(session: Session, call: Call): Outcome | Promise<Outcome> {
  const { limits } = session.context;
  const nowMs = Date.now();
  const weight = call.route === undefined ? SESSION_WEIGHT : weightOf(call.route, call.params);
  const admission = limits.admit(session.ip, weight, nowMs);
  if (admission.kind === 'wait') return admission;
  try {
    if (call.route === undefined) return { kind: 'done', result: performSession(session, call.method, call.params) };
    const outcome = performRoute(session, call.route, call.params);
    if (outcome instanceof Promise) return outcome.catch(refusalOf);
    if (isFreeWhenDone(call.route)) limits.addWeight(session.ip, -weight, nowMs);
    return outcome;
  } catch (error) {
    return refusalOf(error);
  }
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof RefusedError) return error.refusal;
  throw error;
}

function performRoute(session: Session, route: Route, params: Params): Outcome | Promise<Outcome> {
  if (route.security === 'none') {
    const body = route.handle(params);
    const wrap = (result: unknown): Outcome => ({ kind: 'done', result });
    return body instanceof Promise ? body.then(wrap) : wrap(body);
  }
  const account = authorize(session, params, route.security);
  const own = { ...route, handle: route.wsHandle ?? route.handle };
  const result = performSigned(session.context.limits, own, { params, account }).body;
  return route.placesOrder === true ? { kind: 'done', result, account } : { kind: 'done', result };
}
