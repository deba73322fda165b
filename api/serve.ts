import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { ChatPoller } from '#api/chat/poller.ts';
import { createApp } from './app.ts';
import type { ServerContext } from '#api/frame/context.ts';
import { VisitorLimits } from '#api/guard/visitor-limits.ts';
import { SessionCache } from '#api/frame/session-cache.ts';
import { SocketHub } from '#api/socket/hub.ts';
import { createUpgrade } from '#api/socket/upgrade.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Keep-alive timeout. It is longer than that of proxies (60 s): a proxy may send a request just when the server closes the
 * connection, and that request would get no answer.
 */
const KEEP_ALIVE_MS = 75_000;

/** Requests in progress get this long for their answer when the api stops: a proxy cannot send a change a second time. */
const DRAIN_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** Turns of the event loop below this are short; an api that has none stops after the maximum all the same. */
const SHORT_MS = 0.3;
const MOST_TURNS = 200;

/**
 * Waits for a short turn of the event loop, in which all connections were accepted a moment ago. Closing the port resets the
 * connections that wait to be accepted, and their requests; what takes long in a turn comes after its look at the port.
 */
async function shortTurn(): Promise<void> {
  // Ends the turn in which the request to stop came: it may have looked at the port before.
  await nextTurn();
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const startMs = performance.now();
    await nextTurn();
    if (performance.now() - startMs < SHORT_MS) return;
  }
}

/** Makes an answer the last one of its connection: a proxy would send its next request on a connection that closes. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** HTTP and WebSocket on one port. */
class ApiServer implements AsyncDisposable {
  readonly port: number;
  readonly #server: Listening;
  readonly #hub: SocketHub;
  readonly #chat: AsyncDisposable | undefined;
  readonly #answers = new Set<ServerResponse>();
  #stopping = false;

  constructor(server: Listening, options: { port: number; hub: SocketHub; chat: AsyncDisposable | undefined }) {
    this.#server = server;
    this.#hub = options.hub;
    this.#chat = options.chat;
    this.port = options.port;
    server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
      if (this.#stopping) return closeAfter(response);
      this.#answers.add(response);
      response.once('close', () => this.#answers.delete(response));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chat?.[Symbol.asyncDispose]();
    await shortTurn();
    const server = this.#server;
    this.#stopping = true;
    for (const response of this.#answers) closeAfter(response);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await this.#hub[Symbol.asyncDispose]();
    if (!('closeAllConnections' in server)) return closed;
    const idle = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
    const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
  }
}

type Listening = ReturnType<typeof createAdaptorServer>;

/** Starts to listen; rejects when the port is in use. Port 0 chooses a free port. */
export async function serveApi(context: ServerContext, { host, port }: Address): Promise<ApiServer> {
  const limits = context.settings.liveDemo ? new VisitorLimits() : undefined;
  const sessions = new SessionCache();
  const app = await createApp({ ...context, sessions }, limits);
  const hub = await SocketHub.open({ ...context, sessions });
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: { keepAliveTimeout: KEEP_ALIVE_MS } });
  const upgrade = createUpgrade(
    { ...context, database: context.reserved },
    { hub, visitors: limits && { limits, guard: context } },
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => upgrade(request, socket, head));
  try {
    const bound = await listen(server, { host, port });
    const chat = context.settings.liveDemo ? undefined : await ChatPoller.open(context, app);
    return new ApiServer(server, { port: bound, hub, chat });
  } catch (error) {
    await hub[Symbol.asyncDispose]();
    throw error;
  }
}

function listen(server: Listening, { host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address.port);
      else reject(new Error('The server listens, but on no port.'));
    });
  });
}
