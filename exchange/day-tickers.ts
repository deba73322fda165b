import { z } from 'zod';
import type { DayTicker } from '#core/research/discovery.ts';
import { rateLimiterFor } from './limits.ts';
import { float, requireShape } from '#exchange/parse/shape.ts';
import { callUnsigned, createTransport } from './transport.ts';

const tickers = z.array(
  z
    .object({
      symbol: z.string(),
      lastPrice: float,
      priceChangePercent: float,
      highPrice: float,
      bidPrice: float,
      askPrice: float,
      quoteVolume: float,
    })
    .transform(
      (day): DayTicker => ({
        symbol: day.symbol,
        last: day.lastPrice,
        changePercent: day.priceChangePercent,
        high: day.highPrice,
        bid: day.bidPrice,
        ask: day.askPrice,
        quoteVolume: day.quoteVolume,
      }),
    ),
);

/** The last 24 hours of all coins in one request of weight 80, with the lowest priority. Throws ExchangeError. */
export async function readDayTickers(restUrl: string): Promise<DayTicker[]> {
  const transport = createTransport(restUrl, rateLimiterFor(restUrl));
  const body = await callUnsigned(transport, { path: '/api/v3/ticker/24hr', priority: 'history', weight: 80 });
  return requireShape(tickers, body, 'the last 24 hours');
}
