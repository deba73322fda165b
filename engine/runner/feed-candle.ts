import { type Candle, INTERVAL_MS, type Interval, openOf } from '#core/market/candle.ts';
import { marketMs } from '#engine/state/account-context.ts';
import { type CandleSource, type Coin, refreshView } from '#engine/state/coin.ts';
import { logRow } from '#engine/tick/settle.ts';

/** Candles that one request of the exchange can return. */
const PAGE = 1_000;
/** Pause after the first failed read, doubled after each further one up to the longest (wall ms). */
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 30_000];
/** Failed reads in a row after which a gap in complete candles is reported in the profile's log. */
const REPORT_AFTER = 3;
/** A candle that should have closed is read when the stream is this late, then again each minute. */
const OVERDUE_MS = 10_000;
const OVERDUE_AGAIN_MS = 60_000;

/**
 * Feeds closed candles to the strategy in order and without a gap. Requests run outside the coin's queue: an exchange
 * that does not answer never delays an exit.
 */
interface CandleFeed {
  /** Feeds one candle of the stream, in the coin's queue; reads missing candles before it first. True when fed. */
  take(candle: Candle): boolean;
  /** Reads the first candles, later the closed candles since the last one. Never rejects. */
  read(): Promise<void>;
  /** True when a retry is due, or when the stream is late with a candle. */
  isDue(): boolean;
}

interface CandleFeedInput {
  /** Runs a job in the coin's queue. */
  readonly inTurn: (job: () => Promise<void> | undefined) => void;
  /** The strategy has received candles. */
  readonly onFed: () => Promise<void> | undefined;
}

/** The feeds of all intervals that a coin needs. */
interface CandleFeeds {
  /** One closed candle of the stream. */
  take(interval: Interval, candle: Candle): void;
  /** Reads missing candles of every interval. Never rejects. */
  read(): Promise<void>;
  readDue(): void;
}

export function createCandleFeeds(coin: Coin, input: CandleFeedInput): CandleFeeds {
  const feeds = coin.sources.map((source) => ({ source, feed: createCandleFeed(coin, source, input) }));
  return {
    take(interval, candle) {
      for (const { source, feed } of feeds)
        if (source.interval === interval) input.inTurn(() => (feed.take(candle) ? input.onFed() : undefined));
    },
    async read() {
      await Promise.all(feeds.map(({ feed }) => feed.read()));
    },
    readDue() {
      for (const { feed } of feeds) if (feed.isDue()) void feed.read();
    },
  };
}

/** Feeds nothing while missed candles cannot be read, so that the strategy never sees a gap. */
function createCandleFeed(coin: Coin, source: CandleSource, { inTurn, onFed }: CandleFeedInput): CandleFeed {
  let reading = false;
  let waiting: Candle[] = [];
  let failures = 0;
  /** performance.now() of the attempt after a failed one. */
  let againAtMs: number | null = null;
  let overdue = { lastOpenMs: 0, atMs: Number.POSITIVE_INFINITY };
  const feed = (candles: readonly Candle[]): boolean => {
    const before = source.lastOpenMs;
    for (const candle of candles) if (candle.closed) feedClosed(coin, source, candle);
    return source.lastOpenMs > before;
  };
  const complete = (candles: readonly Candle[]): Promise<void> | undefined => {
    const first = !source.complete;
    if (failures >= reportAfter(source)) reportComplete(coin, source);
    [reading, failures, againAtMs] = [false, 0, null];
    source.complete = true;
    source.problem = null;
    const fed = feed([...candles, ...waiting]);
    waiting = [];
    return fed || first ? onFed() : undefined;
  };
  const fail = (err: unknown): void => {
    [reading, waiting] = [false, []];
    failures += 1;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    againAtMs = performance.now() + pauseMs;
    source.problem = {
      cause: err instanceof Error ? err.message : String(err),
      nextAt: new Date(Date.now() + pauseMs),
    };
    const { symbol, context } = coin;
    context.ports.log.warn(
      { event: 'candles_not_read', symbol, interval: source.interval, failures, err },
      `Candles of ${symbol} could not be read; the next attempt is in ${pauseMs / 1000} s`,
    );
    if (failures === reportAfter(source)) reportMissing(coin, source);
  };
  const read = async (): Promise<void> => {
    if (reading || coin.context.signal.aborted) return;
    reading = true;
    try {
      const own = source.complete ? readMissed(coin, source) : readFirst(coin, source);
      const [candles, longer] = await Promise.all([own, readLonger(coin, source)]);
      inTurn(() => (feedLonger(coin, longer, candles), complete(candles)));
    } catch (err) {
      fail(err);
    }
  };
  return {
    read,
    take(candle) {
      const before = source.lastOpenMs;
      const hole = before > 0 && candle.openMs > before + INTERVAL_MS[source.interval];
      if (source.complete && !reading && !hole) return feed([candle]);
      waiting.push(candle);
      if (source.complete && againAtMs === null) void read();
      return false;
    },
    isDue() {
      const [nowMs, lastOpenMs] = [performance.now(), source.lastOpenMs];
      if (reading) return false;
      if (overdue.lastOpenMs !== lastOpenMs) overdue = { lastOpenMs, atMs: nowMs + OVERDUE_MS };
      const owed = marketMs(coin.context) >= lastOpenMs + 2 * INTERVAL_MS[source.interval];
      if (lastOpenMs === 0 || !owed || nowMs < overdue.atMs) return againAtMs !== null && nowMs >= againAtMs;
      overdue.atMs = nowMs + OVERDUE_AGAIN_MS;
      return true;
    },
  };
}

/** The first candles of strategy and gates; the reply of the exchange also holds the open candle. */
function readFirst({ symbol, context }: Coin, { interval, want }: CandleSource): Promise<readonly Candle[]> {
  return context.ports.market.candles({ symbol, interval, limit: Math.min(want + 1, PAGE) });
}

interface LongerCandles {
  readonly interval: Interval;
  readonly candles: readonly Candle[];
}

/** Reads the longer candles that a strategy needs before its own ones. */
async function readLonger({ symbol, context, bound }: Coin, source: CandleSource): Promise<LongerCandles[]> {
  const { interval: own, also = [] } = bound.needs;
  if (source.complete || source.interval !== own) return [];
  return Promise.all(
    also.map(async ({ interval, want }) => {
      const limit = Math.min(want + 1, PAGE);
      return { interval, candles: await context.ports.market.candles({ symbol, interval, limit }) };
    }),
  );
}

/** Feeds longer candles up to the one in which the own ones begin. */
function feedLonger({ instance }: Coin, longer: readonly LongerCandles[], own: readonly Candle[]): void {
  const firstMs = own[0]?.openMs ?? 0;
  for (const { interval, candles } of longer)
    for (const candle of candles)
      if (candle.closed && candle.openMs <= openOf(firstMs, interval)) instance.onLongerCandle?.(interval, candle);
}

async function readMissed({ symbol, context }: Coin, { interval, lastOpenMs }: CandleSource): Promise<Candle[]> {
  const all: Candle[] = [];
  if (lastOpenMs === 0) return all;
  for (;;) {
    const fromMs = (all.at(-1)?.openMs ?? lastOpenMs) + 1;
    const page = await context.ports.market.candles({ symbol, interval, fromMs, limit: PAGE });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

const reportAfter = ({ complete }: CandleSource): number => (complete ? REPORT_AFTER : 1);

function reportMissing(coin: Coin, { interval, problem, complete }: CandleSource): void {
  const blocks = complete ? '' : ' The coin buys nothing until they are read.';
  const cause = problem?.cause ?? '';
  const msg = `The ${interval} candles of ${coin.symbol} cannot be read (${cause}).${blocks} Exits and the stop work.`;
  logRow(coin, { level: 'warn', msg, ctx: { event: 'candles_missing', interval, cause } });
}

function reportComplete(coin: Coin, { interval }: CandleSource): void {
  const msg = `The ${interval} candles of ${coin.symbol} are complete again.`;
  logRow(coin, { level: 'info', msg, ctx: { event: 'candles_complete', interval } });
}

/** Feeds one closed candle to gates and strategy; ignores a candle that is not newer than the last. */
function feedClosed(coin: Coin, source: CandleSource, candle: Candle): void {
  if (candle.openMs <= source.lastOpenMs) return;
  source.lastOpenMs = candle.openMs;
  coin.gates?.onCandle(source.interval, candle);
  if (source.interval !== coin.bound.needs.interval) return;
  refreshView(coin);
  coin.instance.onCandle(candle, coin.view);
}
