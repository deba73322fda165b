import { type Venue, venueOf } from '#core/account/account.ts';
import { cacheKeys, marketTrend } from '#core/installation/cache-keys.ts';
import type { Candle } from '#core/market/candle.ts';
import {
  coinsToRead,
  type DayTicker,
  type DiscoveryConfig,
  judgeCoins,
  screenMarket,
} from '#core/research/discovery.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { MarketPort } from '#core/ports/exchange.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { readDayTickers } from '#exchange/day-tickers.ts';
import { endpointsOf } from '#exchange/endpoints.ts';
import { createSma } from '#core/indicators/sma.ts';
import {
  listDiscovering,
  listSiblings,
  listTenures,
  pageCyclesOf,
  pruneCycles,
  saveCycle,
} from '#storage/research/discovery.ts';
import { loadAccountsToRun } from '#storage/trading/worker-profiles.ts';
import type { WorkerContext } from '#worker/context.ts';

const MINUTE_MS = 60_000;
const TREND_EVERY_MS = 5 * MINUTE_MS;
const KEPT_MS = 180 * 24 * 60 * MINUTE_MS;
/** One request covers the 40 days that the age filter may need. */
const HOURS = 1000;
const LEADERS = ['BTC', 'ETH'];
const TREND_DAYS = 50;
const TREND_QUOTE = 'USDT';

type Context = Pick<WorkerContext, 'database' | 'venues' | 'cache' | 'env' | 'log' | 'announcer'>;

/** Market data of a venue, read once per round. */
interface Market {
  readonly port: MarketPort;
  readonly rules: ReadonlyMap<string, SymbolRules>;
  readonly tickers: readonly DayTicker[];
}

async function readMarket({ venues, env }: Context, venue: Venue): Promise<Market> {
  const { market: port } = venues.of(venue);
  await port.clock.sync();
  const rules = new Map((await port.rules()).map((one) => [one.symbol, one]));
  return { port, rules, tickers: await readDayTickers(endpointsOf(venue, env).restUrl) };
}

interface DiscoverInput {
  readonly profileId: ProfileId;
  readonly accountId: AccountId;
  readonly config: DiscoveryConfig;
}

const closedOf = (candles: readonly Candle[]): Candle[] => candles.filter(({ closed }) => closed);

/** Coins that left the profile within the minimum holding time. */
async function leftOf({ database }: Context, { profileId, config }: DiscoverInput, nowMs: number): Promise<string[]> {
  const { rows } = await pageCyclesOf(database.kysely, profileId, { limit: 500 });
  return rows
    .filter(({ at }) => nowMs - at.getTime() < config.minHoldMinutes * MINUTE_MS)
    .flatMap(({ result }) => boundIn(result));
}
const boundIn = (result: unknown): string[] => {
  const bound = typeof result === 'object' && result !== null && 'bound' in result ? result.bound : [];
  return Array.isArray(bound) ? bound.filter((one) => typeof one === 'string') : [];
};

/** One round: screens the whole market, then reads candles of some coins. Adds no coin to a profile. */
async function runCycle(context: Context, profile: DiscoverInput, { port, rules, tickers }: Market) {
  const { config, profileId, accountId } = profile;
  const { kysely } = context.database;
  const nowMs = port.clock.marketMs();
  const tenures = await listTenures(kysely, profileId);
  const bound = tenures.map(({ symbol, boundAt, inUse }) => ({ symbol, inUse, boundAtMs: boundAt.getTime() }));
  const screen = screenMarket(config, tickers, rules);
  const candles = new Map<string, readonly Candle[]>();
  for (const symbol of coinsToRead(config, screen, bound)) {
    const hours = await port.candles({ symbol, interval: '1h', limit: HOURS }).catch(() => undefined);
    if (hours !== undefined) candles.set(symbol, closedOf(hours));
  }
  const siblings = (await listSiblings(kysely, accountId, profileId)).map((symbol) => rules.get(symbol));
  const taken = new Set(siblings.flatMap((one) => (one === undefined ? [] : [one.baseAsset, one.quoteAsset])));
  const isBound = new Set(bound.map(({ symbol }) => symbol));
  const left = new Set((await leftOf(context, profile, Date.now())).filter((symbol) => !isBound.has(symbol)));
  const baseOf = (symbol: string): string => rules.get(symbol)?.baseAsset ?? symbol;
  const judged = judgeCoins(config, { nowMs, screen, tickers, baseOf, bound, taken, left, candles });
  return { market: screen.market, breadth: screen.breadth, bound: [...isBound], ...judged };
}

/** Two leading coins against their 50-day average, and the number of rising coins. */
async function trendOf({ port, rules, tickers }: Market) {
  const leaders = [];
  for (const asset of LEADERS) {
    const symbol = `${asset}${TREND_QUOTE}`;
    const price = tickers.find((day) => day.symbol === symbol)?.last;
    if (price === undefined) continue;
    const days = closedOf(await port.candles({ symbol, interval: '1d', limit: TREND_DAYS + 1 })).slice(-TREND_DAYS);
    if (days.length === 0) continue;
    const sma = createSma(days.length);
    for (const { close } of days) sma.push(close);
    const trend: 'up' | 'down' = price > sma.value ? 'up' : 'down';
    leaders.push({ symbol, price: price.toFixed(8), average: sma.value.toFixed(8), days: days.length, trend });
  }
  const quoted = tickers.filter(({ symbol }) => rules.get(symbol)?.quoteAsset === TREND_QUOTE);
  const up = quoted.filter(({ changePercent }) => changePercent > 0).length;
  return marketTrend.parse({ at: new Date().toISOString(), leaders, breadth: { up, all: quoted.length } });
}

async function isTrendDue({ cache }: Context, venue: Venue): Promise<boolean> {
  const text = await cache.get(cacheKeys.marketTrend(venue));
  const known = text === undefined ? undefined : marketTrend.safeParse(JSON.parse(text)).data;
  return known === undefined || Date.now() - Date.parse(known.at) >= TREND_EVERY_MS;
}

/** Runs every minute: the trend of each venue in use, and a round of each profile that is due. */
export async function discover(context: Context): Promise<void> {
  const { database, cache, log, announcer } = context;
  const accounts = (await loadAccountsToRun(database)).map(({ account }) => account);
  const due = (await listDiscovering(database.kysely)).filter(
    ({ config, lastAt }) => lastAt === null || Date.now() - lastAt.getTime() >= config.refreshMinutes * MINUTE_MS,
  );
  for (const venue of new Set(accounts.map(venueOf))) {
    const profiles = due.filter(({ accountId }) =>
      accounts.some((account) => account.id === accountId && venueOf(account) === venue),
    );
    const trendDue = await isTrendDue(context, venue);
    if (!trendDue && profiles.length === 0) continue;
    try {
      const market = await readMarket(context, venue);
      if (trendDue) await cache.set(cacheKeys.marketTrend(venue), JSON.stringify(await trendOf(market)));
      for (const profile of profiles) {
        const result = await runCycle(context, profile, market);
        await saveCycle(database.kysely, { profileId: profile.profileId, at: new Date(), error: null, result });
        announcer.announce({ topic: 'profile', id: profile.profileId, data: { discovery: true } });
      }
    } catch (err) {
      log.warn({ event: 'discovery_failed', venue, err }, 'The market could not be screened');
      const error = err instanceof Error ? err.message : 'The exchange did not answer.';
      for (const { profileId } of profiles)
        await saveCycle(database.kysely, { profileId, at: new Date(), error, result: {} });
    }
  }
  await pruneCycles(database.kysely, new Date(Date.now() - KEPT_MS));
}
