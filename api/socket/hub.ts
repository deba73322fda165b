import type { WebSocket } from 'ws';
import { EVENT_CHANNEL, WATCHED_EVERY_MS } from '#core/installation/cache-keys.ts';
import { busMessage } from '#core/installation/events.ts';
import { validSessions } from '#storage/operator/sessions.ts';
import { announce, SESSION_CHANNEL } from '#api/frame/bus.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { readCached } from '#api/frame/venues.ts';
import { SocketClient, type SocketOwner } from './client.ts';
import { FrameRing } from './ring.ts';

const REPLAYABLE = 5_000;
const PING_MS = 20_000;
const HEARTBEAT_MS = 1_000;
const MAX_CLIENTS = 200;
/** Maximum sockets in a live demo, per network and for all visitors, so that the operator can still connect. */
const MAX_OF_VISITOR = 10;
const MAX_OF_VISITORS = 150;

/** All sockets of this process: relays the events of the bus, closes sockets whose session has ended. */
export class SocketHub implements AsyncDisposable {
  readonly #context: ApiContext;
  readonly #ring: FrameRing;
  readonly #clients = new Set<SocketClient>();
  readonly #resources = new AsyncDisposableStack();

  private constructor(context: ApiContext) {
    this.#context = context;
    this.#ring = new FrameRing({ capacity: REPLAYABLE, bootedAt: new Date() });
  }

  static async open(context: ApiContext): Promise<SocketHub> {
    const hub = new SocketHub(context);
    const { cache } = context;
    hub.#resources.use(await cache.subscribe(EVENT_CHANNEL, (message) => hub.#relay(message)));
    hub.#resources.use(await cache.subscribe(SESSION_CHANNEL, (id) => hub.#endSession(id)));
    const pinging = setInterval(() => void hub.#checkClients(), PING_MS);
    hub.#resources.defer(() => clearInterval(pinging));
    const beating = setInterval(() => hub.#beat(), HEARTBEAT_MS);
    hub.#resources.defer(() => clearInterval(beating));
    const watching = setInterval(() => hub.#announceViewers(), WATCHED_EVERY_MS);
    hub.#resources.defer(() => clearInterval(watching));
    return hub;
  }

  /** Whether a session or a visitor's network has reached its maximum of sockets. */
  isFull({ sessionId, network }: SocketOwner): boolean {
    if (this.#clients.size >= MAX_CLIENTS) return true;
    if (sessionId !== null) return false;
    const visitors = [...this.#clients].filter((client) => client.sessionId === null);
    const own = visitors.filter((client) => client.network === network);
    return own.length >= MAX_OF_VISITOR || visitors.length >= MAX_OF_VISITORS;
  }

  add(socket: WebSocket, owner: SocketOwner): void {
    const client: SocketClient = new SocketClient(socket, {
      ring: this.#ring,
      ...owner,
      onClose: () => this.#clients.delete(client),
    });
    this.#clients.add(client);
    client.beat();
    this.#announceViewers();
  }

  /** Workers publish prices only while a browser is connected (worker/viewers.ts): without one the frames are incomplete. */
  #announceViewers(): void {
    if (this.#clients.size === 0) this.#ring.forget();
    else void announce(this.#context, { command: 'watched' });
  }

  #relay(message: string): void {
    const events = readCached(busMessage, message) ?? [];
    const frames = events.map((event) => this.#ring.push(event, this.#context.now()));
    for (const client of this.#clients) client.deliver(frames);
  }

  #beat(): void {
    for (const client of this.#clients) client.beat();
  }

  #endSession(id: string): void {
    this.#context.sessions?.clear();
    for (const client of this.#clients) if (client.sessionId === id) client.close('The session has ended.');
  }

  /** Also finds expired sessions, and sessions whose end was published while this process was disconnected. */
  async #checkClients(): Promise<void> {
    for (const client of this.#clients) client.ping();
    const ids = [...new Set([...this.#clients].flatMap(({ sessionId }) => sessionId ?? []))];
    const { database, now, log } = this.#context;
    try {
      const valid = await validSessions(database.kysely, ids, now());
      for (const id of ids) if (!valid.has(id)) this.#endSession(id);
    } catch (error) {
      log.warn(
        { event: 'socket_sessions_unchecked', err: error },
        'The sessions of open sockets could not be checked.',
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.terminate();
    await this.#resources.disposeAsync();
  }
}
