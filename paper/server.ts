import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { BadInputError } from './bad-input.ts';
import { type MarketClock, realClock, scaledClock, virtualClock } from '#paper/exchange/clock.ts';
import { createControl } from '#paper/drills/control.ts';
import { controlHeaders, issueControlToken } from '#paper/drills/control-guard.ts';
import { openEventFaults } from '#paper/faults/event-faults.ts';
import { openFaults } from '#paper/faults/faults.ts';
import { openJournal } from '#paper/exchange/journal.ts';
import { type Limits, openLimits } from '#paper/rest/limits.ts';
import { openReplay } from '#paper/market/replay.ts';
import type { MarketSource } from '#paper/market/source.ts';
import { openSynthetic, withoutMovement } from '#paper/market/synthetic.ts';
import {
  emptyStreams,
  type MarketStreams,
  streamClose,
  streamOrder,
  streamPause,
  streamSettled,
  streamTrade,
  watchedSymbols,
} from '#paper/streams/market-streams.ts';
import type { Report } from '#paper/exchange/matching-engine.ts';
import type { PaperOptions } from './options.ts';
import { startMarketLoop } from '#paper/exchange/market-loop.ts';
import { openRequestLog } from '#paper/rest/request-log.ts';
import { isRelayedStream, openRelay, type Relay } from '#paper/relay/relay.ts';
import { relayRoutes } from '#paper/relay/relay-query.ts';
import { handleRest, plainAddress, type RestContext } from '#paper/rest/rest.ts';
import { accountRoutes } from '#paper/rest/rest-account.ts';
import { marketRoutes } from '#paper/rest/rest-market.ts';
import { orderRoutes } from '#paper/rest/order-routes.ts';
import { referenceRoutes } from '#paper/rest/rest-reference.ts';
import { sapiRoutes } from '#paper/rest/rest-sapi.ts';
import { tickerRoutes } from '#paper/rest/rest-tickers.ts';
import { tradeRoutes } from '#paper/rest/rest-trades.ts';
import { tableOf } from '#paper/rest/routes.ts';
import { BodyTooLargeError, readBody, splitUrl } from '#paper/rest/server-request.ts';
import { openSockets } from '#paper/sockets/sockets.ts';
import { resolveMarket, type StoredMarket } from '#paper/market/stored-market.ts';
import { openUserStreams, type UserStreams } from '#paper/streams/user-streams.ts';
import { openVenue, type Venue } from '#paper/exchange/venue.ts';

const LOOPBACK = '127.0.0.1';
const TOO_LARGE = '<html><body>413 Request Entity Too Large</body></html>';
/** One trade every 400 ms of wall time makes a market lively. A candle has at most this many trades. */
const TRADE_GAP_MS = 400;
const MAX_TRADES = 240;
/** Enough points on the path through a candle for code that checks every trade. */
const FEWEST_TRADES = 12;

/** A running paper exchange. */
export interface PaperExchange extends AsyncDisposable {
  readonly url: string;
  readonly wsUrl: string;
  readonly controlUrl: string;
  readonly controlToken: string;
  /** The headers that the control port requires. */
  readonly controlHeaders: Readonly<Record<string, string>>;
  readonly venue: Venue;
}

/** Starts a paper exchange, on loopback unless `host` is given. Throws BadInputError. */
export async function startPaper(
  options: PaperOptions,
  log: (line: string) => void = () => undefined,
): Promise<PaperExchange> {
  await using stack = new AsyncDisposableStack();
  const relay = options.source.kind === 'relay' ? await openRelay(options.source) : undefined;
  const streams = emptyStreams(relay && isRelayedStream);
  const eventFaults = openEventFaults();
  const users = openUserStreams(eventFaults);
  const limits = openLimits((ip) => onBan(ip));
  const venue = openStoredVenue(options, {
    streams,
    users,
    stack,
    relay,
    reduceOrderCount: (report) => reduceOrderCount(limits, report),
  });
  const publicRoutes = [
    ...marketRoutes(venue),
    ...tradeRoutes(venue),
    ...tickerRoutes(venue),
    ...referenceRoutes(venue),
  ];
  let onBan: (ip: string | undefined) => void = () => undefined;
  const context: RestContext = {
    accounts: options.accounts,
    table: tableOf([
      ...(relay === undefined ? publicRoutes : relayRoutes(publicRoutes, relay.upstream)),
      ...orderRoutes(venue),
      ...accountRoutes(venue, limits),
      ...sapiRoutes(venue),
    ]),
    limits,
    faults: openFaults(),
    log: openRequestLog(),
    environment: { profile: options.profile ?? 'live' },
  };
  const server = openServer(options.tls, (request, response) => void answerHttp({ context, log }, request, response));
  const sockets = stack.use(openSockets(server, { context, streams, users, venue, log }));
  onBan = (ip) => void sockets.drop({ ip, kind: 'api' });
  const following = relay && stack.use(relay.follow(venue, streams, log));
  const token = issueControlToken(options.controlTokenFile);
  const control = createControl({ venue, context, sockets, eventFaults, streams, users, following, token });
  const port = await listen(server, { host: options.host ?? LOOPBACK, port: options.port }, stack);
  const controlPort = await listen(control, { host: LOOPBACK, port: options.controlPort }, stack);
  // Must run before the servers close, because they wait for open connections.
  stack.defer(() => void sockets.drop());
  if (venue.clock.moveTo === undefined) stack.use(startMarketLoop(venue, log));
  const kept = stack.move();
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${LOOPBACK}:${port}`,
    wsUrl: `${options.tls === undefined ? 'ws' : 'wss'}://${LOOPBACK}:${port}`,
    controlUrl: `http://${LOOPBACK}:${controlPort}`,
    controlToken: token,
    controlHeaders: controlHeaders(token),
    venue,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The first fill of an order frees a place in the count of unfilled orders. */
function reduceOrderCount(limits: Limits, { order, fill }: Report): void {
  if (fill !== null && order.executed === fill.quantity) limits.noteFirstFill(order.account, fill.maker);
}

interface VenueInput {
  readonly streams: MarketStreams;
  readonly users: UserStreams;
  readonly stack: AsyncDisposableStack;
  readonly relay: Relay | undefined;
  /** Called with every report, for the count of unfilled orders. */
  readonly reduceOrderCount: (report: Report) => void;
}

function openStoredVenue(options: PaperOptions, parts: VenueInput): Venue {
  const { streams, users, stack, relay, reduceOrderCount } = parts;
  const stored = options.dataDir === undefined ? undefined : openJournal(options.dataDir);
  if (stored !== undefined) stack.use(stored.journal);
  const { market, continues } = resolveMarket(options);
  const source = relay?.source ?? openSource(options, market);
  const resumeMs = continues ? stored?.marketMs : undefined;
  const clock = openClock(options, source, resumeMs);
  const venue: Venue = openVenue({
    clock,
    source,
    accounts: options.accounts,
    tradesPerCandle: (intervalMs) => {
      const pace = clock.moveTo === undefined ? intervalMs / clock.speed / TRADE_GAP_MS : 0;
      return Math.max(FEWEST_TRADES, Math.min(MAX_TRADES, Math.round(pace)));
    },
    listeners: {
      onTrade: (trade) => streamTrade(streams, trade),
      onClose: (symbol, openMs, atMs) => streamClose(streams, { symbol, openMs, atMs }),
      onReport: (report) => {
        users.report(report);
        reduceOrderCount(report);
        streamOrder(streams, venue, report);
      },
      onList: (report) => users.list(report),
      onBalances: (account, rows, atMs) => users.balances(account, rows, atMs),
      onSettled: (atMs) => streamSettled(streams, venue, atMs),
      onPause: (nowMs) => streamPause(streams, venue, nowMs),
      watched: () => watchedSymbols(streams, venue.markets.keys()),
    },
    ...(stored === undefined
      ? {}
      : { stored: { journal: stored.journal, records: stored.records, marketMs: resumeMs ?? clock.nowMs() } }),
  });
  return venue;
}

function openSource({ source }: PaperOptions, market: StoredMarket): MarketSource {
  if (source.kind === 'replay') return openReplay(source.folder, market.fromMs ?? undefined);
  const synthetic = openSynthetic(market.seed, market.anchorMs);
  return source.kind === 'script' ? withoutMovement(synthetic) : synthetic;
}

/** Wall time for a synthetic market at speed 1. Otherwise a separate clock that continues where it stopped. */
function openClock(options: PaperOptions, source: MarketSource, resumeMs: number | undefined): MarketClock {
  if (options.clock.kind === 'virtual') return virtualClock(resumeMs ?? options.clock.startMs);
  const isWallTime = options.source.kind !== 'replay' && options.speed === 1 && options.fromMs === undefined;
  return isWallTime ? realClock() : scaledClock(resumeMs ?? source.startMs, options.speed);
}

/** Uses TLS if a certificate is given. Throws BadInputError for a certificate that cannot be used. */
function openServer(tls: PaperOptions['tls'], handle: RequestListener): Server {
  if (tls === undefined) return createServer(handle);
  try {
    return createTlsServer(tls, handle);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new BadInputError(`The certificate of --tls-cert and the key of --tls-key cannot be used: ${cause}.`);
  }
}

async function listen(
  server: Server,
  at: { host: string; port: number },
  stack: AsyncDisposableStack,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      const advice = taken
        ? 'is already in use: stop the program that listens there, or choose another port'
        : `cannot be opened: ${error.message}`;
      reject(new BadInputError(`Port ${at.port} on ${at.host} ${advice}.`));
    });
    server.listen(at.port, at.host, resolve);
  });
  stack.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : at.port;
}

interface HttpInput {
  readonly context: RestContext;
  readonly log: (line: string) => void;
}

async function answerHttp(parts: HttpInput, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { context, log } = parts;
  try {
    const { path, rawQuery } = splitUrl(request.url ?? '/');
    const rawBody = await readBody(request);
    const ip = plainAddress(request.socket.remoteAddress);
    const reply = await handleRest(context, {
      method: request.method ?? 'GET',
      path,
      rawQuery,
      rawBody,
      headers: request.headers,
      ip,
    });
    if (reply.kind === 'reset') request.socket.resetAndDestroy();
    else response.writeHead(reply.status, { 'Content-Type': reply.contentType, ...reply.headers }).end(reply.body);
  } catch (error) {
    if (error instanceof BodyTooLargeError) {
      response.writeHead(413, { 'Content-Type': 'text/html', Connection: 'close' }).end(TOO_LARGE);
      return;
    }
    log(`A request failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    if (!response.headersSent) response.writeHead(500, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ code: -1000, msg: 'An unknown error occurred while processing the request.' }));
  }
}
