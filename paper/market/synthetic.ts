import type { CandleColumns } from '#core/market/candle.ts';
import { EMPTY_COLUMNS, joinColumns, lowerBound, sliceColumns } from '#core/market/candle-columns.ts';
import { listingOf } from './listings.ts';
import { mix, mixText, share, smoothNoise } from './noise.ts';
import { candleAt, countOf, type Listing, type MarketSource, valueOf } from './source.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES = 1440;
const HISTORY_DAYS = 60;
const CACHED_DAYS = 400;

interface Asset {
  readonly dollars: number;
  /** Standard deviation of a day, as a share of the price. */
  readonly swing: number;
  readonly dollarsPerDay: number;
}
const coin = (dollars: number, swing: number, millionsPerDay: number): Asset => ({
  dollars,
  swing,
  dollarsPerDay: millionsPerDay * 1e6,
});

const ASSETS: Readonly<Record<string, Asset>> = {
  USDT: coin(1, 0, 0),
  BTC: coin(64_000, 0.04, 1500),
  ETH: coin(3200, 0.05, 900),
  BNB: coin(580, 0.045, 150),
  SOL: coin(150, 0.06, 400),
  XRP: coin(0.62, 0.055, 200),
  ADA: coin(0.45, 0.055, 80),
  DOGE: coin(0.14, 0.065, 150),
  LTC: coin(82, 0.05, 60),
  TRX: coin(0.13, 0.04, 40),
  DOT: coin(6.4, 0.055, 40),
  LINK: coin(14.2, 0.055, 60),
  AVAX: coin(31, 0.06, 70),
  ATOM: coin(7.8, 0.055, 25),
  UNI: coin(8.9, 0.06, 30),
  NEAR: coin(5.3, 0.065, 50),
  APT: coin(9.1, 0.065, 40),
  ARB: coin(0.95, 0.06, 40),
  SUI: coin(1.4, 0.07, 60),
  FIL: coin(4.7, 0.055, 30),
  AAVE: coin(98, 0.06, 20),
  XLM: coin(0.105, 0.05, 15),
  ETC: coin(24, 0.05, 25),
  BCH: coin(390, 0.05, 30),
};

export const SYNTHETIC_SYMBOLS = [
  ...['BTCUSDT', 'ETHUSDT', 'BNBUSDT', 'LTCBTC', 'ETHBTC', 'SOLUSDT', 'XRPUSDT', 'ADAUSDT', 'DOGEUSDT', 'LTCUSDT'],
  ...['TRXUSDT', 'DOTUSDT', 'LINKUSDT', 'AVAXUSDT', 'ATOMUSDT', 'UNIUSDT', 'NEARUSDT', 'APTUSDT', 'ARBUSDT', 'SUIUSDT'],
  ...['FILUSDT', 'AAVEUSDT', 'XLMUSDT', 'ETCUSDT', 'BCHUSDT'],
] as const;

/** Waves of these lengths in minutes add up to a price. The short ones are louder than those of a random walk. */
const WAVES = [43_200, 14_400, 4320, 1440, 480, 160, 55, 21, 8, 3].map((minutes) => ({
  minutes,
  loudness: Math.sqrt(minutes / MINUTES) * (minutes <= 160 ? 1.6 : 1),
  regime: minutes <= 480,
}));
const SHARED_WITH_MARKET = 0.7;
const JUMP_BLOCK = 480;
const JUMP_DECAY = 60;

/**
 * An endless seeded market. The price at any minute is a function of (seed, asset, minute) alone. So it needs no stored
 * state, never drifts away and continues without a gap after a restart. `anchorMs` is when the market was first opened;
 * it has 60 days of history before that.
 */
export function openSynthetic(seed: number, anchorMs: number): MarketSource {
  const historyMs = Math.floor(anchorMs / DAY_MS) * DAY_MS - HISTORY_DAYS * DAY_MS;
  const listings = SYNTHETIC_SYMBOLS.map((symbol) => listingOf(symbol, MINUTE_MS));
  const bySymbol = new Map(listings.map((listing) => [listing.rules.symbol, listing]));
  const days = boundedCache<CandleColumns>(CACHED_DAYS);
  const logs = boundedCache<Float64Array>(CACHED_DAYS);
  const logDay = (asset: string, day: number): Float64Array =>
    logs(`${asset}:${day}`, () => assetDay({ seed, asset, day }, asset === '' ? undefined : logDay('', day)));
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

/** The same market until its start. After that only manual trades move the price. */
export const withoutMovement = (source: MarketSource): MarketSource => ({
  ...source,
  name: 'script',
  candles: (symbol, fromMs, toMs) => source.candles(symbol, fromMs, Math.min(toMs, source.startMs)),
  candleAfter: () => undefined,
  candleBefore: (symbol, ms) => source.candleBefore(symbol, Math.min(ms, source.startMs)),
  tradesBefore: (symbol, ms, perCandle) => source.tradesBefore(symbol, Math.min(ms, source.startMs), perCandle),
});

/**
 * Log price of one asset against its starting price. One entry for each minute of a day, and one for the next midnight.
 */
function assetDay(
  { seed, asset, day }: { readonly seed: number; readonly asset: string; readonly day: number },
  market: Float64Array | undefined,
): Float64Array {
  const salt = mixText(asset, seed);
  const swing = asset === '' ? ASSETS.BTC?.swing : ASSETS[asset]?.swing;
  const values = new Float64Array(MINUTES + 1);
  if (swing === undefined || swing === 0) return values;
  const own = market === undefined ? 1 : Math.sqrt(1 - SHARED_WITH_MARKET ** 2);
  const beta = market === undefined ? 0 : (SHARED_WITH_MARKET * swing) / (ASSETS.BTC?.swing ?? swing);
  for (let at = 0; at <= MINUTES; at++) {
    const minute = day * MINUTES + at;
    values[at] = (market?.[at] ?? 0) * beta + own * swing * wavesAt(salt, minute) + jumpAt(salt, minute, swing);
  }
  return values;
}

function wavesAt(salt: number, minute: number): number {
  const regime = Math.exp(0.5 * smoothNoise(mix(salt, 1), minute / 5000));
  let sum = 0;
  for (const [index, wave] of WAVES.entries()) {
    const height = wave.loudness * (wave.regime ? regime : 1);
    sum += height * smoothNoise(mix(salt, index + 2), minute / wave.minutes);
  }
  return sum;
}

/** In a third of all eight-hour blocks the price jumps at one minute and returns over the next hours. */
function jumpAt(salt: number, minute: number, swing: number): number {
  const block = Math.floor(minute / JUMP_BLOCK);
  let sum = 0;
  for (const jumpBlock of [block - 1, block]) {
    if (share(mix(salt, 77), jumpBlock) > 0.33) continue;
    const since = minute - jumpBlock * JUMP_BLOCK - Math.floor(share(mix(salt, 78), jumpBlock) * JUMP_BLOCK);
    if (since >= 0) sum += (share(mix(salt, 79), jumpBlock) * 2 - 1) * swing * 0.6 * Math.exp(-since / JUMP_DECAY);
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
  const base = ASSETS[baseAsset] ?? coin(1, 0, 1);
  const start = base.dollars / (ASSETS[quoteAsset]?.dollars ?? 1);
  const salt = mixText(symbol, prices.seed);
  const columns = emptyDay();
  const priceAt = (at: number): number => start * Math.exp((prices.base[at] ?? 0) - (prices.quote[at] ?? 0));
  const round = (price: number): number => valueOf(Math.max(1, countOf(price, tickUnits)), tickUnits);
  const calm = base.swing / Math.sqrt(MINUTES);
  for (let at = 0; at < MINUTES; at++) {
    const dice = (n: number): number => share(mix(salt, n), day * MINUTES + at);
    const [from, to] = [priceAt(at), priceAt(at + 1)];
    const [open, close] = [round(from), round(to)];
    const move = Math.abs(to - from) / from;
    const dollars = (base.dollarsPerDay / MINUTES) * (0.3 + dice(1)) * (1 + (2 * move) / calm);
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
