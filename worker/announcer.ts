import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Venue } from '#core/account/account.ts';
import { cacheKeys, COIN_STATE_TTL_MS, EVENT_CHANNEL, PRICE_TTL_MS } from '#core/installation/cache-keys.ts';
import { type Decimal, formatDecimal } from '#core/amount/decimal.ts';
import type { BusEvent } from '#core/installation/events.ts';
import type { ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import type { CacheStore } from '#core/ports/cache.ts';

/**
 * Least interval between two publications of prices and ticks while a browser shows them. It grows when many are
 * published at once, or when publishing takes more than a tenth of the time. Without a browser they are only kept in the
 * cache, every RAREST_MS.
 */
const THROTTLE_MS = 250;
const EACH_MS = 2;
const SHARE = 10;
const RAREST_MS = 5_000;
/** Most prices, and most ticks, in one write: a longer write would delay the order that follows a price. */
const MOST_AT_ONCE = 100;
/** A bus message holds at most 7,000 bytes. A longer event is cut to topic and id; the browser then fetches. */
const LONGEST = 6_500;
/**
 * Events that wait for an unavailable cache. Beyond this the oldest are dropped; the browser fetches after a reconnect.
 */
const MOST_WAITING = 2_000;

/** A coin's last price on a venue, at market time `atMs`. */
interface SeenPrice {
  readonly venue: Venue;
  readonly symbol: string;
  readonly price: Decimal;
  readonly atMs: number;
}

/**
 * Publishes events to the browsers and keeps the latest price and coin state in the cache. A newer price or tick
 * replaces an older one; all other events are published at once. An unavailable cache loses events, nothing else.
 */
export interface Announcer extends AsyncDisposable {
  announce(event: BusEvent): void;
  price(seen: SeenPrice): void;
  /** The coin was removed from the profile: deletes its state from the cache. */
  forgetCoin(profileId: ProfileId, symbol: string): void;
}

/** The newest value of a key, and the event that publishes it. */
interface Latest {
  readonly value: unknown;
  readonly ttlMs: number;
  readonly event: BusEvent;
}

interface AnnouncerInput {
  readonly cache: CacheStore;
  readonly isWatched: () => boolean;
  readonly onFailure: (error: unknown) => void;
  readonly nowMs?: () => number;
}

/**
 * Runs one cache write and one bus call at a time, for any number of coins: no requests queue up at the cache.
 */
export function createAnnouncer(input: AnnouncerInput): Announcer {
  const { cache, isWatched, onFailure, nowMs = () => performance.now() } = input;
  const latest = new Map<string, Latest>();
  const prices = new Map<string, SeenPrice>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const rounds = createRounds(isWatched, nowMs);

  const publish = (events: readonly BusEvent[]): Promise<void> => cache.publish(EVENT_CHANNEL, ...packed(events));
  const queue = createEventQueue(publish, onFailure);
  const writeLatest = async (): Promise<void> => {
    const due = [...removeOldest(latest), ...removeOldest(prices).map(priceEntry)];
    const entries = new Map(due.map(([key, { value, ttlMs }]) => [key, { value: JSON.stringify(value), ttlMs }]));
    if (entries.size === 0) return;
    await cache
      .setAll(entries)
      .then(() => (isWatched() ? publish(due.map(([, { event }]) => event)) : undefined))
      .catch(onFailure);
  };
  const writeAfter = (ms: number): void => {
    const run = async (): Promise<void> => {
      const [startedMs, before] = [nowMs(), latest.size + prices.size];
      if (!rounds.mayWrite(before)) {
        // Looks again soon: a browser that connects must not wait for its first prices.
        timer = undefined;
        writeAfter(THROTTLE_MS);
        return;
      }
      writing = writeLatest();
      const written = before - latest.size - prices.size;
      rounds.wrote(written);
      await writing;
      timer = undefined;
      const restMs = Math.max(EACH_MS * written, SHARE * (nowMs() - startedMs));
      if (latest.size + prices.size > 0) writeAfter(restMs);
    };
    timer ??= setTimeout(() => void run(), Math.min(Math.max(ms, THROTTLE_MS), RAREST_MS));
  };
  const supersede = (key: string, newest: Latest): void => {
    latest.set(key, newest);
    writeAfter(THROTTLE_MS);
  };

  return {
    announce(event) {
      const { id, topic, data } = event;
      if (topic === 'tick' && id !== undefined && isObject(data) && typeof data['symbol'] === 'string') {
        supersede(`coin-state:${id}:${data['symbol']}`, { value: data['state'], ttlMs: COIN_STATE_TTL_MS, event });
      } else queue.push(event);
    },
    price(seen) {
      prices.set(cacheKeys.price(seen.venue, seen.symbol), seen);
      writeAfter(THROTTLE_MS);
    },
    forgetCoin(profileId, symbol) {
      const key = cacheKeys.coinState(profileId, symbol);
      latest.delete(key);
      // A write in flight would restore the state.
      void writing.then(() => cache.delete(key)).catch(onFailure);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await writing;
      while (latest.size + prices.size > 0) await writeLatest();
      await queue.published();
    },
  };
}

/** Events that are published at once; those of one change go out together. */
function createEventQueue(
  publish: (events: readonly BusEvent[]) => Promise<void>,
  onFailure: (error: unknown) => void,
): { push(event: BusEvent): void; published(): Promise<void> } {
  const waiting: BusEvent[] = [];
  let publishing: Promise<void> | null = null;
  const publishWaiting = async (): Promise<void> => {
    await nextTurn();
    while (waiting.length > 0) await publish(waiting.splice(0)).catch(onFailure);
    publishing = null;
  };
  return {
    push(event) {
      waiting.push(event);
      if (waiting.length > MOST_WAITING) waiting.shift();
      publishing ??= publishWaiting();
    },
    published: async () => void (await publishing),
  };
}

/** Without a browser a round starts every RAREST_MS, and writes without a further pause all entries that wait then. */
function createRounds(isWatched: () => boolean, nowMs: () => number) {
  let [startedMs, left] = [Number.NEGATIVE_INFINITY, 0];
  return {
    mayWrite(waiting: number): boolean {
      if (left > 0) return true;
      if (!isWatched() && nowMs() - startedMs < RAREST_MS) return false;
      [startedMs, left] = [nowMs(), waiting];
      return true;
    },
    wrote(count: number): void {
      left -= count;
    },
  };
}

/** Removes and returns the entries that have waited longest. */
function removeOldest<Value>(from: Map<string, Value>): [string, Value][] {
  const taken = [...from.entries().take(MOST_AT_ONCE)];
  for (const [key] of taken) from.delete(key);
  return taken;
}

function priceEntry([key, { venue, symbol, price: exact, atMs }]: [string, SeenPrice]): [string, Latest] {
  const [price, at] = [formatDecimal(exact), new Date(atMs).toISOString()];
  const event: BusEvent = { topic: 'price', id: symbol, data: { venue, symbol, price, at } };
  return [key, { value: { price, at }, ttlMs: PRICE_TTL_MS, event }];
}

/** Packs all events, in order, into as few messages as possible. */
function packed(events: readonly BusEvent[]): string[] {
  const messages: string[][] = [];
  let room = 0;
  for (const event of events) {
    const { topic, id } = event;
    const whole = JSON.stringify(event);
    const text = Buffer.byteLength(whole) <= LONGEST ? whole : JSON.stringify({ topic, id, data: {} });
    room -= Buffer.byteLength(text) + 1;
    if (messages.length === 0 || room < 0) {
      messages.push([]);
      room = LONGEST - Buffer.byteLength(text) - 1;
    }
    messages.at(-1)?.push(text);
  }
  return messages.map((texts) => `[${texts.join(',')}]`);
}
