import { z } from 'zod';
import { EMPTY_COLUMNS } from '#core/market/candle-columns.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { listingOfEntry, relayedInfo, statusOfEntry } from '#paper/market/relay-listings.ts';
import { countOf, type MarketSource, type SourceCandle } from '#paper/market/source.ts';
import { adoptPrice, adoptQuote, type SymbolMarket } from '#paper/market/symbol-market.ts';
import { broadcast, type MarketStreams } from '#paper/streams/market-streams.ts';
import { playTrade } from '#paper/exchange/matching.ts';
import { bookOf } from '#paper/exchange/orders.ts';
import { openFeed } from './relay-feed.ts';
import { openUpstream, type Upstream } from './relay-query.ts';
import { readArrayName, readStreamName } from '#paper/streams/stream-name.ts';
import { catchUp, commit, type Venue } from '#paper/exchange/venue.ts';

const ALL_PRICES = '!miniTicker@arr';
const STREAMS_MS = 250;
const LISTINGS_MS = 3_600_000;
const OWN_KINDS = ['bookTicker', 'diff', 'partial', 'referencePrice'];

/** The addresses of another exchange's market data. */
export interface RelayAddress {
  readonly restUrl: string;
  readonly streamUrl: string;
}

const prices = z.array(z.object({ symbol: z.string(), price: z.string() }));
const miniTickers = z.array(z.object({ s: z.string(), c: z.string() }));
const tradeFrame = z.object({ s: z.string(), p: z.string(), q: z.string(), m: z.boolean() });
const bestFrame = z.object({ s: z.string(), b: z.string(), a: z.string() });

/** Another exchange as the source of the market. Prices and history are its own, book and orders are ours. */
export interface Relay {
  readonly source: MarketSource;
  readonly upstream: Upstream;
  /** Starts to follow the other exchange. Logs when the connection is lost and when it is back. */
  follow(venue: Venue, streams: MarketStreams, log: (line: string) => void): Following;
}

export interface Following extends Disposable {
  readonly state: { connected: boolean; heardMs: number };
}

/** True for streams that are passed on unchanged: all except those of the book, which is ours. */
export function isRelayedStream(name: string): boolean {
  const stream = readStreamName(name);
  return stream === undefined ? readArrayName(name) !== undefined : !OWN_KINDS.includes(stream.kind);
}

/** Reads coins and prices of the other exchange. Throws BadInputError if it cannot be reached. */
export async function openRelay({ restUrl, streamUrl }: RelayAddress): Promise<Relay> {
  const upstream = openUpstream(restUrl);
  const get = (path: string): Promise<unknown> => upstream.get(`/api/v3/${path}`, new URLSearchParams());
  try {
    const [info, last] = await Promise.all([get('exchangeInfo'), get('ticker/price')]);
    const closes = new Map(prices.parse(last).map(({ symbol, price }) => [symbol, Number(price)]));
    const listings = relayedInfo.parse(info).symbols.flatMap((entry) => listingOfEntry(entry) ?? []);
    if (listings.length === 0) throw new Error('it lists no coins');
    return {
      source: sourceOf(restUrl, listings, closes),
      upstream,
      follow: (venue, streams, log) => follow({ venue, streams, log, upstream }, { restUrl, streamUrl }),
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new BadInputError(
      `The market data of ${restUrl} cannot be read (${why}): check the network, or use a --source that needs none: synthetic or replay:DIR.`,
    );
  }
}

/** A source without candles of its own. Prices keep their last value until trades arrive. */
function sourceOf(url: string, listings: MarketSource['listings'], closes: ReadonlyMap<string, number>): MarketSource {
  const candle = (price: number): SourceCandle => ({
    ...{ openMs: 0, closeMs: 0, open: price, high: price, low: price, close: price, volume: 0 },
  });
  return {
    name: `relay:${url}`,
    listings,
    startMs: Date.now(),
    endMs: null,
    candles: () => EMPTY_COLUMNS,
    candleAfter: () => undefined,
    tradesBefore: () => 0,
    candleBefore: (symbol, ms) => {
      const close = closes.get(symbol);
      return close === undefined || ms <= 0 ? undefined : candle(close);
    },
  };
}

interface FollowInput {
  readonly venue: Venue;
  readonly streams: MarketStreams;
  readonly upstream: Upstream;
  readonly log: (line: string) => void;
}

function follow(input: FollowInput, { restUrl, streamUrl }: RelayAddress): Following {
  const { venue, streams, log } = input;
  const state = { connected: true, heardMs: Date.now() };
  const feed = openFeed(streamUrl, {
    onFrame: (stream, data) => {
      state.heardMs = Date.now();
      handleFrame(input, stream, data);
    },
    onState: (now) => {
      if (now.isUp === state.connected) return;
      state.connected = now.isUp;
      log(
        now.isUp
          ? `The market data of ${restUrl} are available again.`
          : `The market data of ${restUrl} are lost (${now.because}): prices do not change until they are available again.`,
      );
    },
  });
  const updateStreams = (): void => {
    const live = [...venue.live].map((symbol) => symbol.toLowerCase());
    const own = live.flatMap((symbol) => [`${symbol}@trade`, `${symbol}@bookTicker`]);
    feed.setStreams(new Set([ALL_PRICES, ...own, ...[...streams.clients.keys()].filter(isRelayedStream)]));
  };
  updateStreams();
  const timers = [setInterval(updateStreams, STREAMS_MS), setInterval(() => void refreshStatuses(input), LISTINGS_MS)];
  return {
    state,
    [Symbol.dispose]: () => {
      for (const timer of timers) clearInterval(timer);
      feed[Symbol.dispose]();
    },
  };
}

function handleFrame({ venue, streams }: FollowInput, stream: string, data: unknown): void {
  const kind = stream.slice(stream.indexOf('@') + 1);
  if (stream === ALL_PRICES) adoptPrices(venue, data);
  else if (kind === 'bookTicker') return handleBestPrices(venue, data);
  else if (kind === 'trade') handleTrade(venue, data);
  broadcast(streams, stream, data);
}

/** Inactive coins take over only their last prices. */
function adoptPrices(venue: Venue, data: unknown): void {
  const atMs = venue.clock.nowMs();
  for (const { s, c } of miniTickers.safeParse(data).data ?? []) {
    const market = venue.live.has(s) ? undefined : venue.markets.get(s);
    if (market !== undefined) adoptPrice(market, ticksIn(market, c), atMs);
  }
}

const ticksIn = ({ listing }: SymbolMarket, price: string): number => countOf(Number(price), listing.grid.tickUnits);

function handleTrade(venue: Venue, data: unknown): void {
  const trade = tradeFrame.safeParse(data).data;
  const market = trade === undefined ? undefined : venue.markets.get(trade.s);
  if (trade === undefined || market === undefined || !venue.live.has(trade.s)) return;
  const atMs = catchUp(venue);
  const lots = countOf(Number(trade.q), market.listing.grid.stepUnits);
  playTrade(venue.engine, trade.s, { atMs, ticks: ticksIn(market, trade.p), lots, takerBuys: !trade.m });
  commit(venue, atMs);
}

/** The makers quote like the other market, without crossing our clients: only a trade fills an order. */
function handleBestPrices(venue: Venue, data: unknown): void {
  const best = bestFrame.safeParse(data).data;
  const market = best === undefined ? undefined : venue.markets.get(best.s);
  if (best === undefined || market === undefined || !venue.live.has(best.s)) return;
  const [bid, ask] = [ticksIn(market, best.b), ticksIn(market, best.a)];
  if (bid < 1 || ask <= bid) return;
  const { bids, asks } = bookOf(venue.engine.orders, best.s);
  adoptQuote(market, { bid, ask, ownBid: bids[0]?.price, ownAsk: asks[0]?.price }, venue.clock.nowMs());
  commit(venue, venue.clock.nowMs());
}

async function refreshStatuses({ venue, upstream, log }: FollowInput): Promise<void> {
  try {
    const info = relayedInfo.parse(await upstream.get('/api/v3/exchangeInfo', new URLSearchParams()));
    for (const entry of info.symbols) {
      const market = venue.markets.get(entry.symbol);
      if (market !== undefined) market.status = statusOfEntry(entry);
    }
  } catch (error) {
    log(`The list of coins could not be refreshed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
