import type { Venue } from '#core/account.ts';
import { cacheKeys, EVENT_CHANNEL } from '#core/cache-keys.ts';
import type { BusEvent } from '#core/events.ts';
import type { CacheStore } from '#core/ports.ts';
import { isObject } from '#core/merge.ts';

/** A superseded price or tick is told at most this often. */
const THROTTLE_MS = 250;
/** The bus carries at most 7,000 bytes; a longer event is cut to its topic and id, and the browser fetches. */
const LONGEST = 6_500;

/** A coin's last price on a venue, at market time `at`. */
export interface SeenPrice {
  readonly venue: Venue;
  readonly symbol: string;
  readonly price: string;
  readonly at: string;
}

/**
 * Tells the browsers what happens, and keeps the latest price and coin state in the cache. Prices and ticks replace each
 * other; everything else is told at once. A cache that is away costs nothing but the news.
 */
export interface Announcer extends AsyncDisposable {
  announce(event: BusEvent): void;
  price(seen: SeenPrice): void;
}

export function createAnnouncer(cache: CacheStore, onFailure: (error: unknown) => void): Announcer {
  const latest = new Map<string, () => Promise<unknown>>();
  const tell = (event: BusEvent): Promise<void> => {
    const text = JSON.stringify(event);
    const { topic, id } = event;
    return cache.publish(EVENT_CHANNEL, text.length <= LONGEST ? text : JSON.stringify({ topic, id, data: {} }));
  };
  let flushing = false;
  const flush = async (): Promise<void> => {
    if (flushing) return;
    flushing = true;
    const due = [...latest.values()];
    latest.clear();
    await Promise.all(due.map((write) => write())).catch(onFailure);
    flushing = false;
  };
  const timer = setInterval(() => void flush(), THROTTLE_MS);
  timer.unref();

  return {
    announce(event) {
      const state = event.topic === 'tick' ? coinStateOf(event) : undefined;
      if (state === undefined) {
        tell(event).catch(onFailure);
        return;
      }
      latest.set(state.key, async () => {
        await cache.set(state.key, state.text);
        await tell(event);
      });
    },
    price({ venue, symbol, price, at }) {
      const key = cacheKeys.price(venue, symbol);
      latest.set(key, async () => {
        await cache.set(key, JSON.stringify({ price, at }));
        await tell({ topic: 'price', id: symbol, data: { venue, symbol, price, at } });
      });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await flush();
    },
  };
}

function coinStateOf(event: BusEvent): { key: string; text: string } | undefined {
  const { id, data } = event;
  if (id === undefined || !isObject(data) || typeof data['symbol'] !== 'string') return undefined;
  return { key: `coin-state:${id}:${data['symbol']}`, text: JSON.stringify(data['state']) };
}
