import type { z } from 'zod';
import type { Venue } from '#core/account/account.ts';
import {
  accountRun,
  type AccountRunState,
  cachedPrice,
  cachedWallet,
  cacheKeys,
  marketClock,
} from '#core/installation/cache-keys.ts';
import type { Candle, Interval } from '#core/market/candle.ts';
import { SNAPSHOT_MAX_AGE_MS } from '#core/position/cost-basis.ts';
import { type Decimal, readDecimal } from '#core/amount/decimal.ts';
import type { AccountId } from '#core/ids.ts';
import { readJson } from '#core/json.ts';
import type { DayTicker } from '#core/research/discovery.ts';
import type { MarketPort } from '#core/ports/exchange.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { readRules } from '#core/market/symbol-codec.ts';
import type { CachedValues } from './cache-snapshot.ts';
import { Memo } from './memo.ts';

export interface Price {
  readonly price: Decimal;
  readonly at: string;
}
export type Prices = ReadonlyMap<string, Price>;
export type Rules = ReadonlyMap<string, SymbolRules>;
export type CachedWallet = z.output<typeof cachedWallet>;

/** The market reads `marketMs` at wall time `wallMs` and runs `speed` times as fast. */
export interface MarketTime {
  readonly marketMs: number;
  readonly wallMs: number;
  readonly speed: number;
  /** It replays recorded days; else its time is the wall time. */
  readonly replays: boolean;
}

/** Market time of a wall time; the same time unless the market is a replay. */
export const toMarketTime = (at: Date, market: MarketTime | undefined): Date =>
  market?.replays === true ? new Date(market.marketMs + (at.getTime() - market.wallMs) * market.speed) : at;

interface CandleQuery {
  readonly symbol: string;
  readonly interval: Interval;
  readonly limit: number;
  readonly beforeMs?: number;
}

/** The clock of an exchange differs less than this from the wall; a market that does is a replay. */
const CLOCKS_DIFFER_MS = 60_000;
const RULES_TTL_MS = 10_000;
const CANDLES_TTL_MS = 1_000;
const PAST_CANDLES_TTL_MS = 60_000;
/** One request costs as much as forty lists of candles. */
const DAY_TICKERS_TTL_MS = 5_000;
const CLOCK_TTL_MS = 60_000;
const KEPT_CANDLE_LISTS = 200;

/** Cached JSON of a worker; undefined when it is absent or invalid. */
export function readCached<Schema extends z.ZodType>(
  schema: Schema,
  text: string | undefined,
): z.output<Schema> | undefined {
  return text === undefined ? undefined : schema.safeParse(readJson(text)).data;
}

function priceOf(text: string | undefined): Price | undefined {
  const cached = readCached(cachedPrice, text);
  const price = cached === undefined ? undefined : readDecimal(cached.price);
  return cached === undefined || price === undefined ? undefined : { price, at: cached.at };
}

function rulesOf(text: string): Rules | undefined {
  try {
    const list = readRules(text);
    return list === undefined ? undefined : new Map(list.map((rules) => [rules.symbol, rules]));
  } catch {
    return undefined;
  }
}

/** The wallet that the worker has read within the last minute; undefined without one. */
export async function readFreshWallet(
  { venues, now }: { readonly venues: Venues; readonly now: () => Date },
  accountId: AccountId,
): Promise<CachedWallet | undefined> {
  const wallet = await venues.wallet(accountId);
  const isFresh = wallet !== undefined && now().getTime() - Date.parse(wallet.keptAt) < SNAPSHOT_MAX_AGE_MS;
  return isFresh ? wallet : undefined;
}

interface VenuesOptions {
  readonly cache: CachedValues;
  readonly openMarket: (venue: Venue) => MarketPort;
  /** Reads the last 24 hours of all coins; throws ExchangeError. */
  readonly dayTickers: (venue: Venue) => Promise<readonly DayTicker[]>;
  readonly nowMs: () => number;
}

/** Answers of venues and their clients, for all requests. */
const sharedOf = ({ nowMs }: VenuesOptions) => ({
  markets: new Map<Venue, MarketPort>(),
  rules: new Memo<Rules | undefined>({ nowMs, most: 4, keep: (rules) => rules !== undefined }),
  candles: new Memo<Candle[]>({ nowMs, most: KEPT_CANDLE_LISTS }),
  clocks: new Memo<void>({ nowMs, most: 4 }),
  dayTickers: new Memo<readonly DayTicker[]>({ nowMs, most: 4 }),
});

/** Venue data from the cache store that workers fill, and candles directly from venues, cached briefly. */
export class Venues {
  readonly #options: VenuesOptions;
  readonly #shared: ReturnType<typeof sharedOf>;

  constructor(options: VenuesOptions, shared = sharedOf(options)) {
    this.#options = options;
    this.#shared = shared;
  }

  /** The same venues with the values of `cache`, such as those that were read together for one answer. */
  over(cache: CachedValues): Venues {
    return new Venues({ ...this.#options, cache }, this.#shared);
  }

  get #cache(): CachedValues {
    return this.#options.cache;
  }

  /** Trading rules by symbol; undefined while no worker has loaded them. */
  rules(venue: Venue): Promise<Rules | undefined> {
    return this.#shared.rules.get(venue, RULES_TTL_MS, async () => {
      const text = await this.#cache.get(cacheKeys.rules(venue));
      return text === undefined ? undefined : rulesOf(text);
    });
  }

  async prices(venue: Venue): Promise<Prices> {
    const prefix = cacheKeys.prices(venue);
    const prices = new Map<string, Price>();
    for (const [key, text] of await this.#cache.list(prefix)) {
      const price = priceOf(text);
      if (price !== undefined) prices.set(key.slice(prefix.length), price);
    }
    return prices;
  }

  async wallet(accountId: AccountId): Promise<CachedWallet | undefined> {
    return readCached(cachedWallet, await this.#cache.get(cacheKeys.wallet(accountId)));
  }

  /** Run state of the account as its worker reports it; undefined while no worker holds it. */
  async accountRun(accountId: AccountId): Promise<AccountRunState | undefined> {
    return readCached(accountRun, await this.#cache.get(cacheKeys.accountRun(accountId)));
  }

  /** Market time of a venue at wall time `nowMs`; undefined while no worker has reported it. */
  async marketMs(venue: Venue, nowMs: number): Promise<number | undefined> {
    return (await this.marketTime(venue, nowMs))?.marketMs;
  }

  /** Market time of a venue at wall time `nowMs` and its speed; undefined while no worker has reported it. */
  async marketTime(venue: Venue, nowMs: number): Promise<MarketTime | undefined> {
    const clock = readCached(marketClock, await this.#cache.get(cacheKeys.marketClock(venue)));
    if (clock === undefined) return undefined;
    const { wallMs, speed } = clock;
    const marketMs = clock.marketMs + (nowMs - wallMs) * speed;
    return { marketMs, wallMs: nowMs, speed, replays: speed !== 1 || Math.abs(marketMs - nowMs) >= CLOCKS_DIFFER_MS };
  }

  /** Candles of the venue itself, oldest first; throws ExchangeError. */
  candles(venue: Venue, query: CandleQuery): Promise<Candle[]> {
    const key = [venue, query.symbol, query.interval, query.limit, query.beforeMs ?? ''].join(':');
    const ttlMs = query.beforeMs === undefined ? CANDLES_TTL_MS : PAST_CANDLES_TTL_MS;
    return this.#shared.candles.get(key, ttlMs, async () => (await this.#market(venue)).candles(query));
  }

  /** The last 24 hours of every coin of the venue; throws ExchangeError. */
  dayTickers(venue: Venue): Promise<readonly DayTicker[]> {
    return this.#shared.dayTickers.get(venue, DAY_TICKERS_TTL_MS, () => this.#options.dayTickers(venue));
  }

  async #market(venue: Venue): Promise<MarketPort> {
    const market = this.#shared.markets.get(venue) ?? this.#options.openMarket(venue);
    this.#shared.markets.set(venue, market);
    await this.#shared.clocks.get(venue, CLOCK_TTL_MS, () => market.clock.sync());
    return market;
  }
}
