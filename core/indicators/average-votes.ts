import { createEma } from './ema.ts';
import { createHma } from './hma.ts';
import { createIchimoku, type Ichimoku } from './ichimoku.ts';
import { type Bar, type Indicator, type IndicatorState, type LineIndicator, numberOf, partOf } from './indicator.ts';
import { createSma } from './sma.ts';
import { createVwma } from './vwma.ts';

/** 1 buy, 0 neutral, -1 sell. */
export type Vote = -1 | 0 | 1;

/** Votes by name, made anew for each call: for showing, not for the hot path. */
export type Votes = Readonly<Record<string, Vote>>;

export const voteOf = (buy: boolean, sell: boolean): Vote => {
  if (buy) return 1;
  return sell ? -1 : 0;
};

/** What lies nearer than this part of the price is the price, seen through the rounding of a sum. */
const ROUNDING = 1e-12;

/** An average below the price says buy, above it sell. */
function averageVote(average: number, close: number): Vote {
  const away = close - average;
  return voteOf(away > ROUNDING * close, -away > ROUNDING * close);
}

/**
 * Buy when the cloud to come rises, the close stands above it yet under the base line, and has just crossed the
 * conversion line upwards; sell when all of it is the other way round.
 */
const ichimokuVote = (cloud: Ichimoku, close: number, lastClose: number): Vote =>
  voteOf(
    cloud.leadA > cloud.leadB &&
      close > cloud.leadA &&
      close < cloud.base &&
      lastClose < cloud.conversion &&
      close > cloud.conversion,
    cloud.leadB > cloud.leadA &&
      close < cloud.leadB &&
      close > cloud.base &&
      lastClose > cloud.conversion &&
      close < cloud.conversion,
  );

/** The candles after which the longest average is there. */
const AVERAGES_READY = 200;

const LENGTHS = [10, 20, 30, 50, 100, 200] as const;
export const AVERAGE_VOTES = 2 * LENGTHS.length + 3;

interface AverageVotes extends Indicator {
  push(bar: Bar): void;
  /** Votes to buy minus votes to sell, of `AVERAGE_VOTES`. */
  sum(): number;
  /** Whether the close stands above (1) or below (-1) EMA(50): the trend that some oscillators ask for. */
  trend(): Vote;
  votes(): Votes;
}

/**
 * The votes of the moving averages: SMA and EMA of 10 to 200 closes, HMA(9), VWMA(20) and Ichimoku. Ready after 200
 * candles.
 */
export function createAverageVotes(saved?: IndicatorState): AverageVotes {
  const ema50 = createEma(50, partOf(saved, 'ema50'));
  const ema = (length: number): LineIndicator =>
    length === 50 ? ema50 : createEma(length, partOf(saved, `ema${length}`));
  const lines = LENGTHS.flatMap((length) => [
    { name: `sma${length}`, line: createSma(length, partOf(saved, `sma${length}`)) },
    { name: `ema${length}`, line: ema(length) },
  ]);
  lines.push({ name: 'hma9', line: createHma(9, partOf(saved, 'hma9')) });
  const vwma = createVwma(20, partOf(saved, 'vwma20'));
  const cloud = createIchimoku({ conversion: 9, base: 26, lead: 52, displacement: 26 }, partOf(saved, 'ichimoku'));
  const s = {
    count: numberOf(saved, 'count'),
    close: numberOf(saved, 'close'),
    lastClose: numberOf(saved, 'lastClose'),
  };
  return {
    push(bar) {
      for (let i = 0; i < lines.length; i += 1) lines[i]?.line.push(bar.close);
      vwma.push(bar.close, bar.volume);
      cloud.push(bar);
      s.count += 1;
      s.lastClose = s.close;
      s.close = bar.close;
    },
    get ready() {
      return s.count >= AVERAGES_READY;
    },
    sum() {
      let sum: number = averageVote(vwma.value, s.close) + ichimokuVote(cloud, s.close, s.lastClose);
      for (let i = 0; i < lines.length; i += 1) sum += averageVote(lines[i]?.line.value ?? Number.NaN, s.close);
      return sum;
    },
    trend: () => averageVote(ema50.value, s.close),
    votes: () => ({
      ...Object.fromEntries(lines.map(({ name, line }) => [name, averageVote(line.value, s.close)])),
      vwma20: averageVote(vwma.value, s.close),
      ichimoku: ichimokuVote(cloud, s.close, s.lastClose),
    }),
    state: () => ({
      ...s,
      ...Object.fromEntries(lines.map(({ name, line }) => [name, line.state()])),
      vwma20: vwma.state(),
      ichimoku: cloud.state(),
    }),
  };
}
