import { hasCandles } from '#paper/market/klines.ts';
import { DAY_MS, rollingSpan } from '#paper/market/statistics.ts';
import { noteBookChange, type PublicTrade } from '#paper/market/symbol-market.ts';
import {
  type SubscriptionState,
  addStream,
  framesOfClose,
  framesOfTrade,
  framesWhenSettled,
  noteOrderChange,
  openSubscriptionState,
  type Settled,
  type StreamFrame,
  removeStream,
} from './subscription-state.ts';
import { type EventFaults, openEventFaults } from '#paper/faults/event-faults.ts';
import type { Report } from '#paper/exchange/matching-engine.ts';
import { bookOf } from '#paper/exchange/orders.ts';
import { type ArrayName, readArrayName, readStreamName, windowMs } from './stream-name.ts';
import { miniTickerFrame, windowTickerFrame } from '#paper/rest/ticker-json.ts';
import { encode, type TimeUnit } from '#paper/rest/time-unit.ts';
import { activate, type Venue } from '#paper/exchange/venue.ts';

/** Receives the frames of one connection. `combined` wraps each frame with its stream's name. */
export interface StreamClient {
  combined: boolean;
  readonly unit: TimeUnit;
  send(frame: string): void;
}

/** Market streams and their subscribers. Frames are built only for streams that have a subscriber. */
export interface MarketStreams {
  readonly clients: Map<string, Set<StreamClient>>;
  readonly states: Map<string, SubscriptionState>;
  /** Streams of all coins, with the time of their last frame. */
  readonly arrays: Map<string, { readonly stream: ArrayName; sentMs: number }>;
  /** Coins with events since the books were last consistent. */
  readonly touched: Set<string>;
  /** Faults between the frames and their receivers. */
  readonly faults: EventFaults;
  /** True for streams that another exchange produces and the relay passes to `broadcast`. */
  readonly isForeign: (name: string) => boolean;
}

const ARRAYS_MS = 1000;

export const emptyStreams = (isForeign: MarketStreams['isForeign'] = () => false): MarketStreams => ({
  isForeign,
  clients: new Map(),
  states: new Map(),
  arrays: new Map(),
  touched: new Set(),
  faults: openEventFaults(),
});

interface Subscription {
  readonly client: StreamClient;
  readonly name: string;
}

/** Unknown names are kept and get no frames, as on the real exchange. */
export function subscribe(streams: MarketStreams, venue: Venue, { client, name }: Subscription): void {
  const clients = streams.clients.get(name) ?? new Set();
  streams.clients.set(name, clients.add(client));
  if (streams.isForeign(name)) return;
  const array = readArrayName(name);
  if (array !== undefined && !streams.arrays.has(name)) streams.arrays.set(name, { stream: array, sentMs: 0 });
  const stream = readStreamName(name);
  const market = stream && activate(venue, stream.symbol);
  if (stream === undefined || market === undefined) return;
  const state =
    streams.states.get(stream.symbol) ?? openSubscriptionState(market, bookOf(venue.engine.orders, stream.symbol));
  streams.states.set(stream.symbol, state);
  addStream(state, name, { stream, nowMs: venue.clock.nowMs() });
}

/** The reason why a known stream would never get a frame; undefined for one that is served and for an unknown name. */
export function unservedReason(streams: MarketStreams, venue: Venue, name: string): string | undefined {
  const stream = streams.isForeign(name) ? undefined : readStreamName(name);
  const market = stream && venue.markets.get(stream.symbol);
  if (stream?.kind !== 'kline' || market === undefined || hasCandles(market, stream.interval)) return undefined;
  return `Invalid interval: this market has no candles of ${stream.interval}`;
}

export function unsubscribe(streams: MarketStreams, { client, name }: Subscription): void {
  const clients = streams.clients.get(name);
  clients?.delete(client);
  if (clients?.size !== 0) return;
  streams.clients.delete(name);
  streams.arrays.delete(name);
  const stream = readStreamName(name);
  const state = stream && streams.states.get(stream.symbol);
  if (state === undefined) return;
  removeStream(state, name);
  if (state.streams.size === 0) streams.states.delete(stream?.symbol ?? '');
}

/** Coins with a subscriber; all coins while a stream of all coins has one. */
export const watchedSymbols = (streams: MarketStreams, all: Iterable<string>): Iterable<string> =>
  streams.arrays.size > 0 ? all : streams.states.keys();

/** Sends the immediate frames of a printed trade. */
export function streamTrade(streams: MarketStreams, trade: PublicTrade): void {
  const state = streams.states.get(trade.symbol);
  if (state === undefined) return;
  streams.touched.add(trade.symbol);
  send(streams, framesOfTrade(state, trade));
}

/** Records the changes of an order in the book. */
export function streamOrder(streams: MarketStreams, venue: Venue, report: Report): void {
  const { symbol } = report.order;
  noteBookChange(venue.engine.market(symbol), report.atMs);
  const state = streams.states.get(symbol);
  if (state === undefined) return;
  streams.touched.add(symbol);
  noteOrderChange(state, report.order);
}

/** Sends the candles that end with one of the coin's own candles. */
export function streamClose(
  streams: MarketStreams,
  close: { readonly symbol: string; readonly openMs: number; readonly atMs: number },
): void {
  const state = streams.states.get(close.symbol);
  if (state !== undefined) send(streams, framesOfClose(state, close));
}

/** Everything up to `atMs` has happened and the books are consistent: sends the due frames of the touched coins. */
export function streamSettled(streams: MarketStreams, venue: Venue, atMs: number): void {
  const settled = { atMs, isLast: isClockWaiting(venue, atMs) };
  for (const symbol of streams.touched) sendDue(streams, symbol, settled);
  streams.touched.clear();
}

/** True while a virtual clock waits at `atMs` to be moved. */
const isClockWaiting = ({ clock }: Venue, atMs: number): boolean => clock.moveTo !== undefined && atMs <= clock.nowMs();

/** Market time has reached `nowMs`: sends the due frames of all coins. */
export function streamPause(streams: MarketStreams, venue: Venue, nowMs: number): void {
  streams.touched.clear();
  const settled = { atMs: nowMs, isLast: isClockWaiting(venue, nowMs) };
  for (const symbol of streams.states.keys()) sendDue(streams, symbol, settled);
  for (const [name, array] of streams.arrays) {
    if (nowMs - array.sentMs < ARRAYS_MS) continue;
    array.sentMs = nowMs;
    broadcast(streams, name, rowsOf(array.stream, venue, nowMs));
  }
}

function sendDue(streams: MarketStreams, symbol: string, settled: Settled): void {
  const state = streams.states.get(symbol);
  if (state !== undefined) send(streams, framesWhenSettled(state, settled));
}

const rowsOf = (stream: ArrayName, venue: Venue, nowMs: number): Record<string, unknown>[] =>
  [...venue.markets].map(([symbol, market]) =>
    stream.kind === 'allMini'
      ? miniTickerFrame(symbol, rollingSpan(market, DAY_MS, nowMs))
      : windowTickerFrame(symbol, stream.window, rollingSpan(market, windowMs(stream.window), nowMs)),
  );

function send(streams: MarketStreams, frames: readonly StreamFrame[]): void {
  for (const { name, body } of frames) broadcast(streams, name, body);
}

/** Encodes a frame once for all subscribers of its stream that use the same time unit. */
export function broadcast(streams: MarketStreams, name: string, body: unknown): void {
  const texts = new Map<TimeUnit, { readonly raw: string; readonly wrapped: string }>();
  for (const client of streams.clients.get(name) ?? []) {
    const known = texts.get(client.unit);
    const raw = known?.raw ?? encode(body, client.unit);
    const text = known ?? { raw, wrapped: `{"stream":"${name}","data":${raw}}` };
    texts.set(client.unit, text);
    streams.faults.pass(client, name, client.combined ? text.wrapped : text.raw);
  }
}
