import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Venue } from '#core/account/account.ts';
import { cacheKeys, COIN_STATE_TTL_MS, EVENT_CHANNEL, PRICE_TTL_MS } from '#core/installation/cache-keys.ts';
import { type Decimal, formatDecimal } from '#core/amount/decimal.ts';
import type { BusEvent } from '#core/installation/events.ts';
import type { ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import type { CacheStore } from '#core/ports/cache.ts';

/**
 * A superseded price or tick is told at most this often; rarer where many are told at once, or where telling takes more
 * than a tenth of the time.
 */
const THROTTLE_MS = 250;
const EACH_MS = 2;
const SHARE = 10;
const RAREST_MS = 5_000;
/** Of prices and of ticks each: what is written out in one go keeps a price from its order for so long. */
const MOST_AT_ONCE = 100;
/** The bus carries at most 7,000 bytes; a longer event is cut to its topic and id, and the browser fetches. */
const LONGEST = 6_500;
/**
 * News that wait for a cache that is away; beyond it the oldest are dropped, as the browser fetches when it is back.
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
 * Tells the browsers what happens, and keeps the latest price and coin state in the cache. Prices and ticks replace
 * each other; everything else is told at once. A cache that is away costs nothing but the news.
 */
export interface Announcer extends AsyncDisposable {
  announce(event: BusEvent): void;
  price(seen: SeenPrice): void;
  /** The profile has the coin no longer: its state leaves the cache. */
  forgetCoin(profileId: ProfileId, symbol: string): void;
}

/** What is kept under a key until a newer one is there, and the event that tells of it. */
interface Latest {
  readonly value: unknown;
  readonly ttlMs: number;
  readonly event: BusEvent;
}

/**
 * However many coins there are, one write and one call to the bus at a time: nothing piles up in front of the cache.
 */
export function createAnnouncer(cache: CacheStore, onFailure: (error: unknown) => void): Announcer {
  const latest = new Map<string, Latest>();
  const prices = new Map<string, SeenPrice>();
  const waiting: BusEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let keeping: Promise<void> = Promise.resolve();
  let telling: Promise<void> | null = null;

  const publish = (events: readonly BusEvent[]): Promise<void> => cache.publish(EVENT_CHANNEL, ...packed(events));
  const tell = async (): Promise<void> => {
    // What one change has to tell goes together.
    await nextTurn();
    while (waiting.length > 0) await publish(waiting.splice(0)).catch(onFailure);
    telling = null;
  };
  const keep = async (): Promise<void> => {
    const due = [...take(latest), ...take(prices).map(([key, seen]): [string, Latest] => [key, priceNews(seen)])];
    const entries = new Map(due.map(([key, { value, ttlMs }]) => [key, { value: JSON.stringify(value), ttlMs }]));
    if (entries.size === 0) return;
    await cache
      .setAll(entries)
      .then(() => publish(due.map(([, { event }]) => event)))
      .catch(onFailure);
  };
  const keepAfter = (ms: number): void => {
    const run = async (): Promise<void> => {
      const [startedMs, before] = [performance.now(), latest.size + prices.size];
      keeping = keep();
      const told = before - latest.size - prices.size;
      await keeping;
      timer = undefined;
      const restMs = Math.max(EACH_MS * told, SHARE * (performance.now() - startedMs));
      if (latest.size + prices.size > 0) keepAfter(restMs);
    };
    timer ??= setTimeout(() => void run(), Math.min(Math.max(ms, THROTTLE_MS), RAREST_MS));
  };
  const supersede = (key: string, news: Latest): void => {
    latest.set(key, news);
    keepAfter(THROTTLE_MS);
  };

  return {
    announce(event) {
      const { id, topic, data } = event;
      if (topic === 'tick' && id !== undefined && isObject(data) && typeof data['symbol'] === 'string') {
        supersede(`coin-state:${id}:${data['symbol']}`, { value: data['state'], ttlMs: COIN_STATE_TTL_MS, event });
        return;
      }
      waiting.push(event);
      if (waiting.length > MOST_WAITING) waiting.shift();
      telling ??= tell();
    },
    price(seen) {
      prices.set(cacheKeys.price(seen.venue, seen.symbol), seen);
      keepAfter(THROTTLE_MS);
    },
    forgetCoin(profileId, symbol) {
      const key = cacheKeys.coinState(profileId, symbol);
      latest.delete(key);
      // A write that is on its way would bring the state back.
      void keeping.then(() => cache.delete(key)).catch(onFailure);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await keeping;
      while (latest.size + prices.size > 0) await keep();
      await telling;
    },
  };
}

/** The entries that have waited longest. */
function take<Value>(from: Map<string, Value>): [string, Value][] {
  const taken = [...from.entries().take(MOST_AT_ONCE)];
  for (const [key] of taken) from.delete(key);
  return taken;
}

function priceNews({ venue, symbol, price: exact, atMs }: SeenPrice): Latest {
  const [price, at] = [formatDecimal(exact), new Date(atMs).toISOString()];
  return {
    value: { price, at },
    ttlMs: PRICE_TTL_MS,
    event: { topic: 'price', id: symbol, data: { venue, symbol, price, at } },
  };
}

/** As few messages as hold all events, in order. */
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
