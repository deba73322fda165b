/*
 * `tradewind/strategy`: what a strategy file imports. It only declares. The service reads the declarations as JSON and
 * runs the indicators itself; functions of a file run once for each closed candle. It imports nothing, because it is
 * evaluated again inside of the context of each file.
 */

/** Length of a candle. */
export type Interval = '1m' | '3m' | '5m' | '15m' | '30m' | '1h' | '2h' | '4h' | '1d';

/** A setting of a strategy: one field of its form. `Value` is its type in `set`. */
export interface Setting<Value = number | boolean | string> {
  readonly kind: 'count' | 'number' | 'percent' | 'flag' | 'choice';
  readonly title: string;
  readonly value: Value;
  readonly from?: number;
  readonly to?: number;
  readonly unit?: string;
  readonly help?: string;
  readonly options?: readonly string[];
}

/** Bounds of a setting, its unit after the input, and an explanation. */
interface Bounds {
  readonly from: number;
  readonly to: number;
  readonly unit?: string;
  readonly help?: string;
}

/** A whole number from `from` to `to`, such as a number of candles. */
export const count = (title: string, value: number, bounds: Bounds): Setting<number> => ({
  kind: 'count',
  title,
  value,
  ...bounds,
});

/** A number of 0 or more. */
export const number = (title: string, value: number, bounds: Bounds): Setting<number> => ({
  kind: 'number',
  title,
  value,
  ...bounds,
});

/** A percentage: 5 in the form, 0.05 in `set`. */
export const percent = (title: string, value: number, bounds: Bounds): Setting<number> => ({
  kind: 'percent',
  title,
  value,
  ...bounds,
});

/** A switch: true or false. */
export const flag = (title: string, value: boolean, more: { readonly help?: string } = {}): Setting<boolean> => ({
  kind: 'flag',
  title,
  value,
  ...more,
});

/** One of several options. */
export const choice = <const Option extends string>(
  title: string,
  value: NoInfer<Option>,
  more: { readonly options: readonly Option[]; readonly help?: string },
): Setting<Option> => ({ kind: 'choice', title, value, ...more });

/** A declared indicator; `Field` are the names of its values. */
export interface Indicator<Field extends string = string> {
  readonly kind: string;
  readonly params: readonly number[];
  /** Its source, when that is not the close: a part of the candle, or a value of another indicator. */
  readonly of?: string;
  /** Longer candles, added up from those of the strategy. */
  readonly on?: Interval;
  /** Only for the types. */
  readonly fields?: Field;
}

type One = Indicator<'value'>;
type Band = Indicator<'middle' | 'upper' | 'lower'>;

const one = (kind: string, params: readonly number[], of?: string): One =>
  of === undefined ? { kind, params } : { kind, params, of };

/** An indicator on longer candles. They are added up from the candles of the strategy. */
export const on = <Field extends string>(interval: Interval, indicator: Indicator<Field>): Indicator<Field> => ({
  ...indicator,
  on: interval,
});

/** Simple moving average. @example sma(20) */
export const sma = (length: number, of?: string): One => one('sma', [length], of);
/** Exponential moving average. @example ema(50) */
export const ema = (length: number, of?: string): One => one('ema', [length], of);
/** Weighted moving average. @example wma(20) */
export const wma = (length: number, of?: string): One => one('wma', [length], of);
/** Hull moving average. @example hma(20) */
export const hma = (length: number, of?: string): One => one('hma', [length], of);
/** Wilder's moving average, also called RMA or SMMA. @example wilder(14) */
export const wilder = (length: number, of?: string): One => one('wilder', [length], of);
/** Volume weighted moving average. @example vwma(20) */
export const vwma = (length: number): One => one('vwma', [length]);
/** Volume weighted average price of the UTC day. @example vwap() */
export const vwap = (): One => one('vwap', []);
/** Relative strength index, 0 to 100. @example rsi(14) */
export const rsi = (length: number, of?: string): One => one('rsi', [length], of);
/** Moving average convergence/divergence. @example macd(12, 26, 9) */
export const macd = (fast: number, slow: number, signal: number): Indicator<'value' | 'signal' | 'histogram'> => ({
  kind: 'macd',
  params: [fast, slow, signal],
});
/** Slow stochastic oscillator, 0 to 100. @example stochastic(14, 3, 3) */
export const stochastic = (length: number, smooth: number, signal: number): Indicator<'k' | 'd'> => ({
  kind: 'stochastic',
  params: [length, smooth, signal],
});
/** Stochastic of an RSI, 0 to 100. @example stochasticRsi(14, 14, { smooth: 3, signal: 3 }) */
export const stochasticRsi = (
  rsiLength: number,
  length: number,
  more: { readonly smooth: number; readonly signal: number },
): Indicator<'k' | 'd'> => ({ kind: 'stochastic-rsi', params: [rsiLength, length, more.smooth, more.signal] });
/** Commodity channel index. @example cci(20) */
export const cci = (length: number): One => one('cci', [length]);
/** Money flow index, 0 to 100. @example mfi(14) */
export const mfi = (length: number): One => one('mfi', [length]);
/** Williams %R, -100 to 0. @example williamsR(14) */
export const williamsR = (length: number): One => one('williams-r', [length]);
/** The source minus its value `length` candles before. @example momentum(10) */
export const momentum = (length: number, of?: string): One => one('mom', [length], of);
/** Distance from the mean in standard deviations. @example zScore(20) */
export const zScore = (length: number, of?: string): One => one('z-score', [length], of);
/** On-balance volume. Only its changes have a meaning. @example obv() */
export const obv = (): One => one('obv', []);
/** Average true range, in quote. @example atr(14) */
export const atr = (length: number): One => one('atr', [length]);
/** Directional movement: ADX with +DI and -DI, 0 to 100. @example adx(14) */
export const adx = (length: number): Indicator<'value' | 'plus' | 'minus'> => ({ kind: 'adx', params: [length] });
/** Bollinger bands. `width` is upper minus lower as a share of the middle. @example bollinger(20, 2) */
export const bollinger = (length: number, deviations: number): Indicator<'middle' | 'upper' | 'lower' | 'width'> => ({
  kind: 'bollinger',
  params: [length, deviations],
});
/** Keltner channel: an EMA and a multiple of the ATR around it. @example keltner(20, 10, 2) */
export const keltner = (length: number, atrLength: number, multiplier: number): Band => ({
  kind: 'keltner',
  params: [length, atrLength, multiplier],
});
/** Donchian channel: highest high, lowest low and their middle. @example donchian(20) */
export const donchian = (length: number): Band => ({ kind: 'donchian', params: [length] });
/** Supertrend. `direction` is 1 while it rises and -1 while it falls. @example supertrend(10, 3) */
export const supertrend = (length: number, multiplier: number): Indicator<'value' | 'direction'> => ({
  kind: 'supertrend',
  params: [length, multiplier],
});
/** Ichimoku, displaced by 26 candles. The cloud is that of the present candle. @example ichimoku(9, 26, 52) */
export const ichimoku = (
  conversion: number,
  base: number,
  lead: number,
): Indicator<'conversion' | 'base' | 'leadA' | 'leadB' | 'cloudA' | 'cloudB'> => ({
  kind: 'ichimoku',
  params: [conversion, base, lead],
});
/** Awesome oscillator. @example awesome(5, 34) */
export const awesome = (fast: number, slow: number): One => one('awesome', [fast, slow]);
/** Bull and bear power of Elder, in quote. @example elderPower(13) */
export const elderPower = (length: number): Indicator<'bull' | 'bear'> => ({ kind: 'elder-power', params: [length] });
/** Ultimate oscillator, 0 to 100. @example ultimate(7, 14, 28) */
export const ultimate = (short: number, middle: number, long: number): One => one('ultimate', [short, middle, long]);
/** Technical rating of 26 votes, -1 to 1. @example technicalRating() */
export const technicalRating = (): Indicator<'score'> => ({ kind: 'technical-rating', params: [] });
/** Lowest value of the last `length` candles: of the lows, or of another source. @example lowest(120) */
export const lowest = (length: number, of = 'low'): One => one('lowest', [length], of);
/** Highest value of the last `length` candles: of the highs, or of another source. @example highest(120) */
export const highest = (length: number, of = 'high'): One => one('highest', [length], of);
/** Population standard deviation of the last `length` values. @example deviation(20) */
export const deviation = (length: number, of?: string): One => one('deviation', [length], of);

type Settings = Readonly<Record<string, Setting>>;
type Indicators = Readonly<Record<string, Indicator>>;
type Memory = Record<string, number | boolean>;

/** The settings as rules read them. */
export type Values<S extends Settings> = { readonly [Name in keyof S]: S[Name]['value'] };

type Reading<Field extends string> = { readonly [Name in Field]: number };
/** The values of an indicator at this candle, and at the candle before. */
type WithBefore<Field extends string> = Reading<Field> & { readonly before: Reading<Field> };
type FieldsOf<I> = I extends { readonly fields?: infer Field } ? Extract<Field, string> : never;
/** A memory of 999 may hold any number. */
type Kept<M extends Memory> = { -readonly [Name in keyof M]: M[Name] extends boolean ? boolean : number };
type Seen<M extends Memory> = Readonly<Kept<M>>;

/** The values that every rule reads. Prices are in quote, times in ms UTC. */
export interface Facts {
  /** The closed candle. `time` is its close. */
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  readonly time: number;
  /** True while a position is held. */
  readonly held: boolean;
  /** Base quantity of the position. */
  readonly quantity: number;
  /** Average entry price; while flat the close. */
  readonly entryPrice: number;
  /** Highest close since the buy; while flat the close. */
  readonly peak: number;
  /** Closed candles since the buy. */
  readonly bars: number;
  /** Close over entry price, minus 1. */
  readonly gain: number;
  /** The stop that is held, 0 without one. */
  readonly stop: number;
  /** Number of the next buy of the position: 1 for the first. */
  readonly level: number;
  /** A time of `schedule` has come, and no buy has used it. */
  readonly due: boolean;
}

type Moment<S extends Settings, I extends Indicators, M> = Facts & {
  readonly set: Values<S>;
  readonly memory: M;
} & { readonly [Name in keyof I]: WithBefore<FieldsOf<I[Name]>> };

/** A rule: the first one of a list whose `when` is true answers. Without `when` it always answers. */
interface Rule<M> {
  readonly when?: (moment: M) => boolean;
  /** Its sentence. `{name}` is a setting, a value of an indicator, a fact or a number in memory. */
  readonly say: string;
}
type EntryRule<M> = Rule<M> & ({ readonly wait: string } | { readonly buy: string });
/** `share`: the part of the position to sell, above 0 and at most 1. */
type ExitRule<M> = Rule<M> & ({ readonly sell: string; readonly share?: number } | { readonly stay: string });

type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

/** Times at which `due` becomes true: every day, or one day of the week or of the month. */
export interface Schedule {
  readonly weekday?: Weekday;
  /** Day of the month, 1 to 28. */
  readonly day?: number;
  /** Hour of the day, UTC; default 0. */
  readonly hour?: number;
  /** Hours for which a time stays due. */
  readonly within: number;
}

export interface Definition<S extends Settings, I extends Indicators, M extends Memory> {
  /** Lower-case words joined by hyphens: the name that profiles and commands use. */
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  /** The candles of the strategy; the form can change it. */
  readonly interval: Interval;
  readonly settings?: S;
  /** Numbers and switches that `each` may change; they survive a restart. */
  readonly memory?: M;
  readonly schedule?: Schedule;
  /** Further buys of a position, by the same entry rules. */
  readonly addOns?: number;
  /** Default amount of a buy, in quote. */
  readonly defaults?: { readonly amount?: number };
  /** False for a strategy with prices in its code: the check then does not scale the prices. */
  readonly scales?: false;
  readonly indicators?: (set: Values<S>) => I;
  /** Runs at every closed candle, before the rules: the only place that changes memory. */
  readonly each?: (moment: Moment<S, I, Kept<M>>) => void;
  readonly entry: readonly EntryRule<Moment<S, I, Seen<M>>>[];
  readonly exit?: readonly ExitRule<Moment<S, I, Seen<M>>>[];
  /** Price of the stop. It is kept, and only ever rises. */
  readonly stop?: (moment: Moment<S, I, Seen<M>>) => number;
  /** Price at which everything is sold in profit. */
  readonly target?: (moment: Moment<S, I, Seen<M>>) => number;
  /** Prices for the chart, each with its name. */
  readonly lines?: Readonly<Record<string, (moment: Moment<S, I, Seen<M>>) => number>>;
}

/** Declares a strategy: the default export of a file. */
export const defineStrategy = <
  const S extends Settings = Record<never, never>,
  const I extends Indicators = Record<never, never>,
  const M extends Memory = Record<never, never>,
>(
  definition: Definition<S, I, M>,
): Definition<S, I, M> => definition;
