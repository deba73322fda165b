import type { MarketEvent } from '#core/ports/exchange.ts';
import type { MarketFrame } from '#exchange/parse/frames.ts';
import { SOCKET_TIMING } from './socket.ts';
import { type ConnectionOptions, StreamConnection } from './stream-connection.ts';
import { ConnectionHandover } from './connection-handover.ts';

interface ShardHandlers {
  event(event: MarketEvent): void;
  up(): void;
  down(cause: string): void;
}

/**
 * The streams of one connection. Frames that arrive twice, from two connections during a handover, are published once
 * and in order.
 */
export class StreamShard implements AsyncDisposable {
  readonly #handlers: ShardHandlers;
  readonly #handover: ConnectionHandover<StreamConnection>;
  #wanted: ReadonlySet<string>;
  /** Order of the last trade or closed candle published of each stream since the last loss. */
  readonly #published = new Map<string, number>();

  constructor(options: ConnectionOptions, wanted: ReadonlySet<string>, handlers: ShardHandlers) {
    this.#wanted = wanted;
    this.#handlers = handlers;
    this.#handover = new ConnectionHandover({
      connect: (state) =>
        new StreamConnection(options, this.#wanted, { ...state, frame: (frame) => this.#received(frame) }),
      overlapMs: (options.timing ?? SOCKET_TIMING).overlapMs,
      up: handlers.up,
      down: (cause) => {
        this.#published.clear();
        handlers.down(cause);
      },
    });
  }

  get isUp(): boolean {
    return this.#handover.isUp;
  }

  want(streams: ReadonlySet<string>): void {
    this.#wanted = streams;
    for (const connection of this.#handover.all()) connection.want(streams);
  }

  renew(cause: string): void {
    this.#handover.renew(cause);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#handover[Symbol.asyncDispose]();
  }

  #received(frame: MarketFrame): void {
    if (frame.order <= (this.#published.get(frame.stream) ?? Number.NEGATIVE_INFINITY)) return;
    if (frame.final) this.#published.set(frame.stream, frame.order);
    this.#handlers.event(frame.event);
  }
}
