import { venueOf } from '#core/account/account.ts';
import { EnvironmentError } from '#core/installation/env.ts';
import type { Candle } from '#core/market/candle.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { readCoinDay } from '#api/contract/overview.ts';
import { Memo } from '#api/frame/memo.ts';
import type { Routes } from '#api/handle.ts';

const HOURS = 24;
/** The overview shows many coins: each is read at most this often. */
const TTL_MS = 60_000;
const MOST_COINS = 1_000;

/** Without the exchange the day is not known, and the rest of the overview is. */
function whenUnavailable(error: unknown): readonly Candle[] {
  if (error instanceof ExchangeError || error instanceof EnvironmentError) return [];
  throw error;
}

/** Without a whole day the change would be one of a shorter time. */
const changeOf = (candles: readonly Candle[]): number | null => {
  const [first, last] = [candles[0], candles.at(-1)];
  return first === undefined || last === undefined || candles.length < HOURS || first.open === 0
    ? null
    : last.close / first.open - 1;
};

export function mountCoinDay({ context, handle }: Routes): void {
  const { venues, now } = context;
  const days = new Memo<readonly Candle[]>({ nowMs: () => now().getTime(), most: MOST_COINS });
  handle(readCoinDay, async ({ readAccount, params: { symbol } }) => {
    const venue = venueOf(await readAccount());
    const speed = (await venues.marketTime(venue, now().getTime()))?.speed ?? 1;
    const read = () => venues.candles(venue, { symbol, interval: '1h', limit: HOURS });
    const candles = await days.get(`${venue} ${symbol}`, TTL_MS / Math.max(1, speed), read).catch(whenUnavailable);
    return { change: changeOf(candles), closes: candles.map(({ close }) => close) };
  });
}
