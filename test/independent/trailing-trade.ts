import { createAtr, createRsi } from './averages.ts';
import {
  down,
  floor,
  type Fraction,
  fraction,
  isBelow,
  larger,
  longMinus,
  longOver,
  longTimes,
  most,
  NONE,
  ONE,
  plus,
  times,
  up,
} from './fraction.ts';
import { type Bar, priceOf } from './market.ts';
import { averageTicks, feeMultiple, isHeld, lotsOf } from './position.ts';
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
import { followsDown, following, isLate, queued, queueOf } from './waiting.ts';

const MOST_CANDLES = 999;
const RSI_CANDLES = 15;
const MINUTE_MS = 60_000;
const DEFAULT_LEVELS = [settingsOf({})];

function read(s: Settings) {
  const listed = s.list('buy.gridLevels');
  const levels = listed.length === 0 ? DEFAULT_LEVELS : listed;
  const multiplier = s.amount('sell.atrTrailing.multiplier', '');
  const atrPeriod = multiplier.n > 0n ? s.count('sell.atrTrailing.period', 14) : 0;
  return {
    intervalMs: lengthOf(s.text('candleInterval', '1h')),
    levels,
    waitsForLow: s.text('buy.firstBuyTriggerBasis', 'lowest-price') === 'lowest-price',
    window: Math.min(MOST_CANDLES, s.count('buy.candleLimit', 60)),
    rsiMax: s.amount('buy.indicatorGate.rsiMaxBuy', ''),
    ...{ multiplier, atrPeriod, fromEntry: s.flag('sell.atrTrailing.fromEntry', false) && atrPeriod > 0 },
    stopLoss: s.amount('sell.stopLossPercentage', '0.97'),
    arm: s.amount('sell.triggerPercentage', '1.05'),
    trail: s.amount('sell.trailingStopPercentage', '0.98'),
    floorArm: s.amount('sell.breakEven.armAtPercentage', ''),
    floor: s.amount('sell.breakEven.floorPercentage', '1.003'),
    sales: s.list('sell.takeProfits').map((sale) => ({
      trigger: sale.amount('triggerPercentage', '1.03'),
      part: sale.amount('fraction', '0.5'),
    })),
    timeStop: s.count('sell.timeStopBars', 0),
    buys: s.flag('buy.enabled', true),
    sells: s.flag('sell.enabled', true),
    exitsInBear: s.text('regime.policy', 'off') === 'exit-in-bear',
    queue: queueOf(s),
  };
}

/** Everything that the rules read and move. */
interface Book extends Setting {
  readonly k: ReturnType<typeof read>;
  readonly need: number;
  readonly costMultiple: Fraction;
  readonly rsi: ReturnType<typeof createRsi>;
  readonly atr: ReturnType<typeof createAtr> | null;
  readonly lows: bigint[];
  candles: number;
  newest: { readonly openMs: number; readonly closeMs: number };
  cycle: number;
  high: bigint;
  trailStop: bigint;
  lastClose: bigint;
  floorOn: boolean;
  salesDone: number;
  /** The partial sale under way. */
  selling: { readonly done: number; readonly lots: bigint; readonly from: bigint } | null;
}

function openBook(k: Book['k'], setting: Setting): Book {
  const need = Math.max(k.waitsForLow ? k.window : 0, k.rsiMax.n > 0n ? RSI_CANDLES : 0);
  return {
    ...setting,
    ...{ k, need, costMultiple: feeMultiple(setting.costs, k.queue.mode) },
    ...{ rsi: createRsi(14), atr: k.atrPeriod > 0 ? createAtr(k.atrPeriod) : null, lows: [] },
    ...{ candles: 0, newest: { openMs: 0, closeMs: 0 } },
    ...{ cycle: 0, high: 0n, trailStop: 0n, lastClose: 0n, floorOn: false, salesDone: 0, selling: null },
  };
}

const held = ({ position, market }: Setting): boolean => isHeld(position, market);
const ofAverage = ({ position, market }: Setting, multiple: Fraction): Fraction =>
  times(averageTicks(position, market), multiple);

function clear(book: Book): void {
  book.high = 0n;
  book.trailStop = 0n;
  book.floorOn = false;
}

function followCycle(book: Book): void {
  if (book.cycle === book.position.cycle) return;
  book.cycle = book.position.cycle;
  book.lastClose = 0n;
  book.salesDone = 0;
  book.selling = null;
  clear(book);
}

function moveTrail(book: Book): void {
  const { k, atr, market } = book;
  const range = atr?.value();
  const high = fraction(book.high);
  const distance = range === undefined ? NONE : longOver(longTimes(k.multiplier, range), market.tick);
  const level = distance.n > 0n ? down(longMinus(high, distance)) : down(times(high, k.trail));
  book.trailStop = larger(book.trailStop, level);
}

const worthOf = ({ market }: Setting, lots: bigint, ticks: bigint): Fraction =>
  times(times(fraction(lots), market.step), priceOf(ticks, market));

/** The next partial sale: its price, its lots, and how many are done with it. */
function nextSale(book: Book): { ticks: bigint; lots: bigint; done: number } | undefined {
  const { k, market, position, salesDone } = book;
  const smallest = times(market.minNotional, fraction(105n, 100n));
  const all = lotsOf(position.quantity, market);
  const largest = fraction(lotsOf(position.largest, market));
  let sum = NONE;
  for (const [i, { trigger, part }] of k.sales.entries()) {
    if (i < salesDone) continue;
    sum = plus(sum, part);
    const ticks = up(ofAverage(book, trigger));
    const wanted = floor(times(largest, sum));
    const lots = wanted > all ? all : wanted;
    if (lots <= 0n || isBelow(worthOf(book, lots, ticks), smallest)) continue;
    return { ticks, lots: isBelow(worthOf(book, all - lots, ticks), smallest) ? all : lots, done: i + 1 };
  }
  return undefined;
}

function partialSale(book: Book, price: bigint): Decision | undefined {
  const sale = nextSale(book);
  if (sale === undefined || price < sale.ticks) return undefined;
  const from = lotsOf(book.position.quantity, book.market);
  book.selling = { done: sale.done, lots: sale.lots, from };
  return { kind: 'sell', lots: sale.lots === from ? 'all' : sale.lots };
}

const triggerOf = ({ k }: Book, level: number): Fraction => k.levels[level]?.amount('triggerPercentage', '1') ?? NONE;
const addAt = (book: Book, target: number): bigint => down(ofAverage(book, triggerOf(book, target)));

function isLowEnough(book: Book, price: bigint): boolean {
  const { k, lows } = book;
  if (!k.waitsForLow) return true;
  const low = lows.reduce((a, b) => (a < b ? a : b), lows[0] ?? 0n);
  return price <= down(times(fraction(low), triggerOf(book, 0)));
}

function buy({ k }: Book, level: number, price: bigint): Decision {
  const own = k.levels[level];
  const form = (own === undefined ? null : following(own, price)) ?? queued(k.queue, price);
  return { kind: 'buy', level, form };
}

function whileWaiting(book: Book, { waiting, target, price }: Moment): Decision {
  const { k, newest } = book;
  if (waiting === null) return NOTHING;
  if (!k.buys || waiting.level !== target) return CANCEL;
  const own = k.levels[target];
  const form = own === undefined ? null : following(own, price);
  if (form !== null && waiting.trigger > 0n)
    return followsDown(waiting, form) ? { kind: 'buy', level: target, form } : NOTHING;
  if (isLate(k.queue, waiting.placedMs, { closeMs: newest.closeMs, intervalMs: k.intervalMs })) return CANCEL;
  return (target > 0 ? price <= addAt(book, target) : isLowEnough(book, price)) ? NOTHING : CANCEL;
}

function entry(book: Book, moment: Moment): Decision {
  const { k } = book;
  const { target, price } = moment;
  return firstOf([
    () => (moment.buying || moment.waiting !== null ? whileWaiting(book, moment) : undefined),
    () => (k.buys && target < k.levels.length ? undefined : NOTHING),
    () => (target === 0 ? undefined : price <= addAt(book, target) ? buy(book, target, price) : NOTHING),
    () => (book.candles < book.need || !isLowEnough(book, price) ? NOTHING : undefined),
    () => (k.rsiMax.n > 0n && book.rsi.isAbove(k.rsiMax) ? NOTHING : undefined),
    () => buy(book, 0, price),
  ]);
}

/** Puts the floor in force and starts the trail. */
function arm(book: Book, price: bigint): void {
  const { k } = book;
  if (k.floorArm.n > 0n && price >= up(ofAverage(book, k.floorArm))) book.floorOn = true;
  const hasDistance = k.trail.n > 0n || k.multiplier.n > 0n;
  if (k.arm.n === 0n || k.fromEntry || !hasDistance || book.high > 0n) return;
  const start = up(ofAverage(book, most(k.arm, book.costMultiple)));
  if (price < start) return;
  book.high = larger(start, book.lastClose);
  moveTrail(book);
}

function isTooLong({ k, high, newest, position }: Book): boolean {
  if (k.timeStop === 0 || high > 0n) return false;
  const first = Math.floor((position.firstBuyMs ?? 0) / k.intervalMs);
  return newest.openMs / k.intervalMs + 1 - first >= k.timeStop;
}

function decide(book: Book, moment: Moment): Decision {
  const { k } = book;
  const { price, selling } = moment;
  followCycle(book);
  if (!held(book)) return entry(book, moment);
  arm(book, price);
  if (!selling) book.selling = null;
  return firstOf([
    () => (k.sells && !selling ? undefined : NOTHING),
    () => (k.stopLoss.n > 0n && price <= down(ofAverage(book, k.stopLoss)) ? SELL_ALL : undefined),
    () => (book.floorOn && price <= down(ofAverage(book, k.floor)) ? SELL_ALL : undefined),
    () => (book.trailStop > 0n && price <= book.trailStop ? SELL_ALL : undefined),
    () => partialSale(book, price),
    () => (k.exitsInBear && moment.trendFalls ? SELL_ALL : undefined),
    () => (isTooLong(book) ? SELL_ALL : undefined),
    () => entry(book, moment),
  ]);
}

function closed(book: Book, { openMs, closeMs, low, close, exact }: Bar): void {
  const { k, lows, rsi, atr, position } = book;
  followCycle(book);
  book.candles += 1;
  book.newest = { openMs, closeMs };
  lows.push(low);
  if (lows.length > k.window) lows.shift();
  rsi.push(exact.close);
  atr?.push(exact);
  if (!held(book) || closeMs <= (position.firstBuyMs ?? 0)) return;
  book.lastClose = close;
  if (k.fromEntry && atr?.value() !== undefined) book.high = larger(book.high, up(ofAverage(book, ONE)));
  if (book.high === 0n) return;
  book.high = larger(book.high, close);
  moveTrail(book);
}

function filled(book: Book, side: 'buy' | 'sell'): void {
  const { position, market } = book;
  followCycle(book);
  if (side === 'buy' || !held(book)) clear(book);
  if (side === 'buy' || book.selling === null) return;
  const { from, lots, done } = book.selling;
  if (from - lotsOf(position.quantity, market) < lots - 1n) return;
  book.salesDone = done;
  book.selling = null;
}

function stopLevel(book: Book): bigint {
  const { k } = book;
  if (!k.sells || !held(book)) return 0n;
  const stop = k.stopLoss.n > 0n ? down(ofAverage(book, k.stopLoss)) : 0n;
  return larger(larger(stop, book.floorOn ? down(ofAverage(book, k.floor)) : 0n), book.trailStop);
}

function targetLevel(book: Book): bigint {
  const { k, position, market } = book;
  const sale = k.sells && held(book) ? nextSale(book) : undefined;
  return sale !== undefined && sale.lots === lotsOf(position.quantity, market) ? sale.ticks : 0n;
}

/** The rules of trailing trade, as the page has them. */
export function createTrailingTrade(config: unknown, setting: Setting): Strategy {
  const settings = settingsOf(config);
  const k = read(settings);
  const book = openBook(k, setting);
  const ranges = k.atrPeriod > 0 ? Math.max(k.atrPeriod + 1, 15 * k.atrPeriod) : 0;
  const plainStop = k.sells ? k.stopLoss : NONE;
  return {
    intervalMs: k.intervalMs,
    warmUp: Math.min(MOST_CANDLES, Math.max(1, book.need, ranges, k.rsiMax.n > 0n ? 210 : 0)),
    sizes: sizeSettings(settings, 'buy.', {
      stopPath: 'sell.',
      levels: k.levels.map((level) => ({
        spend: level.amount('maxPurchaseAmount', ''),
        atLeast: level.amount('minPurchaseAmount', ''),
      })),
    }),
    pauseMs: settings.count('buy.lossCooldownMinutes', 60) * MINUTE_MS,
    plainStop,
    stopShare: () => plainStop,
    closed: (bar) => closed(book, bar),
    filled: (side) => filled(book, side),
    decide: (moment) => decide(book, moment),
    stopLevel: () => stopLevel(book),
    targetLevel: () => targetLevel(book),
  };
}
