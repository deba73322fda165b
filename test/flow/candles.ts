import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDice } from './random.ts';

const MINUTE_MS = 60_000;
export const MARKET_START = Date.UTC(2024, 0, 1);

interface Swings {
  readonly symbol?: string;
  readonly seed?: number;
  /** Minutes from one high to the next. */
  readonly period?: number;
  /** Where in the swing the market begins, from 0 to 1. */
  readonly phase?: number;
}

/**
 * Writes minutes of a market that swings by 2 % around its mean, by default every three hours, with small seeded noise.
 * A dip-buying strategy buys and sells once a swing. Returns the path of the file.
 */
export function writeSwingingCandles(folder: string, minutes: number, swings: Swings = {}): string {
  const { symbol = 'BTCUSDT', seed = 7, period = 180, phase = 0 } = swings;
  const path = join(folder, `${symbol}-1m.csv`);
  const dice = openDice(seed);
  const priceAt = (minute: number): number =>
    30_000 * (1 + 0.02 * Math.sin(2 * Math.PI * (minute / period + phase))) + (dice.next() - 0.5) * 6;
  let open = priceAt(0);
  const rows = ['openTime,open,high,low,close,volume'];
  for (let minute = 0; minute < minutes; minute++) {
    const close = priceAt(minute + 1);
    const high = Math.max(open, close) + dice.next() * 4;
    const low = Math.min(open, close) - dice.next() * 4;
    const prices = [open, high, low, close].map((price) => price.toFixed(2));
    rows.push([MARKET_START + minute * MINUTE_MS, ...prices, '25.00000'].join(','));
    open = Number(prices[3]);
  }
  writeFileSync(path, `${rows.join('\n')}\n`);
  return path;
}
