import type { Venue } from '#core/account/account.ts';
import { cacheKeys, type MarketClock } from '#core/installation/cache-keys.ts';
import type { Environment } from '#core/installation/env.ts';
import type { OrderTiming } from '#core/order/order-timing.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { MarketPort, OpenMarketStream } from '#core/ports/exchange.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { encodeRules, readRules } from '#core/market/symbol-codec.ts';
import { endpointsOf } from '#exchange/endpoints.ts';
import { createMarketStream } from '#exchange/market-stream.ts';
import { rateLimiterFor } from '#exchange/limits.ts';
import { createMarketReader } from '#exchange/read.ts';
import { shareLimits } from '#exchange/shared-limits.ts';
import type { WatchedPrice } from '#engine/account/account-run.ts';
import type { Announcer } from './announcer.ts';

/** One venue; all of its accounts share it. */
export interface VenueAccess {
  readonly venue: Venue;
  readonly market: MarketPort;
  readonly timing: OrderTiming;
  readonly openMarketStream: OpenMarketStream;
  /** Stores a price in the cache for api and web app. */
  keepPrice(seen: WatchedPrice): void;
  /** Stores trading rules in the cache for api and web app. */
  keepRules(rules: readonly SymbolRules[]): void;
  /** The cached rules; undefined when there are none that can be parsed. */
  keptRules(): Promise<readonly SymbolRules[] | undefined>;
  /** Stores the market time in the cache for api and web app, once the exchange has reported it. */
  keepClock(): void;
  /** Request weight counted and in flight in the current minute. */
  usedWeight(): number;
}

interface VenueSources {
  readonly env: Environment;
  readonly cache: CacheStore;
  readonly announcer: Announcer;
  readonly timing: OrderTiming;
  readonly onFailure: (error: unknown) => void;
}

export interface Venues extends AsyncDisposable {
  /** Opens each venue once, when its first account runs. */
  of(venue: Venue): VenueAccess;
  opened(): Iterable<VenueAccess>;
}

export function createVenues(sources: VenueSources): Venues {
  const open = new Map<Venue, VenueAccess>();
  const resources = new AsyncDisposableStack();
  return {
    of(venue) {
      const known = open.get(venue);
      if (known !== undefined) return known;
      const access = openVenue(venue, sources, resources);
      open.set(venue, access);
      return access;
    },
    opened: () => open.values(),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A clock that runs on as the stored one says need not be stored again, except now and then. */
const CLOCK_EVERY_MS = 20_000;
const CLOCK_DRIFT_MS = 100;

function follows(kept: MarketClock, clock: MarketClock): boolean {
  const passedMs = clock.wallMs - kept.wallMs;
  const driftMs = Math.abs(kept.marketMs + passedMs * kept.speed - clock.marketMs);
  return kept.speed === clock.speed && driftMs < CLOCK_DRIFT_MS * clock.speed && passedMs < CLOCK_EVERY_MS;
}

function openVenue(venue: Venue, sources: VenueSources, resources: AsyncDisposableStack): VenueAccess {
  const { env, cache, announcer, timing, onFailure } = sources;
  const endpoints = endpointsOf(venue, env);
  const { restUrl } = endpoints;
  const limiter = rateLimiterFor(restUrl);
  resources.use(shareLimits({ limiter, cache, egress: env.EGRESS, restUrl, onFailure }));
  const market = createMarketReader({ restUrl });
  let kept: MarketClock | undefined;
  return {
    venue,
    market,
    timing,
    openMarketStream: createMarketStream({ streamUrl: endpoints.streamUrl }),
    keepPrice: (seen) => announcer.price({ venue, ...seen }),
    usedWeight() {
      const { counted, inFlight } = limiter.snapshot();
      return counted + inFlight;
    },
    keepRules(rules) {
      cache.set(cacheKeys.rules(venue), encodeRules(rules)).catch(onFailure);
    },
    async keptRules() {
      const text = await cache.get(cacheKeys.rules(venue));
      return text === undefined ? undefined : readRules(text);
    },
    keepClock() {
      const speed = market.clock.marketSpeed();
      if (speed === undefined) return;
      const clock = { marketMs: market.clock.marketMs(), wallMs: Date.now(), speed };
      if (kept !== undefined && follows(kept, clock)) return;
      kept = clock;
      cache.set(cacheKeys.marketClock(venue), JSON.stringify(clock)).catch(onFailure);
    },
  };
}
