import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { MarketStreams } from '#paper/streams/market-streams.ts';
import { RefusedError } from '#paper/exchange/refusal.ts';
import { plainAddress, type RestContext } from '#paper/rest/rest.ts';
import { namesInUrl } from '#paper/streams/stream-name.ts';
import { serveStreams } from './stream-socket.ts';
import { readTimeUnit, type TimeUnit } from '#paper/rest/time-unit.ts';
import type { UserStreams } from '#paper/streams/user-streams.ts';
import type { Venue } from '#paper/exchange/venue.ts';
import { serveWsApi } from './ws-api.ts';
import type { Session } from './ws-session.ts';

const PING_MS = 20_000;
const PONG_LIMIT_MS = 60_000;
const LIFE_MS = 86_400_000;
/** How often connections are checked. */
const WATCH_MS = 1000;

interface SocketsInput {
  readonly context: RestContext;
  readonly streams: MarketStreams;
  readonly users: UserStreams;
  readonly venue: Venue;
  readonly log: (line: string) => void;
}

interface Connection {
  readonly socket: WebSocket;
  readonly ip: string;
  readonly kind: 'api' | 'streams';
  readonly sinceMs: number;
  pingMs: number;
  pongMs: number;
  sendShutdown(): void;
}

/** Every WebSocket connection of the exchange. */
export interface Sockets extends AsyncDisposable {
  readonly sessions: ReadonlySet<Session>;
  /** The number of connections of a kind. */
  count(kind: Connection['kind']): number;
  /** Cuts connections, all or those of one address or kind. Returns their number. */
  drop(which?: { readonly ip?: string | undefined; readonly kind?: Connection['kind'] }): number;
  /** Notifies every connection that the exchange shuts down, so that clients reconnect. */
  announceShutdown(): number;
  /** Ends connections as if they had lasted for a day. */
  expire(): number;
  /** Stops all pings and pongs, and no longer requires pongs of clients. */
  silencePings(silent: boolean): void;
}

export function openSockets(server: Server, parts: SocketsInput): Sockets {
  const socketServer = new WebSocketServer({ noServer: true, autoPong: false });
  const connections = new Set<Connection>();
  const sessions = new Set<Session>();
  let isSilent = false;
  const accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const ip = plainAddress(request.socket.remoteAddress);
    const { limits } = parts.context;
    // A ban applies to requests; market streams continue.
    const isBanned = isApiPath(request.url ?? '/') && limits.isBanned(ip, Date.now());
    if (isBanned || !limits.connect(ip, Date.now())) {
      socket.end('HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\n\r\n');
      return;
    }
    socketServer.handleUpgrade(request, socket, head, (client) => {
      const connection = serve(client, request, { ...parts, ip, sessions, wire: socket });
      if (connection === undefined) return;
      connections.add(connection);
      client.on('ping', (data) => isSilent || client.pong(data));
      client.on('pong', () => {
        connection.pongMs = Date.now();
      });
      client.on('close', () => connections.delete(connection));
    });
  };
  server.on('upgrade', accept);
  const timer = setInterval(() => {
    for (const connection of connections) watch(connection, Date.now(), isSilent);
  }, WATCH_MS);
  const drop: Sockets['drop'] = (which = {}) => {
    const dropped = [...connections].filter(
      (connection) =>
        (which.ip ?? connection.ip) === connection.ip && (which.kind ?? connection.kind) === connection.kind,
    );
    for (const { socket } of dropped) socket.terminate();
    return dropped.length;
  };
  return {
    sessions,
    count: (kind) => [...connections].filter((connection) => connection.kind === kind).length,
    drop,
    announceShutdown: () => {
      for (const connection of connections) connection.sendShutdown();
      return connections.size;
    },
    expire: () => {
      const count = connections.size;
      for (const { socket } of connections) socket.close(1008, 'The connection has lasted for 24 hours.');
      return count;
    },
    silencePings: (silent) => {
      isSilent = silent;
    },
    [Symbol.asyncDispose]: () => {
      clearInterval(timer);
      for (const client of socketServer.clients) client.terminate();
      return Promise.resolve();
    },
  };
}

function serve(
  socket: WebSocket,
  request: IncomingMessage,
  parts: SocketsInput & { readonly ip: string; readonly sessions: Set<Session>; readonly wire: Duplex },
): Connection | undefined {
  socket.on('error', (error) => parts.log(`A WebSocket connection failed: ${error.message}`));
  const url = new URL(request.url ?? '/', 'ws://local');
  const nowMs = Date.now();
  const base = { socket, ip: parts.ip, sinceMs: nowMs, pingMs: nowMs, pongMs: nowMs };
  const shutdown = (): { e: string; E: number } => ({ e: 'serverShutdown', E: Date.now() });
  const unit = unitOf(url.searchParams);
  if (unit === undefined) {
    socket.close(1008, 'Invalid value for time unit');
    return undefined;
  }
  if (isApiPath(url.pathname)) {
    serveWsApi(socket, parts, { ip: parts.ip, query: url.searchParams, unit });
    return { ...base, kind: 'api', sendShutdown: () => socket.send(JSON.stringify({ event: shutdown() })) };
  }
  if (/^\/(ws|stream)(\/|$)/.test(url.pathname)) {
    const client = serveStreams(socket, parts, { ...namesInUrl(url.pathname, url.searchParams), unit });
    const sendShutdown = () =>
      socket.send(JSON.stringify(client.combined ? { stream: '!serverShutdown', data: shutdown() } : shutdown()));
    return { ...base, kind: 'streams', sendShutdown };
  }
  socket.close(1008, 'unknown path');
  return undefined;
}

const isApiPath = (path: string): boolean => path.startsWith('/ws-api/v3');

function unitOf(query: URLSearchParams): TimeUnit | undefined {
  try {
    return readTimeUnit(query.get('timeUnit') ?? undefined);
  } catch (error) {
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}

/** Sends due pings. Ends connections that do not answer or are a day old. */
function watch(connection: Connection, nowMs: number, isSilent: boolean): void {
  if (connection.socket.readyState !== WebSocket.OPEN) return;
  if (nowMs - connection.sinceMs >= LIFE_MS) connection.socket.close(1008, 'The connection has lasted for 24 hours.');
  else if (isSilent) connection.pongMs = nowMs;
  else if (connection.pingMs - connection.pongMs >= PONG_LIMIT_MS) connection.socket.terminate();
  else if (nowMs - connection.pingMs >= PING_MS) {
    connection.pingMs = nowMs;
    connection.socket.ping(String(nowMs));
  }
}
