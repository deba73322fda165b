import { z } from 'zod';
import type { MarketPort } from '#core/ports/exchange.ts';
import { createExchangeClock, type ServerTime } from './clock.ts';
import { type RateLimiter, rateLimiterFor } from './limits.ts';
import { parseCandles } from '#exchange/parse/candles.ts';
import { parseExchangeInfo } from '#exchange/parse/rules.ts';
import { decimal, requireShape } from '#exchange/parse/shape.ts';
import { callUnsigned, createTransport, type Transport } from './transport.ts';

interface MarketReaderOptions {
  readonly restUrl: string;
  /** By default shared with every other client of the same host in this process. */
  readonly limiter?: RateLimiter;
}

/** Candles that one request can return, including the one in progress. */
const MAX_CANDLES = 1_000;

const time = z.object({
  serverTime: z.number(),
  marketTime: z.number().optional(),
  marketSpeed: z.number().nonnegative().optional(),
});
const ticker = z.object({ price: decimal });
const tickers = z.array(z.object({ symbol: z.string(), price: decimal }));

/** Waiting would distort the round-trip measurement: a time request that cannot be sent at once fails. */
const fetchTime = async (transport: Transport): Promise<ServerTime> =>
  requireShape(
    time,
    await callUnsigned(transport, { path: '/api/v3/time', priority: 'exit', weight: 1, waitMs: 0 }),
    'the time',
  );

/**
 * Market data of one venue, without credentials. Sync its clock once before use.
 * All calls throw ExchangeError; `candles` throws RangeError for a limit outside 1 to 1000.
 */
export function createMarketReader(options: MarketReaderOptions): MarketPort {
  const limiter = options.limiter ?? rateLimiterFor(options.restUrl);
  const transport = createTransport(options.restUrl, limiter);
  const clock = createExchangeClock(() => fetchTime(transport));
  limiter.followClock(clock.protocolMs);
  return {
    clock,
    async rules() {
      const body = await callUnsigned(transport, { path: '/api/v3/exchangeInfo', priority: 'query', weight: 20 });
      const { symbols, limits } = parseExchangeInfo(body);
      limiter.setLimits(limits);
      return symbols;
    },
    async candles({ symbol, interval, limit, beforeMs, fromMs }) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_CANDLES) {
        throw new RangeError(`${limit} candles were requested, but one request returns 1 to ${MAX_CANDLES}.`);
      }
      const endTime = beforeMs === undefined ? undefined : beforeMs - 1;
      const params = { symbol, interval, limit, startTime: fromMs, endTime };
      const marketMs = clock.marketMs();
      const body = await callUnsigned(transport, { path: '/api/v3/klines', params, priority: 'history', weight: 2 });
      return parseCandles(body, interval, marketMs);
    },
    async price(symbol) {
      const params = { symbol };
      const body = await callUnsigned(transport, {
        path: '/api/v3/ticker/price',
        params,
        priority: 'query',
        weight: 2,
      });
      return requireShape(ticker, body, 'a price').price;
    },
    async prices() {
      const body = await callUnsigned(transport, { path: '/api/v3/ticker/price', priority: 'query', weight: 4 });
      return new Map(requireShape(tickers, body, 'the prices').map(({ symbol, price }) => [symbol, price]));
    },
  };
}
