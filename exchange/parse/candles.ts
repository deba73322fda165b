import { z } from 'zod';
import { type Candle, INTERVAL_MS, type Interval } from '#core/market/candle.ts';
import { float, requireShape } from './shape.ts';

const row = z.tuple([z.number(), float, float, float, float, float]).rest(z.unknown());

/**
 * Parses GET /api/v3/klines into candles, oldest first. A candle counts as closed when it ends at or before `marketMs`.
 * Read `marketMs` before the request is sent, so that the reply is not older than `marketMs`.
 */
export function parseCandles(body: unknown, interval: Interval, marketMs: number): Candle[] {
  return requireShape(z.array(row), body, 'candles').map(([openMs, open, high, low, close, volume]) => {
    const closeMs = openMs + INTERVAL_MS[interval];
    return { openMs, closeMs, open, high, low, close, volume, closed: closeMs <= marketMs };
  });
}
