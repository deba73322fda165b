import { z } from 'zod';
import { parseJson } from '#paper/json-literals.ts';
import { finishParams, type Params, readText } from '#paper/rest/params.ts';
import { RefusedError, refuse } from '#paper/exchange/refusal.ts';
import type { PublicRoute } from '#paper/rest/routes.ts';

const TIMEOUT_MS = 20_000;
const refused = z.object({ code: z.number(), msg: z.string() });

/** Parameters of market data that are safe to pass on. */
const PARAMS = [
  ...['symbol', 'symbols', 'interval', 'limit', 'startTime', 'endTime', 'timeZone', 'fromId', 'type', 'windowSize'],
  'symbolStatus',
];
/**
 * Queries that are answered by the other exchange: everything public except the list of coins, the book and data
 * derived from it.
 */
const RELAYED = [
  ...['klines', 'uiKlines', 'trades', 'historicalTrades', 'historicalBlockTrades', 'aggTrades', 'avgPrice', 'ticker'],
  ...['ticker/24hr', 'ticker/tradingDay', 'ticker/price'],
].map((name) => `/api/v3/${name}`);

/**
 * Sends requests to another exchange. It never sends a key. After a rate limit it sends nothing until the limit ends.
 */
export interface Upstream {
  get(path: string, query: URLSearchParams): Promise<unknown>;
}

export function openUpstream(url: string): Upstream {
  let silentUntilMs = 0;
  return {
    get: async (path, query) => {
      if (Date.now() < silentUntilMs) throw overloaded();
      const response = await reach(`${url}${path}?${query}`);
      const text = await response.text().catch(unreachable);
      const wait = Number(response.headers.get('retry-after') ?? 0);
      if (response.status === 429 || response.status === 418) {
        silentUntilMs = Date.now() + Math.max(1, wait) * 1000;
        throw overloaded();
      }
      const body = parseJson(text);
      if (response.ok && body !== undefined) return body;
      const refusal = refused.safeParse(body);
      if (!refusal.success || response.status >= 500) throw new RefusedError(refuse(-1001, FAILED, 503));
      throw new RefusedError(refuse(refusal.data.code, refusal.data.msg, response.status));
    },
  };
}

const FAILED = 'Internal error; unable to process your request. Please try again.';
const overloaded = (): RefusedError =>
  new RefusedError(
    refuse(-1008, 'Server is currently overloaded with other requests. Please try again in a few minutes.', 503),
  );

const reach = (url: string): Promise<Response> =>
  fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(unreachable);

/** Keeps the cause for the message at startup. */
function unreachable(error: unknown): never {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  throw Object.assign(new RefusedError(refuse(-1001, FAILED, 503)), { cause });
}

/** The same routes, with market data answered by another exchange. */
export const relayRoutes = (routes: readonly PublicRoute[], upstream: Upstream): PublicRoute[] =>
  routes.map((route) =>
    RELAYED.includes(route.path) ? { ...route, handle: (params) => passOn(upstream, route.path, params) } : route,
  );

function passOn(upstream: Upstream, path: string, params: Params): Promise<unknown> {
  const query = new URLSearchParams();
  for (const name of PARAMS) {
    const value = readText(params, name);
    if (value !== undefined) query.set(name, value);
  }
  finishParams(params);
  return upstream.get(path, query);
}
