import { type Frame, type MarketFrame, readFrame } from '#exchange/parse/frames.ts';
import { LiveSocket, type SocketTiming } from './socket.ts';
import type { ConnectionState } from './connection-handover.ts';

interface ConnectionHandlers extends ConnectionState {
  frame(frame: MarketFrame): void;
}

export interface ConnectionOptions {
  readonly streamUrl: string;
  readonly timing?: SocketTiming | undefined;
}

/** The exchange accepts 5 messages a second, including pings and pongs: this gap leaves room for both. */
const CONTROL_GAP_MS = 400;
const STREAMS_PER_MESSAGE = 200;
const REPLY_WAIT_MS = 10_000;

const missing = (all: ReadonlySet<string>, from: ReadonlySet<string>): string[] =>
  [...all].filter((stream) => !from.has(stream));

/** One connection for market streams; it keeps its subscriptions equal to the wanted set. */
export class StreamConnection implements AsyncDisposable {
  readonly #socket: LiveSocket;
  readonly #handlers: ConnectionHandlers;
  readonly #pending = new Map<number, NodeJS.Timeout>();
  #wanted: ReadonlySet<string>;
  #sent = new Set<string>();
  #gap: NodeJS.Timeout | undefined;
  #open = false;
  #nextId = 1;

  constructor(options: ConnectionOptions, wanted: ReadonlySet<string>, handlers: ConnectionHandlers) {
    this.#wanted = wanted;
    this.#handlers = handlers;
    this.#socket = new LiveSocket(
      `${options.streamUrl}/stream`,
      {
        open: () => this.#opened(),
        message: (text) => this.#received(text),
        closed: (cause) => this.#closed(cause),
        expiring: () => handlers.expiring(),
      },
      options.timing,
    );
    this.#socket.quiet = wanted.size === 0;
  }

  want(streams: ReadonlySet<string>): void {
    this.#wanted = streams;
    this.#socket.quiet = streams.size === 0;
    this.#advance();
  }

  restart(cause: string): void {
    this.#socket.restart(cause);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#forget();
    await this.#socket[Symbol.asyncDispose]();
  }

  #opened(): void {
    this.#open = true;
    this.#advance();
  }

  #closed(cause: string): void {
    this.#forget();
    this.#handlers.down(cause);
  }

  #forget(): void {
    this.#open = false;
    this.#sent = new Set();
    clearTimeout(this.#gap);
    this.#gap = undefined;
    for (const timer of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }

  /** Sends the next control message if one is due; reports `up` when none is left. */
  #advance(): void {
    if (!this.#open || this.#gap !== undefined) return;
    const added = missing(this.#wanted, this.#sent).slice(0, STREAMS_PER_MESSAGE);
    const removed = missing(this.#sent, this.#wanted).slice(0, STREAMS_PER_MESSAGE);
    if (added.length > 0) this.#control('SUBSCRIBE', added);
    else if (removed.length > 0) this.#control('UNSUBSCRIBE', removed);
    else this.#announceWhenComplete();
  }

  #announceWhenComplete(): void {
    if (this.#pending.size === 0 && missing(this.#wanted, this.#sent).length === 0) this.#handlers.up();
  }

  #control(method: 'SUBSCRIBE' | 'UNSUBSCRIBE', params: readonly string[]): void {
    const id = this.#nextId++;
    this.#socket.send(JSON.stringify({ method, params, id }));
    for (const stream of params) {
      if (method === 'SUBSCRIBE') this.#sent.add(stream);
      else this.#sent.delete(stream);
    }
    const unanswered = setTimeout(() => this.#socket.restart(`The exchange did not answer ${method}.`), REPLY_WAIT_MS);
    this.#pending.set(id, unanswered);
    this.#gap = setTimeout(() => {
      this.#gap = undefined;
      this.#advance();
    }, CONTROL_GAP_MS);
  }

  #received(text: string): void {
    const frame = readText(text);
    switch (frame.kind) {
      case 'event':
        return this.#handlers.frame(frame);
      case 'reply':
        return this.#answered(frame.id, frame.error);
      case 'shutdown':
        return this.#socket.expire('The exchange announced that it closes the connection.');
      case 'other':
        return undefined;
    }
  }

  #answered(id: number, error: string | null): void {
    clearTimeout(this.#pending.get(id));
    this.#pending.delete(id);
    if (error !== null) this.#socket.restart(`The exchange refused a subscription: ${error}.`);
    else this.#announceWhenComplete();
  }
}

/** Updates of an open candle are half of all frames. No decision uses them, so they are not parsed. */
const OPEN_CANDLE = '"x":false';

function readText(text: string): Frame {
  if (text.includes(OPEN_CANDLE)) return { kind: 'other' };
  try {
    return readFrame(JSON.parse(text));
  } catch {
    return { kind: 'other' };
  }
}
