import type { Decimal } from '#core/amount/decimal.ts';
import type { MarketEvent, MarketStream, MarketSubscription, OpenMarketStream } from '#core/ports/exchange.ts';
import type { MarketFrame } from '#exchange/parse/frames.ts';
import { ConnectionHandover } from './connection-handover.ts';
import { createLinkState } from './link-state.ts';
import { SilenceWatch } from './silence.ts';
import { SOCKET_TIMING, type SocketTiming } from './socket.ts';
import { type ConnectionOptions, StreamConnection } from './stream-connection.ts';

interface MarketStreamOptions {
  readonly streamUrl: string;
  readonly timing?: SocketTiming;
}

/** The exchange allows 1,024 streams on a connection. */
const STREAMS_PER_CONNECTION = 1_000;

const tradesOf = (symbol: string): string => `${symbol.toLowerCase()}@trade`;

/** The trades of each coin, and its candles at each interval. */
const streamsOf = (wanted: readonly MarketSubscription[]): Set<string> =>
  new Set(wanted.flatMap(({ symbol, interval }) => [tradesOf(symbol), `${symbol.toLowerCase()}@kline_${interval}`]));

/**
 * Opens the market streams of one caller, spread over as many connections as needed. `connected` follows each
 * (re)connect once all subscriptions are acknowledged; candles before it may be missing. A change of connection that is
 * planned or announced by the exchange is not published: it leaves no gap and repeats nothing. Only closed candles are
 * published.
 */
export function createMarketStream(options: MarketStreamOptions): OpenMarketStream {
  return (onEvent) => new ShardedStream(options, onEvent);
}

class ShardedStream implements MarketStream {
  readonly #options: MarketStreamOptions;
  readonly #onEvent: (event: MarketEvent) => void;
  readonly #silence = new SilenceWatch();
  readonly #link: ReturnType<typeof createLinkState>;
  readonly #shards: { readonly shard: StreamShard; streams: ReadonlySet<string> }[] = [];

  constructor(options: MarketStreamOptions, onEvent: (event: MarketEvent) => void) {
    this.#options = options;
    this.#onEvent = onEvent;
    this.#link = createLinkState(onEvent);
    this.#open(new Set());
  }

  compare(prices: ReadonlyMap<string, Decimal>): void {
    const carried = [...prices.keys()].filter((symbol) => this.#shardOf(symbol) !== undefined);
    for (const symbol of this.#silence.compare(carried, prices))
      this.#shardOf(symbol)?.renew(`The stream of ${symbol} is silent while its price moves.`);
  }

  #shardOf(symbol: string): StreamShard | undefined {
    const name = tradesOf(symbol);
    return this.#shards.find(({ streams }) => streams.has(name))?.shard;
  }

  /** Existing streams stay on their connection; new ones go to a connection with room. */
  update(wanted: readonly MarketSubscription[]): void {
    const left = streamsOf(wanted);
    const plans = this.#shards.map(({ streams }) => {
      const kept = new Set([...streams].filter((stream) => left.has(stream)));
      for (const stream of kept) left.delete(stream);
      return kept;
    });
    const added = left.values();
    for (const plan of plans) fill(plan, added);
    for (const [index, plan] of plans.entries()) {
      const entry = this.#shards[index];
      if (entry === undefined) continue;
      entry.streams = plan;
      entry.shard.want(plan);
    }
    for (let rest = fill(new Set(), added); rest.size > 0; rest = fill(new Set(), added)) this.#open(rest);
    this.#announceWhenComplete();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#shards.map(({ shard }) => shard[Symbol.asyncDispose]()));
  }

  #open(streams: ReadonlySet<string>): void {
    const shard = new StreamShard(this.#options, streams, {
      event: (event) => {
        if (event.kind === 'price') this.#silence.received(event.symbol, event.price);
        this.#onEvent(event);
      },
      up: () => this.#announceWhenComplete(),
      down: (cause) => this.#link.down(cause),
    });
    this.#shards.push({ shard, streams });
  }

  #announceWhenComplete(): void {
    if (this.#shards.every(({ shard }) => shard.isUp)) this.#link.up();
  }
}

/** Adds streams of `source` to `plan` until the plan is full or no stream is left. */
function fill(plan: Set<string>, source: IterableIterator<string>): Set<string> {
  while (plan.size < STREAMS_PER_CONNECTION) {
    const next = source.next();
    if (next.done === true) break;
    plan.add(next.value);
  }
  return plan;
}

interface ShardHandlers {
  event(event: MarketEvent): void;
  up(): void;
  down(cause: string): void;
}

/**
 * The streams of one connection. Frames that arrive twice, from two connections during a handover, are published once
 * and in order.
 */
class StreamShard implements AsyncDisposable {
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
