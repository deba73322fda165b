import { type Candle, INTERVAL_MS } from '#core/candle.ts';
import { marketMs } from './account-context.ts';
import { type CandleSource, type Coin, refreshView } from './coin.ts';

/** Candles that one request of the exchange can hold. */
const PAGE = 1_000;
/** Missed candles that could not be read are asked for again after this long. */
const AGAIN_MS = 5_000;
/** A candle that should have closed is asked for when the stream has brought none for this long, then again each minute. */
const OVERDUE_MS = 10_000;
const OVERDUE_AGAIN_MS = 60_000;

/** Brings closed candles to the strategy in order and without a hole. Both answer whether it was fed anything. */
export interface CandleFeed {
  /** One candle of the stream; when candles before it are missing, the exchange is asked for them first. */
  take(candle: Candle): Promise<boolean>;
  /** Reads the closed candles since the last one seen: the stream may have missed some. */
  catchUp(): Promise<boolean>;
  /** True when candles could not be read, or the stream owes one, and it is time to ask. */
  isDue(): boolean;
}

/** While missed candles cannot be read nothing is fed, so that the strategy never sees a hole. */
export function createCandleFeed(coin: Coin, source: CandleSource): CandleFeed {
  let againAtMs = Number.POSITIVE_INFINITY;
  let overdue = { lastOpenMs: 0, atMs: Number.POSITIVE_INFINITY };
  const read = async (): Promise<boolean> => {
    const complete = await readMissed(coin, source);
    againAtMs = complete ? Number.POSITIVE_INFINITY : performance.now() + AGAIN_MS;
    return complete;
  };
  return {
    async catchUp() {
      const before = source.lastOpenMs;
      await read();
      return source.lastOpenMs > before;
    },
    async take(candle) {
      const before = source.lastOpenMs;
      const hole = before > 0 && candle.openMs > before + INTERVAL_MS[source.interval];
      if (!hole || (await read())) feedClosed(coin, source, candle);
      return source.lastOpenMs > before;
    },
    isDue() {
      const [nowMs, lastOpenMs] = [performance.now(), source.lastOpenMs];
      if (overdue.lastOpenMs !== lastOpenMs) overdue = { lastOpenMs, atMs: nowMs + OVERDUE_MS };
      const owed = marketMs(coin.context) >= lastOpenMs + 2 * INTERVAL_MS[source.interval];
      if (lastOpenMs === 0 || !owed || nowMs < overdue.atMs) return nowMs >= againAtMs;
      overdue.atMs = nowMs + OVERDUE_AGAIN_MS;
      return true;
    },
  };
}

async function readMissed(coin: Coin, source: CandleSource): Promise<boolean> {
  const { symbol, context } = coin;
  const { interval } = source;
  if (source.lastOpenMs === 0) return true;
  try {
    for (;;) {
      const fromMs = source.lastOpenMs + 1;
      const missed = await context.ports.market.candles({ symbol, interval, fromMs, limit: PAGE });
      for (const each of missed) if (each.closed) feedClosed(coin, source, each);
      if (missed.length < PAGE) return true;
    }
  } catch (err) {
    context.ports.log.warn(
      { event: 'candles_not_read', symbol, err },
      `Missed candles of ${symbol} could not be read; asking again`,
    );
    return false;
  }
}

/** One closed candle into gates and strategy; older ones than the last are ignored. */
export function feedClosed(coin: Coin, source: CandleSource, candle: Candle): void {
  if (candle.openMs <= source.lastOpenMs) return;
  source.lastOpenMs = candle.openMs;
  coin.gates?.onCandle(source.interval, candle);
  if (source.interval !== coin.bound.needs.interval) return;
  refreshView(coin);
  coin.instance.onCandle(candle, coin.view);
}
