import { createAtr, createEma, createSma, SCALE } from './averages.ts';
import {
  down,
  type Fraction,
  fraction,
  isAtMost,
  isBelow,
  larger,
  longMinus,
  longOver,
  longTimes,
  minus,
  most,
  nearest,
  NONE,
  ONE,
  over,
  times,
  up,
} from './fraction.ts';
import { type Bar, priceOf } from './market.ts';
import { averageTicks, feeMultiple, isHeld } from './position.ts';
import { lengthOf, type Settings, settingsOf } from './settings.ts';
import { sizeSettings } from './size.ts';
import {
  CANCEL,
  type Decision,
  firstOf,
  type Moment,
  NOTHING,
  SELL_ALL,
  type Setting,
  type Strategy,
} from './strategy.ts';
import { isLate, queued, queueOf } from './waiting.ts';

const MOST_CANDLES = 999;
const MINUTE_MS = 60_000;
const HALF = fraction(1n, 2n);
/** A stop that follows the market is a share with 12 decimals. */
const STOP_PARTS = 10n ** 12n;

function read(s: Settings) {
  const multiplier = s.amount('atrTrailing.multiplier', '');
  const margin = s.amount('entryMarginPercentage', '1');
  const extension = s.amount('entryExtension.maxPercentage', '1.4');
  return {
    intervalMs: lengthOf(s.text('candleInterval', '1h')),
    fast: s.count('ema.fast', 9),
    slow: s.count('ema.slow', 21),
    margin: margin.n > 0n ? margin : ONE,
    ...{ multiplier, atrPeriod: multiplier.n > 0n ? s.count('atrTrailing.period', 14) : 0 },
    trail: s.amount('trailingStopPercentage', '0.95'),
    activation: s.amount('profitTrail.activationPercentage', ''),
    profitTrail: s.amount('profitTrail.trailPercentage', '0.97'),
    trendKind: s.text('trendFilter.maType', 'ema'),
    trendPeriod: s.count('trendFilter.period', 0),
    slopeBars: s.count('trendFilter.slopeBars', 0),
    ...{ extension, extensionPeriod: extension.n > 0n ? s.count('entryExtension.period', 50) : 0 },
    buys: s.flag('entryEnabled', true),
    sells: s.flag('exitEnabled', true),
    exitsOnCross: s.flag('exitOnCross', true),
    exitsInBear: s.text('regime.policy', 'off') === 'exit-in-bear',
    queue: queueOf(s),
  };
}
type Read = ReturnType<typeof read>;

function candleNeeds(k: Read): { readonly need: number; readonly warmUp: number } {
  const trend = k.trendPeriod > 0 ? k.trendPeriod + k.slopeBars : 0;
  const need = Math.max(k.slow + 1, k.atrPeriod > 0 ? k.atrPeriod + 1 : 0, trend, k.extensionPeriod);
  const longTrend = k.trendPeriod > 0 && k.trendKind === 'ema' ? 8 * (k.trendPeriod + 1) : 0;
  return { need, warmUp: Math.min(MOST_CANDLES, Math.max(need, 8 * (k.slow + 1), longTrend, 15 * k.atrPeriod)) };
}

const createAverages = (k: Read) => ({
  candles: 0,
  fast: createEma(k.fast),
  slow: createEma(k.slow),
  atr: k.atrPeriod > 0 ? createAtr(k.atrPeriod) : null,
  trend: k.trendPeriod === 0 ? null : (k.trendKind === 'sma' ? createSma : createEma)(k.trendPeriod),
  extension: k.extensionPeriod > 0 ? createSma(k.extensionPeriod) : null,
  /** Values of the trend average, newest last. */
  trends: [] as Fraction[],
  fastBefore: undefined as Fraction | undefined,
  slowBefore: undefined as Fraction | undefined,
  close: 0n,
});

/** The values that a cross compares; undefined before there are enough candles. */
function compared(averages: ReturnType<typeof createAverages>, slowLength: number) {
  const { fastBefore, slowBefore } = averages;
  const [fast, slow] = [averages.fast.value(), averages.slow.value()];
  if (averages.candles < slowLength + 1) return undefined;
  if (!fast || !slow || !fastBefore || !slowBefore) return undefined;
  return { fast, slow, fastBefore, slowBefore };
}

/** Everything that the rules read and move. */
interface Book extends Setting {
  readonly k: Read;
  readonly need: number;
  readonly costMultiple: Fraction;
  averages: ReturnType<typeof createAverages>;
  /** Open of the newest candle, and of the one that was newest at the last fill. */
  newestMs: number;
  actionMs: number;
  cycle: number;
  high: bigint;
  stop: bigint;
  profitStop: bigint;
  crossedDown: boolean;
}

const held = ({ position, market }: Setting): boolean => isHeld(position, market);
const ofAverage = ({ position, market }: Setting, multiple: Fraction): Fraction =>
  times(averageTicks(position, market), multiple);

function clear(book: Book): void {
  book.high = 0n;
  book.stop = 0n;
  book.profitStop = 0n;
}

function crossesUp({ k, averages }: Book): boolean {
  const c = compared(averages, k.slow);
  if (c === undefined) return false;
  const above = isBelow(longTimes(c.slow, k.margin), c.fast);
  return above && isAtMost(c.fastBefore, longTimes(c.slowBefore, k.margin));
}

function crossesDown({ k, averages }: Book): boolean {
  const c = compared(averages, k.slow);
  return c !== undefined && isBelow(c.fast, c.slow) && isAtMost(c.slowBefore, c.fastBefore);
}

/** Distance of the stop by true ranges, in ticks; 0 where the percentage rules. */
function distanceOf({ k, averages, market }: Book): Fraction {
  const range = averages.atr?.value();
  return range === undefined ? NONE : longOver(longTimes(k.multiplier, range), market.tick);
}

function raise(book: Book): void {
  const { k, costMultiple } = book;
  const far = distanceOf(book);
  const high = fraction(book.high);
  book.stop = larger(book.stop, far.n > 0n ? down(longMinus(high, far)) : down(times(high, k.trail)));
  if (k.activation.n === 0n || book.high < up(ofAverage(book, most(k.activation, costMultiple)))) return;
  const level = larger(up(ofAverage(book, costMultiple)), down(times(high, k.profitTrail)));
  book.profitStop = larger(book.profitStop, level);
}

/** The stops belong to one cycle and exist from its first fill on. */
function follow(book: Book): void {
  if (book.cycle !== book.position.cycle || !held(book)) {
    book.cycle = book.position.cycle;
    book.crossedDown = false;
    clear(book);
  }
  if (!held(book) || book.high > 0n) return;
  book.high = up(ofAverage(book, ONE));
  raise(book);
}

function push({ averages }: Book, { exact }: Bar): void {
  averages.fastBefore = averages.fast.value();
  averages.slowBefore = averages.slow.value();
  averages.candles += 1;
  averages.close = exact.close;
  averages.fast.push(exact.close);
  averages.slow.push(exact.close);
  averages.extension?.push(exact.close);
  averages.atr?.push(exact);
  averages.trend?.push(exact.close);
  const trend = averages.trend?.value();
  if (trend !== undefined) averages.trends.push(trend);
}

function closed(book: Book, candle: Bar): void {
  const { k, newestMs, position } = book;
  follow(book);
  if (newestMs >= 0 && candle.openMs - newestMs > MOST_CANDLES * k.intervalMs) book.averages = createAverages(k);
  book.newestMs = candle.openMs;
  push(book, candle);
  if (!held(book) || candle.closeMs <= (position.firstBuyMs ?? 0)) return;
  if (crossesDown(book)) book.crossedDown = true;
  else if (crossesUp(book)) book.crossedDown = false;
  book.high = larger(book.high, candle.close);
  raise(book);
}

function whileWaiting(book: Book, { waiting }: Moment): Decision {
  const { k } = book;
  if (waiting === null) return NOTHING;
  if (!k.buys || crossesDown(book)) return CANCEL;
  const closeMs = book.newestMs + k.intervalMs;
  return isLate(k.queue, waiting.placedMs, { closeMs, intervalMs: k.intervalMs }) ? CANCEL : NOTHING;
}

function isAgainstTrend({ k, averages }: Book): boolean {
  const trend = averages.trends.at(-1);
  if (trend === undefined) return false;
  if (isAtMost({ n: averages.close, d: SCALE }, trend)) return true;
  const before = averages.trends.at(-1 - k.slopeBars);
  return k.slopeBars > 0 && (before === undefined || isAtMost(trend, before));
}

function isTooHigh({ k, averages, market }: Book, price: bigint): boolean {
  const average = averages.extension?.value();
  return average !== undefined && price > down(longOver(longTimes(average, k.extension), market.tick));
}

function entry(book: Book, moment: Moment): Decision {
  const { k, newestMs, actionMs, averages, need } = book;
  return firstOf([
    () => (moment.buying || moment.waiting !== null ? whileWaiting(book, moment) : undefined),
    () => (k.buys && averages.candles >= need ? undefined : NOTHING),
    () => (moment.nowMs < newestMs + 2 * k.intervalMs && crossesUp(book) ? undefined : NOTHING),
    () => (actionMs >= 0 && actionMs === newestMs ? NOTHING : undefined),
    () => (isAgainstTrend(book) || isTooHigh(book, moment.price) ? NOTHING : undefined),
    () => ({ kind: 'buy', level: 0, form: queued(k.queue, moment.price) }),
  ]);
}

function decide(book: Book, moment: Moment): Decision {
  const { k } = book;
  follow(book);
  if (!held(book)) return entry(book, moment);
  return firstOf([
    () => (k.sells && !moment.selling ? undefined : NOTHING),
    () => (moment.price <= larger(book.stop, book.profitStop) ? SELL_ALL : undefined),
    () => (k.exitsOnCross && book.crossedDown ? SELL_ALL : undefined),
    () => (k.exitsInBear && moment.trendFalls ? SELL_ALL : undefined),
  ]);
}

function stopShare(book: Book, price: bigint): Fraction {
  const { k, market } = book;
  const far = distanceOf(book);
  if (!k.sells || far.n === 0n) return k.sells ? k.trail : NONE;
  const share = minus(ONE, over(times(far, market.tick), priceOf(price, market)));
  const wide = most(HALF, share);
  return over(fraction(nearest(times(wide, fraction(STOP_PARTS)))), fraction(STOP_PARTS));
}

/** The rules of momentum, as the page has them. */
export function createMomentum(config: unknown, setting: Setting): Strategy {
  const settings = settingsOf(config);
  const k = read(settings);
  const { need, warmUp } = candleNeeds(k);
  const book: Book = {
    ...setting,
    ...{ k, need, costMultiple: feeMultiple(setting.costs, k.queue.mode), averages: createAverages(k) },
    ...{ newestMs: -1, actionMs: -1, cycle: 0, high: 0n, stop: 0n, profitStop: 0n, crossedDown: false },
  };
  return {
    ...{ intervalMs: k.intervalMs, warmUp },
    sizes: sizeSettings(settings, '', { stopPath: '', levels: [{ spend: NONE, atLeast: NONE }] }),
    pauseMs: settings.count('lossCooldownMinutes', 60) * MINUTE_MS,
    plainStop: k.sells ? k.trail : NONE,
    stopShare: (price) => stopShare(book, price),
    closed: (candle) => closed(book, candle),
    filled(side) {
      book.actionMs = book.newestMs;
      if (side === 'buy' || !held(book)) clear(book);
      follow(book);
    },
    decide: (moment) => decide(book, moment),
    stopLevel() {
      if (!k.sells || !held(book)) return 0n;
      follow(book);
      return larger(book.stop, book.profitStop);
    },
  };
}
