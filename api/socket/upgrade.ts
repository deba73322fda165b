import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { ApiContext } from '#api/frame/context.ts';
import { PROBLEM_STATUS } from '#api/contract/problem.ts';
import { callerOf } from '#api/guard/caller.ts';
import { networkOf } from '#api/guard/client-ip.ts';
import { identifyOperator, type Visitors } from '#api/guard/visitor-limits.ts';
import { ApiProblem, problemBody } from '#api/frame/problem.ts';
import { toProblem } from '#api/frame/to-problem.ts';
import type { SocketHub } from './hub.ts';

const PATH = '/api/ws';
const MAX_BYTES = 16 * 1024;

/** Answers an upgrade with problem details and ends the connection. */
function refuse(socket: Duplex, problem: ApiProblem): void {
  const status = PROBLEM_STATUS[problem.code];
  const body = JSON.stringify(problemBody(problem));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(problem.headers).flatMap(([name, value]) => (name === 'connection' ? [] : [`${name}: ${value}`])),
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function requireSocketOrigin(request: IncomingMessage, origins: readonly string[]): void {
  const { origin } = request.headers;
  if (origin === undefined)
    throw new ApiProblem('origin_rejected', 'A WebSocket needs an Origin listed in WEB_ORIGIN.');
  if (origins.includes(origin)) return;
  throw new ApiProblem('origin_rejected', `The origin ${origin.slice(0, 200)} is not listed in WEB_ORIGIN.`);
}

const headersOf = ({ headers }: IncomingMessage): Headers =>
  new Headers(Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])));

interface UpgradeOptions {
  readonly hub: SocketHub;
  /** Only in a live demo. */
  readonly visitors: Visitors | undefined;
}

async function requireSession(context: ApiContext, { hub, visitors }: UpgradeOptions, request: IncomingMessage) {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  if (path !== PATH) throw new ApiProblem('not_found', `There is no WebSocket at ${path}.`);
  requireSocketOrigin(request, context.settings.origins);
  const { origin = null, cookie = null } = request.headers;
  const caller = callerOf(headersOf(request), { origin, listed: context.settings.origins });
  visitors?.limits.requireRequest(cookie, caller);
  const authenticated = await identifyOperator({ guard: context, visitors }, { cookie, caller });
  if (authenticated === undefined) throw new ApiProblem('not_signed_in', 'Sign in first: there is no valid session.');
  const owner = { sessionId: authenticated.operator.session?.id ?? null, network: networkOf(caller.ip) };
  if (hub.isFull(owner)) throw new ApiProblem('unavailable', 'Too many sockets are open: close some and try again.');
  return owner;
}

/** Handles `upgrade` events of the server: path, origin, session, in this order, then the WebSocket handshake. */
export function createUpgrade(context: ApiContext, options: UpgradeOptions) {
  const { hub } = options;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BYTES, perMessageDeflate: false });
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const abandon = () => socket.destroy();
    socket.on('error', abandon);
    requireSession(context, options, request).then(
      (owner) => {
        socket.off('error', abandon);
        sockets.handleUpgrade(request, socket, head, (opened) =>
          // Other sockets may have opened during this check.
          hub.isFull(owner) ? opened.close(1013, 'Too many sockets are open.') : hub.add(opened, owner),
        );
      },
      (error: unknown) => {
        const problem = toProblem(error, 'The request failed unexpectedly.');
        if (problem.code === 'internal')
          context.log.error({ event: 'socket_failed', err: error }, 'A WebSocket could not be opened.');
        refuse(socket, problem);
      },
    );
  };
}
