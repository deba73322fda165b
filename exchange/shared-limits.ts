import { createHash, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { CacheStore } from '#core/ports/cache.ts';
import { readJson } from '#core/json.ts';
import type { RateLimiter, LimitSnapshot } from './limits.ts';

interface SharedLimits {
  readonly limiter: RateLimiter;
  readonly cache: CacheStore;
  /** Name of the network address that all sharing processes use toward the exchange. */
  readonly egress: string;
  readonly restUrl: string;
  readonly onFailure: (error: unknown) => void;
}

/** Changes are published together, this long after the first. */
const PUBLISH_AFTER_MS = 25;
/** Smaller changes are not published: the reserve of the highest priority covers them. */
const PUBLISHED_WEIGHT = 20;
/** No request waits longer than this for the state of earlier processes. */
const LOAD_MS = 1_000;
const USAGE_TTL_MS = 120_000;

const limitMessage = z.object({
  from: z.string(),
  window: z.number(),
  counted: z.number(),
  inFlight: z.number(),
  stopMs: z.number(),
  blockedMs: z.number().default(0),
});

/**
 * Shares the limiter state among all processes behind one address. Each process publishes the exchange's count, its own
 * weight in flight, and stops. The cache store keeps stops until they end, so that a restart does not forget a ban. A
 * request waits only for the first load. Without the cache store each process uses the headers of its own replies.
 */
export function shareLimits(sharing: SharedLimits): AsyncDisposable {
  const { limiter, cache, onFailure } = sharing;
  const place = `${sharing.egress}:${new URL(sharing.restUrl).host}`;
  const [stopKey, usageKey] = [`limits-stop:${place}`, `limits-used:${place}`];
  // PostgreSQL takes channel names of at most 63 bytes.
  const channel = `limits:${createHash('sha256').update(place).digest('hex').slice(0, 16)}`;
  const from = randomUUID();
  let last: LimitSnapshot = { window: 0, counted: 0, inFlight: 0, stopMs: 0, blockedMs: 0 };
  let timer: NodeJS.Timeout | undefined;

  const merge = (text: string | undefined): void => {
    const snapshot = limitMessage.safeParse(text === undefined ? undefined : readJson(text)).data;
    if (snapshot === undefined || snapshot.from === from) return;
    limiter.merge(snapshot.from, snapshot);
    last = {
      ...last,
      stopMs: Math.max(last.stopMs, snapshot.stopMs),
      blockedMs: Math.max(last.blockedMs, snapshot.blockedMs),
    };
  };
  const publish = async (): Promise<void> => {
    timer = undefined;
    const snapshot = limiter.snapshot();
    const text = JSON.stringify({ from, ...snapshot });
    const stopped = isStopped(last, snapshot);
    last = snapshot;
    const forMs = Math.max(snapshot.stopMs, snapshot.blockedMs) - Date.now();
    await Promise.all([
      stopped && forMs > 0 ? cache.set(stopKey, text, forMs) : undefined,
      cache.set(usageKey, text, USAGE_TTL_MS),
      cache.publish(channel, text),
    ]);
  };
  const publishSoon = (inMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      publish().catch((error: unknown) => {
        last = { ...last, stopMs: 0, blockedMs: 0 };
        onFailure(error);
      });
    }, inMs).unref();
  };
  limiter.onChange(() => {
    const snapshot = limiter.snapshot();
    if (isStopped(last, snapshot)) publishSoon(0);
    else if (timer === undefined && isWorthPublishing(last, snapshot)) publishSoon(PUBLISH_AFTER_MS);
  });
  const subscribing = cache.subscribe(channel, merge);
  subscribing.catch(onFailure);
  // Read after the subscription is active: messages in between would be lost otherwise.
  const load = async (): Promise<void> => {
    for (const text of await Promise.all([cache.get(stopKey), cache.get(usageKey)])) merge(text);
  };
  const loading = subscribing.then(load, load);
  loading.catch(onFailure);
  limiter.waitFor(Promise.race([loading, after(LOAD_MS)]));
  return {
    async [Symbol.asyncDispose]() {
      limiter.onChange(ignore);
      clearTimeout(timer);
      await publish().catch(() => undefined);
      // Not awaited: while the store is unavailable the subscription waits for it, and the store closes after this.
      subscribing.then((subscription) => subscription[Symbol.asyncDispose]()).catch(() => undefined);
    },
  };
}

/** At module level, so that it captures nothing: limiters live as long as the process. */
const ignore = (): void => undefined;

const isStopped = (before: LimitSnapshot, now: LimitSnapshot): boolean =>
  now.stopMs > before.stopMs || now.blockedMs > before.blockedMs;

function isWorthPublishing(before: LimitSnapshot, now: LimitSnapshot): boolean {
  const counted = now.window === before.window ? before.counted : 0;
  return (
    Math.abs(now.counted - counted) >= PUBLISHED_WEIGHT || Math.abs(now.inFlight - before.inFlight) >= PUBLISHED_WEIGHT
  );
}

const after = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
