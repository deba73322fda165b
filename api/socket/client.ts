import { type RawData, WebSocket } from 'ws';
import type { Topic } from '#core/installation/events.ts';
import type { SessionId } from '#core/ids.ts';
import { clientFrame } from '#api/contract/socket.ts';
import { readCached } from '#api/frame/venues.ts';
import type { Frame, FrameRing } from './ring.ts';

/** Maximum unread bytes of a browser. Above it the socket is closed; the browser can reconnect and replay or refetch. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Maximum frames from a browser; no browser of ours sends as many, and each frame has a cost here. */
const MAX_FRAMES = 100;
const FRAMES_MS = 10_000;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString();
}

/** Owner of a socket: a session, or a visitor of a live demo. */
export interface SocketOwner {
  readonly sessionId: SessionId | null;
  readonly network: string;
}

/** One browser connection: its topics, and whether it still answers. */
export class SocketClient {
  readonly sessionId: SessionId | null;
  readonly network: string;
  readonly #socket: WebSocket;
  readonly #ring: FrameRing;
  #topics: ReadonlySet<Topic> = new Set();
  #answered = true;
  #frames = 0;
  #countedSinceMs = 0;
  #replayed = false;

  constructor(socket: WebSocket, options: SocketOwner & { ring: FrameRing; onClose: () => void }) {
    this.#socket = socket;
    this.#ring = options.ring;
    this.sessionId = options.sessionId;
    this.network = options.network;
    socket.on('message', (data, isBinary) => {
      if (this.#isWithinLimit()) this.#receive(isBinary ? undefined : textOf(data));
    });
    socket.on('ping', () => this.#isWithinLimit());
    socket.on('pong', () => {
      this.#answered = this.#isWithinLimit();
    });
    socket.on('close', options.onClose);
    // The close event that follows every error does the cleanup.
    socket.on('error', () => {});
  }

  /** Sends the frames of subscribed topics as one message: each message has a cost for the browser. */
  deliver(frames: readonly Frame[]): void {
    const texts = frames.filter(({ topic }) => this.#topics.has(topic)).map(({ text }) => text);
    if (texts.length > 0) this.#send(`[${texts.join(',')}]`);
  }

  /** Proves to the browser that the connection is alive while no event occurs: a browser does not see pings. */
  beat(): void {
    this.#send(JSON.stringify([{ heartbeat: true, seq: this.#ring.seq }]));
  }

  /** Sends a ping; terminates a client that did not answer the previous one. */
  ping(): void {
    if (!this.#answered) return this.#socket.terminate();
    this.#answered = false;
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.ping();
  }

  close(reason: string): void {
    this.#socket.close(POLICY_VIOLATION, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** False for a frame of a browser that has sent too many; its socket is closed. */
  #isWithinLimit(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#countedSinceMs > FRAMES_MS) {
      this.#countedSinceMs = nowMs;
      this.#frames = 0;
      this.#replayed = false;
    }
    this.#frames += 1;
    if (this.#frames <= MAX_FRAMES) return true;
    this.close('Too many frames.');
    // A client that keeps sending is no longer read.
    this.#socket.terminate();
    return false;
  }

  #receive(text: string | undefined): void {
    const frame = readCached(clientFrame, text);
    if (frame === undefined) return this.close('A frame is { "subscribe": [topics] } or { "since": seq }.');
    if ('subscribe' in frame) this.#topics = new Set(frame.subscribe);
    else this.#replay(frame.since);
  }

  #replay(seq: number): void {
    // A replay may be thousands of frames: one per connection is enough, unless it is much later.
    const frames = this.#replayed ? undefined : this.#ring.since(seq);
    this.#replayed = true;
    if (frames === undefined) return this.#send(JSON.stringify([{ resync: true, seq: this.#ring.seq }]));
    this.deliver(frames);
  }

  #send(text: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES) {
      this.#socket.close(TRY_AGAIN_LATER, 'Too slow: frames would pile up.');
      return this.#socket.terminate();
    }
    this.#socket.send(text);
  }
}
