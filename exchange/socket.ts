import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';

interface SocketHandlers {
  /** The connection is open; nothing is subscribed yet. */
  open(): void;
  message(text: string): void;
  /** The connection is lost or could not be opened; the next attempt follows automatically. */
  closed(cause: string): void;
  /** The connection will end soon: open its successor now. Without this handler it is replaced at once. */
  expiring?(cause: string): void;
}

export interface SocketTiming {
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  readonly handshakeMs: number;
  /** Time between pings; a ping without any data or pong before the next one ends the connection. */
  readonly pingMs: number;
  /** A connection without data for this long is replaced, unless it is `quiet`. */
  readonly silenceMs: number;
  /** The exchange closes a connection after 24 h. */
  readonly lifetimeMs: number;
  /** How long an old connection stays open next to its complete successor. */
  readonly overlapMs: number;
}

export const SOCKET_TIMING: SocketTiming = {
  firstDelayMs: 100,
  longestDelayMs: 15_000,
  handshakeMs: 10_000,
  pingMs: 15_000,
  silenceMs: 120_000,
  lifetimeMs: 23 * 3_600_000,
  overlapMs: 2_000,
};

const MAX_FRAME_BYTES = 16 * 1024 * 1024;
const STABLE_MS = 10_000;
const CLOSE_WAIT_MS = 1_000;

/**
 * A WebSocket that reconnects. It uses jittered exponential delays, pings, a silence timeout and a planned change
 * before the exchange's 24 h limit. The delay resets only after a connection has lasted 10 s, to spare a flapping
 * server.
 */
export class LiveSocket implements AsyncDisposable {
  readonly #url: string;
  readonly #handlers: SocketHandlers;
  readonly #timing: SocketTiming;
  #socket: WebSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #attempt = 0;
  #openedMs = 0;
  /** Drawn when the connection opens, so that connections of one start do not end together. */
  #lifetimeMs = 0;
  #expiring = false;
  #dataMs = 0;
  #awaitingPong = false;
  #heldBackMs = 0;
  #ended = false;
  /** True while nothing is subscribed: then silence is normal. */
  quiet = false;

  constructor(url: string, handlers: SocketHandlers, timing: SocketTiming = SOCKET_TIMING) {
    this.#url = url;
    this.#handlers = handlers;
    this.#timing = timing;
    this.#connect();
  }

  /** False when there is no connection to send on. */
  send(text: string): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  /** Drops the connection and opens a new one, not before `delayMs` from now. */
  restart(cause: string, delayMs = 0): void {
    this.#heldBackMs = Math.max(this.#heldBackMs, delayMs);
    this.#drop(cause);
  }

  /** The connection works but must be replaced: reported once, so that the owner can replace it without a gap. */
  expire(cause: string): void {
    if (this.#handlers.expiring === undefined) this.restart(cause);
    else if (!this.#expiring) {
      this.#expiring = true;
      this.#handlers.expiring(cause);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#retry);
    clearInterval(this.#heartbeat);
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const force = setTimeout(() => socket.terminate(), CLOSE_WAIT_MS);
    socket.close(1000);
    await closed;
    clearTimeout(force);
  }

  #connect(): void {
    const socket = new WebSocket(this.#url, {
      perMessageDeflate: false,
      handshakeTimeout: this.#timing.handshakeMs,
      maxPayload: MAX_FRAME_BYTES,
    });
    this.#socket = socket;
    let cause: string | undefined;
    socket.on('open', () => this.#opened(socket));
    socket.on('message', (data, binary) => {
      if (socket !== this.#socket) return;
      this.#dataMs = performance.now();
      this.#awaitingPong = false;
      if (!binary && Buffer.isBuffer(data)) this.#handlers.message(data.toString());
    });
    socket.on('pong', () => {
      this.#awaitingPong = false;
    });
    socket.on('error', (error) => {
      cause ??= `The connection failed (${error.message}).`;
    });
    socket.on('unexpected-response', (_request, response) => {
      cause = `The exchange refused the connection with status ${response.statusCode}.`;
      this.#heldBackMs = refusalMs(response);
      socket.terminate();
    });
    socket.on('close', () => {
      if (socket === this.#socket) this.#drop(cause ?? 'The exchange closed the connection.');
    });
  }

  #opened(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#openedMs = performance.now();
    this.#lifetimeMs = this.#timing.lifetimeMs * (1 + Math.random() / 50);
    this.#expiring = false;
    this.#dataMs = this.#openedMs;
    this.#awaitingPong = false;
    this.#heartbeat = setInterval(() => this.#sendHeartbeat(socket), this.#timing.pingMs);
    this.#handlers.open();
  }

  #sendHeartbeat(socket: WebSocket): void {
    const now = performance.now();
    if (this.#awaitingPong) return this.#drop('The exchange did not answer a ping.');
    if (now - this.#openedMs > this.#lifetimeMs) this.expire('The connection is renewed before its end.');
    if (socket !== this.#socket) return;
    if (!this.quiet && now - this.#dataMs > this.#timing.silenceMs) return this.#drop('The stream fell silent.');
    this.#awaitingPong = true;
    socket.ping();
  }

  #drop(cause: string): void {
    const socket = this.#socket;
    if (socket === undefined || this.#ended) return;
    this.#socket = undefined;
    clearInterval(this.#heartbeat);
    const lived = this.#openedMs > 0 && performance.now() - this.#openedMs >= STABLE_MS;
    this.#openedMs = 0;
    this.#attempt = lived ? 0 : this.#attempt + 1;
    socket.terminate();
    this.#retry = setTimeout(() => this.#connect(), Math.max(this.#delayMs(), this.#heldBackMs));
    this.#heldBackMs = 0;
    this.#handlers.closed(cause);
  }

  /** A random delay between half of the full delay and the full delay. */
  #delayMs(): number {
    const fullMs = Math.min(
      this.#timing.longestDelayMs,
      this.#timing.firstDelayMs * 2 ** Math.max(0, this.#attempt - 1),
    );
    return fullMs * (0.5 + Math.random() / 2);
  }
}

const REFUSED_MS = 30_000;

/** 429 and 418 carry their delay in seconds; other refusals use the usual delay. */
function refusalMs(response: IncomingMessage): number {
  if (response.statusCode !== 429 && response.statusCode !== 418) return 0;
  const seconds = Number(response.headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : REFUSED_MS;
}
