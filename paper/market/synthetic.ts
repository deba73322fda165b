import type { CandleColumns } from '#core/market/candle.ts';
import { EMPTY_COLUMNS, joinColumns, lowerBound, sliceColumns } from '#core/market/candle-columns.ts';
import { listingOf } from './listings.ts';
import { mix, mixText, share, smoothNoise } from './noise.ts';
import { candleAt, countOf, type Listing, type MarketSource, valueOf } from './source.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTES = 1440;
const HISTORY_DAYS = 120;
const CACHED_DAYS = 400;

interface Asset {
  readonly dollars: number;
  /** Standard deviation of a day, as a share of the price. */
  readonly swing: number;
  readonly dollarsPerDay: number;
  /** Height of the regular swings of a few minutes, as a share of the price. */
  readonly pulse: number;
}
type AssetRow = readonly [dollars: number, swing: number, millionsPerDay: number, pulse: number];
const coin = (...[dollars, swing, millionsPerDay, pulse]: AssetRow): Asset => ({
  ...{ dollars, swing, pulse },
  dollarsPerDay: millionsPerDay * 1e6,
});

const ASSETS: Readonly<Record<string, Asset>> = {
  USDT: coin(1, 0, 0, 0),
  BTC: coin(61_500, 0.024, 1900, 0.00075),
  ETH: coin(2_560, 0.033, 1140, 0.0012),
  SOL: coin(140, 0.042, 610, 0.00315),
  XRP: coin(1.28, 0.038, 400, 0.0027),
  BNB: coin(612, 0.026, 214, 0.00105),
  DOGE: coin(0.162, 0.048, 260, 0.0036),
  ADA: coin(0.41, 0.042, 96, 0.00195),
  LINK: coin(14.1, 0.042, 81, 0.00195),
  SUI: coin(1.9, 0.052, 74, 0.0033),
  AVAX: coin(19.2, 0.044, 58, 0.00225),
  LTC: coin(71, 0.034, 41, 0.00135),
  BCH: coin(390, 0.034, 36, 0.00135),
  TRX: coin(0.29, 0.018, 33, 0.0006),
  XLM: coin(0.24, 0.04, 28, 0.0018),
  DOT: coin(3.9, 0.042, 26, 0.00195),
  NEAR: coin(2.6, 0.052, 24, 0.003),
  UNI: coin(8.9, 0.048, 22, 0.00225),
  AAVE: coin(198, 0.048, 19, 0.00225),
  APT: coin(4.1, 0.05, 15, 0.00255),
  ARB: coin(0.41, 0.052, 14, 0.00255),
  ETC: coin(17.5, 0.038, 13, 0.00165),
  ATOM: coin(4.2, 0.042, 11, 0.00195),
  FIL: coin(2.2, 0.046, 9, 0.00225),
};

const NAMES = Object.keys(ASSETS);

/** The market of two coins trades a part of the volume of the first. */
const CROSS_SHARE = 0.02;
/** The spread of the most traded coin, as a share of the price; it grows as the volume falls. */
const SPREAD = 0.0001;
const MOST_TRADED = 1900e6;
const TIGHT = 0.000_15;

export const SYNTHETIC_SYMBOLS = [
  ...['BTCUSDT', 'ETHUSDT', 'BNBUSDT', 'LTCBTC', 'ETHBTC', 'SOLUSDT', 'XRPUSDT', 'ADAUSDT', 'DOGEUSDT', 'LTCUSDT'],
  ...['TRXUSDT', 'DOTUSDT', 'LINKUSDT', 'AVAXUSDT', 'ATOMUSDT', 'UNIUSDT', 'NEARUSDT', 'APTUSDT', 'ARBUSDT', 'SUIUSDT'],
  ...['FILUSDT', 'AAVEUSDT', 'XLMUSDT', 'ETCUSDT', 'BCHUSDT'],
] as const;

/**
 * Waves of these lengths in minutes add up to a price. Those of some hours are quieter than in a random walk, those of a
 * day louder: the price returns to its mean more often than a real one.
 */
const WAVES = [
  { minutes: 43_200, loudness: 2.2 },
  { minutes: 14_400, loudness: 1.3 },
  { minutes: 4320, loudness: 0.9 },
  { minutes: 1440, loudness: 0.9 },
  { minutes: 480, loudness: 0.45, regime: true },
  { minutes: 160, loudness: 0.12, regime: true },
  { minutes: 55, loudness: 0.06, regime: true },
  { minutes: 21, loudness: 0.03, regime: true },
];
const SHARED_WITH_MARKET = 0.7;
/** Minutes from a high of the regular swings to the next low. */
const PULSE_MINUTES = 1.25;
/** The regular swings grow before the market is first opened, stay for an hour, then return to normal. */
const OPENING = { growMs: 6 * HOUR_MS, grownMs: 2 * HOUR_MS, stayMs: HOUR_MS, overMs: 4 * HOUR_MS, growth: 1.5 };
const BURST_BLOCK = 480;
const BURST_RISE = 20;
const BURST_DECAY = 90;

/**
 * An endless seeded market. The price at any minute is a function of (seed, anchor, asset, minute) alone. So it needs no
 * stored state, never drifts away, and history and live prices are one line. `anchorMs` is when the market was first
 * opened; it has 120 days of history before that. Its swings are more regular than those of a real market.
 */
export function openSynthetic(seed: number, anchorMs: number): MarketSource {
  const historyMs = Math.floor(anchorMs / DAY_MS) * DAY_MS - HISTORY_DAYS * DAY_MS;
  const listings = SYNTHETIC_SYMBOLS.map((symbol) => withSpread(listingOf(symbol, MINUTE_MS)));
  const bySymbol = new Map(listings.map((listing) => [listing.rules.symbol, listing]));
  const days = boundedCache<CandleColumns>(CACHED_DAYS);
  const logs = boundedCache<Float64Array>(CACHED_DAYS);
  const logDay = (asset: string, day: number): Float64Array =>
    logs(`${asset}:${day}`, () => assetDay({ seed, anchorMs, asset, day }, asset === '' ? undefined : logDay('', day)));
  const day = (symbol: string, index: number): CandleColumns => {
    const listing = bySymbol.get(symbol);
    if (listing === undefined) return EMPTY_COLUMNS;
    const { baseAsset, quoteAsset } = listing.rules;
    return days(`${symbol}:${index}`, () =>
      candleDay(listing, index, { seed, base: logDay(baseAsset, index), quote: logDay(quoteAsset, index) }),
    );
  };
  const candles = (symbol: string, fromMs: number, toMs: number): CandleColumns => {
    const from = Math.max(fromMs, historyMs);
    const parts: CandleColumns[] = [];
    for (let index = Math.floor(from / DAY_MS); index * DAY_MS < toMs; index++) {
      const whole = day(symbol, index);
      parts.push(sliceColumns(whole, lowerBound(whole.openMs, from), lowerBound(whole.openMs, toMs)));
    }
    return joinColumns(parts);
  };
  const minuteAt = (symbol: string, openMs: number) =>
    candleAt(day(symbol, Math.floor(openMs / DAY_MS)), (openMs % DAY_MS) / MINUTE_MS, MINUTE_MS);
  return {
    name: 'synthetic',
    listings,
    startMs: anchorMs,
    endMs: null,
    candles,
    candleAfter: (symbol, ms) => minuteAt(symbol, Math.floor(Math.max(ms, historyMs) / MINUTE_MS) * MINUTE_MS),
    candleBefore: (symbol, ms) => {
      const openMs = Math.ceil(ms / MINUTE_MS) * MINUTE_MS - MINUTE_MS;
      return openMs < historyMs ? undefined : minuteAt(symbol, openMs);
    },
    // Every minute trades more lots than the number of its trades.
    tradesBefore: (_, ms, perCandle) => Math.max(0, Math.ceil((ms - historyMs) / MINUTE_MS)) * perCandle,
  };
}

const volumeOf = ({ rules }: Listing): number =>
  (ASSETS[rules.baseAsset]?.dollarsPerDay ?? 1) * (rules.quoteAsset === 'USDT' ? 1 : CROSS_SHARE);

/** The makers quote the best coins as tightly as the price grid allows, all others with a spread. */
function withSpread(listing: Listing): Listing {
  const spread = SPREAD * (MOST_TRADED / volumeOf(listing)) ** 0.5;
  return spread < TIGHT ? listing : { ...listing, spread };
}

/** The same market until its start. After that only manual trades move the price. */
export const withoutMovement = (source: MarketSource): MarketSource => ({
  ...source,
  name: 'script',
  candles: (symbol, fromMs, toMs) => source.candles(symbol, fromMs, Math.min(toMs, source.startMs)),
  candleAfter: () => undefined,
  candleBefore: (symbol, ms) => source.candleBefore(symbol, Math.min(ms, source.startMs)),
  tradesBefore: (symbol, ms, perCandle) => source.tradesBefore(symbol, Math.min(ms, source.startMs), perCandle),
});

interface AssetDay {
  readonly seed: number;
  readonly anchorMs: number;
  readonly asset: string;
  readonly day: number;
}

/**
 * Log price of one asset against its starting price. One entry for each minute of a day, and one for the next midnight.
 */
function assetDay({ seed, anchorMs, asset, day }: AssetDay, market: Float64Array | undefined): Float64Array {
  const salt = mixText(asset, seed);
  const swing = asset === '' ? ASSETS['BTC']?.swing : ASSETS[asset]?.swing;
  const pulse = ASSETS[asset]?.pulse ?? 0;
  const values = new Float64Array(MINUTES + 1);
  if (swing === undefined || swing === 0) return values;
  const own = market === undefined ? 1 : Math.sqrt(1 - SHARED_WITH_MARKET ** 2);
  const beta = market === undefined ? 0 : (SHARED_WITH_MARKET * swing) / (ASSETS.BTC?.swing ?? swing);
  for (let at = 0; at <= MINUTES; at++) {
    const minute = day * MINUTES + at;
    const slow = (market?.[at] ?? 0) * beta + swing * (own * wavesAt(salt, minute) + burstAt(salt, minute));
    const height = pulse * (1 + OPENING.growth * openingAt(minute * MINUTE_MS - anchorMs));
    values[at] = slow + height * pulseAt(salt, minute / PULSE_MINUTES + phaseOf(asset));
  }
  return values;
}

function wavesAt(salt: number, minute: number): number {
  const regime = Math.exp(0.5 * smoothNoise(mix(salt, 1), minute / 5000));
  let sum = 0;
  for (const [index, wave] of WAVES.entries()) {
    const height = wave.loudness * (wave.regime === true ? regime : 1);
    sum += height * smoothNoise(mix(salt, index + 2), minute / wave.minutes);
  }
  return sum;
}

/** The swings of no two coins have their highs and lows at the same time. */
const phaseOf = (asset: string): number => 2 * ((NAMES.indexOf(asset) * 0.618_034) % 1);

/** From 0 to 1, `sinceMs` after the market was first opened. */
function openingAt(sinceMs: number): number {
  const { growMs, grownMs, stayMs, overMs } = OPENING;
  if (sinceMs < -grownMs) return Math.max(0, (sinceMs + growMs) / (growMs - grownMs));
  return Math.min(1, Math.max(0, (overMs - sinceMs) / (overMs - stayMs)));
}

/** Highs and lows alternate, so that a swing of a few minutes never fails to come; their heights differ. */
function pulseAt(salt: number, x: number): number {
  const turn = Math.floor(x);
  const height = (at: number): number => (at % 2 === 0 ? 1 : -1) * (0.6 + 0.4 * share(mix(salt, 77), at));
  const t = x - turn;
  return height(turn) + (height(turn + 1) - height(turn)) * t * t * (3 - 2 * t);
}

/** In a third of all eight-hour blocks the price moves fast for some minutes and returns over the next hours. */
function burstAt(salt: number, minute: number): number {
  const block = Math.floor(minute / BURST_BLOCK);
  let sum = 0;
  for (const burst of [block - 1, block]) {
    if (share(mix(salt, 78), burst) > 0.33) continue;
    const since = minute - burst * BURST_BLOCK - Math.floor(share(mix(salt, 79), burst) * BURST_BLOCK);
    if (since < 0) continue;
    const rise = Math.min(1, since / BURST_RISE);
    const size = 0.6 * (share(mix(salt, 80), burst) * 2 - 1);
    sum += size * rise * rise * (3 - 2 * rise) * Math.exp(-Math.max(0, since - BURST_RISE) / BURST_DECAY);
  }
  return sum;
}

function candleDay(
  listing: Listing,
  day: number,
  prices: { readonly seed: number; readonly base: Float64Array; readonly quote: Float64Array },
): CandleColumns {
  const { baseAsset, quoteAsset, symbol } = listing.rules;
  const { tickUnits, stepUnits } = listing.grid;
  const base = ASSETS[baseAsset] ?? coin(1, 0, 1, 0);
  const start = base.dollars / (ASSETS[quoteAsset]?.dollars ?? 1);
  const salt = mixText(symbol, prices.seed);
  const columns = emptyDay();
  const priceAt = (at: number): number => start * Math.exp((prices.base[at] ?? 0) - (prices.quote[at] ?? 0));
  const round = (price: number): number => valueOf(Math.max(1, countOf(price, tickUnits)), tickUnits);
  const calm = base.swing / Math.sqrt(MINUTES) + base.pulse / 4;
  for (let at = 0; at < MINUTES; at++) {
    const dice = (n: number): number => share(mix(salt, n), day * MINUTES + at);
    const [from, to] = [priceAt(at), priceAt(at + 1)];
    const [open, close] = [round(from), round(to)];
    const move = Math.abs(to - from) / from;
    const dollars = (volumeOf(listing) / MINUTES) * (0.5 + 1.4 * dice(1)) * (0.4 + move / calm / 2);
    columns.openMs[at] = day * DAY_MS + at * MINUTE_MS;
    columns.open[at] = open;
    columns.high[at] = round(Math.max(open, close) * (1 + calm * dice(2) ** 2));
    columns.low[at] = round(Math.min(open, close) * (1 - calm * dice(3) ** 2));
    columns.close[at] = close;
    const lots = countOf(dollars / (base.dollars * (from / start)), stepUnits);
    columns.volume[at] = valueOf(Math.max(1, lots), stepUnits);
  }
  return columns;
}

const emptyDay = (): CandleColumns => ({
  openMs: new Float64Array(MINUTES),
  open: new Float64Array(MINUTES),
  high: new Float64Array(MINUTES),
  low: new Float64Array(MINUTES),
  close: new Float64Array(MINUTES),
  volume: new Float64Array(MINUTES),
});

/** Keeps the newest `limit` results by key. */
function boundedCache<Value>(limit: number): (key: string, make: () => Value) => Value {
  const values = new Map<string, Value>();
  return (key, make) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const made = make();
    values.set(key, made);
    const oldest = values.keys().next();
    if (values.size > limit && !oldest.done) values.delete(oldest.value);
    return made;
  };
}
