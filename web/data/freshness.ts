import type { Retry, SocketState } from './live-socket.ts';

/**
 * Without a frame for this long the connection is dead, whatever the socket reports: the service sends one every second.
 * The page shows it within 10 s of the last frame, with the time of a step and of drawing.
 */
const STREAM_LIMIT_MS = 8_000;
/** A price is stale at this age. The worker confirms the price of a coin without trades more often. */
export const PRICE_LIMIT_MS = 5_000;

/** The state of the live updates, counted by this page from the frames that it received. Times are wall time in ms. */
export interface Connection {
  readonly stream: 'connecting' | 'live' | 'lost';
  readonly nowMs: number;
  /** Time of the last frame; `null` before the first. */
  readonly frameAtMs: number | null;
  /** Age of the newest price of any coin; `null` while no price is expected. */
  readonly priceAgeMs: number | null;
  readonly retry: Retry;
}

/** Whether prices and everything computed from them must be shown as old. */
export const isStale = ({ stream, priceAgeMs }: Pick<Connection, 'stream' | 'priceAgeMs'>): boolean =>
  stream === 'lost' || (priceAgeMs ?? 0) >= PRICE_LIMIT_MS;

/** Age of the shown values in ms while they are stale, else `null`. */
export function staleAgeMs({ stream, nowMs, frameAtMs, priceAgeMs }: Connection): number | null {
  if (stream === 'lost') return frameAtMs === null ? null : nowMs - frameAtMs;
  return priceAgeMs !== null && priceAgeMs >= PRICE_LIMIT_MS ? priceAgeMs : null;
}

const NO_RETRY: Retry = { attempt: 0, atMs: null };

/** Counts frames and prices; listeners are informed by `step` and by a change of the socket. */
export class Freshness {
  private readonly openedMs: number;
  private socketState: SocketState = 'connecting';
  private retry = NO_RETRY;
  private frameAtMs: number | null = null;
  private readonly prices = new Map<string, number>();
  private newestPriceMs: number | null = null;
  private expectedSinceMs: number | null = null;
  private readonly listeners = new Set<() => void>();
  private view: Connection;

  constructor(nowMs: number) {
    this.openedMs = nowMs;
    this.view = this.viewAt(nowMs);
  }

  frame(nowMs: number): void {
    this.frameAtMs = nowMs;
  }

  price(key: string, nowMs: number): void {
    this.prices.set(key, nowMs);
    this.newestPriceMs = nowMs;
  }

  socket(state: SocketState, retry: Retry, nowMs: number): void {
    this.socketState = state;
    this.retry = retry;
    this.publish(nowMs);
  }

  /** `expected`: a coin is traded or held, so the worker publishes prices. */
  step(nowMs: number, expected: boolean): void {
    this.expectedSinceMs = expected ? (this.expectedSinceMs ?? nowMs) : null;
    this.publish(nowMs);
  }

  /** Age of the price of one coin; `null` while no price is expected. */
  priceAgeMs(key: string): number | null {
    return this.ageAt(this.prices.get(key) ?? null, this.view.nowMs);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly read = (): Connection => this.view;

  private publish(nowMs: number): void {
    this.view = this.viewAt(nowMs);
    for (const listener of this.listeners) listener();
  }

  private viewAt(nowMs: number): Connection {
    const { frameAtMs, retry } = this;
    return {
      stream: this.streamAt(nowMs),
      nowMs,
      frameAtMs,
      priceAgeMs: this.ageAt(this.newestPriceMs, nowMs),
      retry,
    };
  }

  private streamAt(nowMs: number): Connection['stream'] {
    if (this.socketState === 'lost' || nowMs - (this.frameAtMs ?? this.openedMs) >= STREAM_LIMIT_MS) return 'lost';
    return this.frameAtMs === null ? 'connecting' : 'live';
  }

  /** A price that was never received is as old as the expectation of it. */
  private ageAt(receivedMs: number | null, nowMs: number): number | null {
    if (this.expectedSinceMs === null) return null;
    return Math.max(0, nowMs - Math.max(receivedMs ?? 0, this.expectedSinceMs));
  }
}
