import { z } from 'zod';
import type { Candle } from '#core/market/candle.ts';
import type { Numbers, ReasonText } from '#core/decision/decision.ts';
import { createAdx } from '#core/indicators/adx.ts';
import { createEma } from '#core/indicators/ema.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

const from = (least: number, most = Number.MAX_SAFE_INTEGER) => z.number().min(least).max(most);
const whole = (least: number, most: number) => z.int('must be a whole number').min(least).max(most);

const words = (title: string, description: string, unit?: string) => ({
  title,
  description,
  ...(unit === undefined ? {} : { form: { unit } }),
});

/** Requirements for a proposed coin. Shares in percent; volumes in the quote asset; zero switches a test off. */
export const discoveryConfig = z.strictObject({
  enabled: z.boolean().meta({ form: { hidden: true } }),
  refreshMinutes: whole(1, 1440).meta(words('Search every', 'How often the market is searched.', 'min')),
  quoteAsset: z
    .string()
    .toUpperCase()
    .regex(/^[A-Z0-9]{2,12}$/, 'is not an asset such as USDT')
    .meta(words('Quote asset', 'Such as USDT.')),
  blacklist: z
    .array(
      z
        .string()
        .toUpperCase()
        .regex(/^[A-Z0-9]{2,30}$/, 'is not a coin pair such as BTCUSDT'),
    )
    .max(500)
    .meta(words('Exclude', 'Pairs such as BTCUSDT, separated by commas.')),
  minPairVolume: from(0).meta(words('Volume of the pair', 'Traded in a day, at least.', 'quote')),
  minAssetVolume: from(0).meta(words('Volume of the coin', 'Over all its pairs, at least.', 'quote')),
  maxSpreadPercent: from(0, 100).meta(words('Spread', 'Between best bid and ask, at most.', '%')),
  changeMinPercent: from(-100, 1000).meta(words('24 h change', 'At least.', '%')),
  rankTopPercent: from(1, 100).meta(words('Strongest coins kept', 'By 24 h change.', '%')),
  rankExcludeTopPercent: from(0, 99).meta(words('Top coins skipped', 'They are often exhausted.', '%')),
  minAgeDays: whole(1, 40).meta(words('Listed for', 'At least.', 'days')),
  maxCoins: whole(1, 50).meta(words('Maximum coins', 'Including the coins of the profile.', 'coins')),
  minHoldMinutes: whole(1, 43_200).meta(words('Minimum stay', 'Also the pause before a coin returns.', 'min')),
  breadthMinPercent: from(0, 100).meta(words('Market breadth', 'Share of rising coins, at least; 0: off.', '%')),
  highDistancePercent: from(0, 100).meta(words('Distance to the 24 h high', 'At least; 0: off.', '%')),
  knifeCandles: whole(0, 50).meta(words('Period of a recent fall', 'Excludes a coin; 0: off.', 'h')),
  knifeDropPercent: from(0, 100).meta(words('Recent fall', 'Excludes a coin; 0: off.', '%')),
  adxPeriod: whole(2, 100).meta(words('ADX period', 'Of the trend strength.', 'h')),
  adxMin: from(0, 100).meta(words('Trend strength (ADX)', 'From 0 to 100, at least.')),
  emaPeriod: whole(2, 400).meta(words('EMA period', 'The price must be above the average.', 'h')),
  volumePeriod: whole(2, 400).meta(words('Volume average', 'Period of the average.', 'h')),
  volumeMultiple: from(0, 100).meta(words('Volume of the last hour', 'As a multiple of its average, at least.', '×')),
  correlationMost: from(0, 1).meta(words('Correlation', 'With another coin, at most, from 0 to 1; 0: off.')),
  correlationCandles: whole(5, 200).meta(words('Correlation period', 'Of the returns that are compared.', 'h')),
});
export type DiscoveryConfig = z.output<typeof discoveryConfig>;

const DEFAULTS: DiscoveryConfig = {
  enabled: false,
  refreshMinutes: 15,
  quoteAsset: 'USDT',
  blacklist: [],
  minPairVolume: 500_000,
  minAssetVolume: 50_000_000,
  maxSpreadPercent: 0.3,
  changeMinPercent: 0,
  rankTopPercent: 30,
  rankExcludeTopPercent: 5,
  minAgeDays: 30,
  maxCoins: 5,
  minHoldMinutes: 120,
  breadthMinPercent: 0,
  highDistancePercent: 0,
  knifeCandles: 0,
  knifeDropPercent: 0,
  adxPeriod: 14,
  adxMin: 25,
  emaPeriod: 20,
  volumePeriod: 20,
  volumeMultiple: 1.5,
  correlationMost: 0,
  correlationCandles: 30,
};

/** Stored settings over the defaults. Unreadable settings propose nothing. */
export function readDiscoveryConfig(stored: unknown): DiscoveryConfig {
  const parsed = discoveryConfig.partial().safeParse(stored);
  const given = Object.entries(parsed.success ? parsed.data : {}).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

const text = (sentence: string): ReasonText => ({ sentence, thresholds: [] });
/** Outcome of a coin in a round, with the reason. */
export const OUTCOME_TEXTS = {
  proposed: text('Proposed: up {change} % in a day, ADX {adx}, volume {volume} times its average.'),
  kept: text('Still passes every test.'),
  faded: text('Faded ({test}): proposed for removal.'),
  'faded-held': text('Faded ({test}), but it has a position or an order.'),
  'faded-young': text('Faded ({test}), but it has been in the profile for {minutes} of {least} minutes only.'),
  cooldown: text('Left the profile less than {least} minutes ago.'),
  'no-slot': text('Passes, but all {most} places are taken.'),
  correlated: text('Moves like {other}: correlation {correlation}, at most {most} is wanted.'),
  'base-taken': text('Another profile of the account trades {asset} or pays with it.'),
  breadth: text('Passes, but only {up} of {all} coins rise.'),
  age: text('Listed for {days} days, {least} are wanted.'),
  trend: text(
    'No trend: ADX {adx} of {least}, {side} its average price, volume {volume} of {multiple} times its average.',
  ),
  'entry-guard': text('Too close to its high of the day ({distance} %), or falling ({drop} %).'),
  unreadable: text('Its candles could not be read.'),
} as const satisfies Record<string, ReasonText>;
export type DiscoveryOutcome = keyof typeof OUTCOME_TEXTS;
export const isOutcome = (name: string): name is DiscoveryOutcome => Object.hasOwn(OUTCOME_TEXTS, name);

/** The last 24 hours of a coin. Volume and prices are floats, because no order uses them. */
export interface DayTicker {
  readonly symbol: string;
  readonly last: number;
  readonly changePercent: number;
  readonly high: number;
  readonly bid: number;
  readonly ask: number;
  readonly quoteVolume: number;
}

/** Stablecoins and other currency tokens: they have no trend. */
const MONEY = new Set(
  'USDT USDC FDUSD TUSD BUSD DAI USDP USDE USD1 RLUSD XUSD PYUSD BFUSD USDS UST EUR EURI AEUR GBP TRY BRL ARS JPY AUD PLN UAH RUB ZAR MXN COP CZK IDR NGN PAXG'.split(
    ' ',
  ),
);

interface Stage {
  readonly stage: string;
  readonly left: number;
}
interface Screen {
  readonly market: readonly Stage[];
  /** Best first. */
  readonly ranked: readonly DayTicker[];
  readonly breadth: { readonly up: number; readonly all: number };
}
type Listed = Pick<SymbolRules, 'baseAsset' | 'quoteAsset' | 'status'>;

/** Coins that pass the tests on 24-hour tickers, best first, with the count after each test. */
export function screenMarket(
  config: DiscoveryConfig,
  tickers: readonly DayTicker[],
  rules: ReadonlyMap<string, Listed>,
): Screen {
  const { quoteAsset } = config;
  const prices = new Map(tickers.map(({ symbol, last }) => [symbol, last]));
  const volumes = new Map<string, number>();
  for (const { symbol, quoteVolume } of tickers) {
    const known = rules.get(symbol);
    if (known === undefined) continue;
    const rate = known.quoteAsset === quoteAsset ? 1 : (prices.get(`${known.quoteAsset}${quoteAsset}`) ?? 0);
    volumes.set(known.baseAsset, (volumes.get(known.baseAsset) ?? 0) + quoteVolume * rate);
  }
  const baseOf = ({ symbol }: DayTicker): string => rules.get(symbol)?.baseAsset ?? '';
  const market: Stage[] = [];
  let left = tickers.filter(({ symbol }) => rules.get(symbol)?.quoteAsset === quoteAsset);
  const keep = (stage: string, passes: (ticker: DayTicker) => boolean): void => {
    left = left.filter(passes);
    market.push({ stage, left: left.length });
  };
  keep('quoted', () => true);
  keep('trading', ({ symbol }) => rules.get(symbol)?.status === 'TRADING');
  keep('not-money', (ticker) => !MONEY.has(baseOf(ticker)));
  const breadth = { up: left.filter(({ changePercent }) => changePercent > 0).length, all: left.length };
  keep('not-blacklisted', ({ symbol }) => !config.blacklist.includes(symbol));
  keep('pair-volume', ({ quoteVolume }) => quoteVolume >= config.minPairVolume);
  keep('asset-volume', (ticker) => (volumes.get(baseOf(ticker)) ?? 0) >= config.minAssetVolume);
  keep('spread', ({ bid, ask }) => bid > 0 && (200 * (ask - bid)) / (ask + bid) <= config.maxSpreadPercent);
  keep('change', ({ changePercent }) => changePercent >= config.changeMinPercent);
  left = left.toSorted((a, b) => b.changePercent - a.changePercent);
  const place = (percent: number): number => Math.floor((left.length * percent) / 100);
  // With so few coins a band would keep none.
  if (left.length >= 10) left = left.slice(place(config.rankExcludeTopPercent), place(config.rankTopPercent));
  market.push({ stage: 'rank', left: left.length });
  return { market, ranked: left, breadth };
}

/** Why the hourly candles reject a coin, or its numbers. The last candle must be closed. */
function judgeCandles(
  config: DiscoveryConfig,
  candles: readonly Candle[],
  { day, nowMs }: { readonly day: DayTicker | undefined; readonly nowMs: number },
): { readonly outcome: 'age' | 'trend' | 'entry-guard' | null; readonly numbers: Numbers } {
  const last = candles.at(-1);
  const days = Math.floor((nowMs - (candles[0]?.openMs ?? nowMs)) / 86_400_000);
  if (last === undefined || days < config.minAgeDays)
    return { outcome: 'age', numbers: { days, least: config.minAgeDays } };
  const [adx, ema] = [createAdx(config.adxPeriod), createEma(config.emaPeriod)];
  for (const candle of candles) {
    adx.push(candle);
    ema.push(candle.close);
  }
  const before = candles.slice(-1 - config.volumePeriod, -1);
  const usual = before.reduce((sum, { volume }) => sum + volume, 0) / Math.max(1, before.length);
  const volume = usual === 0 ? 0 : last.volume / usual;
  const numbers = {
    adx: Number(adx.value.toFixed(1)),
    least: config.adxMin,
    side: last.close > ema.value ? 'above' : 'below',
    volume: Number(volume.toFixed(2)),
    multiple: config.volumeMultiple,
    change: day === undefined ? null : Number(day.changePercent.toFixed(2)),
  };
  if (!(adx.value >= config.adxMin && last.close > ema.value && volume >= config.volumeMultiple))
    return { outcome: 'trend', numbers };
  const distance = day === undefined || day.high === 0 ? 100 : (100 * (day.high - day.last)) / day.high;
  const peak = Math.max(...candles.slice(-Math.max(1, config.knifeCandles)).map(({ close }) => close));
  const drop = (100 * (peak - last.close)) / peak;
  const knife = config.knifeCandles > 0 && config.knifeDropPercent > 0 && drop >= config.knifeDropPercent;
  if (distance < config.highDistancePercent || knife)
    return {
      outcome: 'entry-guard',
      numbers: { distance: Number(distance.toFixed(2)), drop: Number(drop.toFixed(2)) },
    };
  return { outcome: null, numbers };
}

/** Pearson correlation of the last `count` changes of two series of closes; 0 when one does not move. */
function correlationOf(one: readonly number[], other: readonly number[], count: number): number {
  const changes = (closes: readonly number[]): number[] =>
    closes.slice(-count - 1).flatMap((close, i, all) => (i === 0 ? [] : [Math.log(close / (all[i - 1] ?? close))]));
  const [a, b] = [changes(one), changes(other)];
  const length = Math.min(a.length, b.length);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [left, right] = [a.slice(-length), b.slice(-length)];
  const [meanLeft, meanRight] = [mean(left), mean(right)];
  let [both, ofLeft, ofRight] = [0, 0, 0];
  for (const [i, value] of left.entries()) {
    const [x, y] = [value - meanLeft, (right[i] ?? 0) - meanRight];
    both += x * y;
    ofLeft += x * x;
    ofRight += y * y;
  }
  return ofLeft === 0 || ofRight === 0 ? 0 : both / Math.sqrt(ofLeft * ofRight);
}

export interface BoundCoin {
  readonly symbol: string;
  readonly boundAtMs: number;
  /** It has a position or a live order. */
  readonly inUse: boolean;
}
interface JudgedCoin {
  readonly symbol: string;
  readonly outcome: DiscoveryOutcome;
  readonly numbers: Numbers;
}
interface Surroundings {
  readonly nowMs: number;
  readonly screen: Screen;
  readonly tickers: readonly DayTicker[];
  readonly baseOf: (symbol: string) => string;
  readonly bound: readonly BoundCoin[];
  /** Assets that other profiles of the account trade or pay with. */
  readonly taken: ReadonlySet<string>;
  /** Coins that have left the profile within the least tenure. */
  readonly left: ReadonlySet<string>;
  /** Closed hourly candles, oldest first; no entry when they could not be read. */
  readonly candles: ReadonlyMap<string, readonly Candle[]>;
}

/** The coins whose candles a round needs: those of the profile, then three candidates for each slot. */
export const coinsToRead = (config: DiscoveryConfig, { ranked }: Screen, bound: readonly BoundCoin[]): string[] => [
  ...new Set([...bound, ...ranked.slice(0, 3 * config.maxCoins)].map(({ symbol }) => symbol)),
];

/** Outcome of each coin. It changes no profile: the operator confirms `proposed` and `faded`. */
export function judgeCoins(
  config: DiscoveryConfig,
  around: Surroundings,
): { coins: JudgedCoin[]; candidates: Stage[] } {
  const { nowMs, screen, bound, candles } = around;
  const days = new Map(around.tickers.map((ticker) => [ticker.symbol, ticker]));
  const isBound = new Set(bound.map(({ symbol }) => symbol));
  const judge = (symbol: string) => {
    const hours = candles.get(symbol);
    if (hours === undefined) return { outcome: 'unreadable', numbers: {} } as const;
    return judgeCandles(config, hours, { day: days.get(symbol), nowMs });
  };
  const kept = bound.map((coin) => keepOrFade(config, coin, { ...around, test: testOf(coin.symbol, screen, judge) }));
  const candidates = coinsToRead(config, screen, []).filter((symbol) => !isBound.has(symbol));
  const judged = candidates.map((symbol) => ({ symbol, ...judge(symbol) }));
  const leftAfter = (...outcomes: readonly (DiscoveryOutcome | null)[]): number =>
    judged.filter(({ outcome }) => !outcomes.includes(outcome)).length;
  const stages: Stage[] = [
    { stage: 'read', left: leftAfter('unreadable') },
    { stage: 'age', left: leftAfter('unreadable', 'age') },
    { stage: 'trend', left: leftAfter('unreadable', 'age', 'trend') },
    { stage: 'entry-guard', left: leftAfter('unreadable', 'age', 'trend', 'entry-guard') },
  ];
  const chosen = [...isBound];
  const added = judged.map(({ symbol, outcome, numbers }): JudgedCoin => {
    const refused = outcome === null ? placeRefusal(config, symbol, { ...around, chosen }) : { outcome, numbers };
    if (refused !== undefined) return { symbol, ...refused };
    chosen.push(symbol);
    return { symbol, outcome: 'proposed', numbers };
  });
  stages.push({ stage: 'proposed', left: added.filter(({ outcome }) => outcome === 'proposed').length });
  return { coins: [...kept, ...added], candidates: stages };
}

const testOf = (
  symbol: string,
  { ranked }: Screen,
  judge: (symbol: string) => { readonly outcome: DiscoveryOutcome | null },
): string | null => {
  const { outcome } = judge(symbol);
  if (outcome === 'unreadable' || outcome === 'entry-guard') return null;
  return outcome ?? (ranked.some((ticker) => ticker.symbol === symbol) ? null : 'rank');
};

function keepOrFade(
  { minHoldMinutes: least }: DiscoveryConfig,
  { symbol, boundAtMs, inUse }: BoundCoin,
  { test, nowMs }: { readonly test: string | null; readonly nowMs: number },
): JudgedCoin {
  if (test === null) return { symbol, outcome: 'kept', numbers: {} };
  if (inUse) return { symbol, outcome: 'faded-held', numbers: { test } };
  const minutes = Math.floor((nowMs - boundAtMs) / 60_000);
  return { symbol, outcome: minutes < least ? 'faded-young' : 'faded', numbers: { test, minutes, least } };
}

/** Why a coin that passes every test gets no slot now. */
function placeRefusal(
  config: DiscoveryConfig,
  symbol: string,
  { screen, taken, left, candles, chosen, baseOf }: Surroundings & { readonly chosen: readonly string[] },
): Omit<JudgedCoin, 'symbol'> | undefined {
  const { up, all } = screen.breadth;
  const asset = baseOf(symbol);
  if (taken.has(asset)) return { outcome: 'base-taken', numbers: { asset } };
  if (left.has(symbol)) return { outcome: 'cooldown', numbers: { least: config.minHoldMinutes } };
  if (100 * up < config.breadthMinPercent * all) return { outcome: 'breadth', numbers: { up, all } };
  const { correlationMost: most, correlationCandles: count } = config;
  const closes = (one: string): number[] => (candles.get(one) ?? []).map(({ close }) => close);
  if (most > 0)
    for (const other of chosen) {
      const correlation = correlationOf(closes(symbol), closes(other), count);
      if (correlation > most)
        return { outcome: 'correlated', numbers: { other, most, correlation: Number(correlation.toFixed(2)) } };
    }
  return chosen.length >= config.maxCoins ? { outcome: 'no-slot', numbers: { most: config.maxCoins } } : undefined;
}
