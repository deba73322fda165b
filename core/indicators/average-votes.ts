import { createEma } from './ema.ts';
import { createHma } from './hma.ts';
import { createIchimoku, type Ichimoku } from './ichimoku.ts';
import { type Bar, type Indicator, type IndicatorState, type LineIndicator, numberOf, partOf } from './indicator.ts';
import { createSma } from './sma.ts';
import { createVwma } from './vwma.ts';

/** 1 buy, 0 neutral, -1 sell. */
export type Vote = -1 | 0 | 1;

/** Votes by name, a new object for each call: for display, not for the hot path. */
export type Votes = Readonly<Record<string, Vote>>;

export const voteOf = (buy: boolean, sell: boolean): Vote => {
  if (buy) return 1;
  return sell ? -1 : 0;
};

/** A smaller distance, as a share of the price, counts as equal because of rounding. */
const ROUNDING = 1e-12;

/** An average below the price is a buy vote, above it a sell vote. */
function averageVote(average: number, close: number): Vote {
  const away = close - average;
  return voteOf(away > ROUNDING * close, -away > ROUNDING * close);
}

/**
 * Buy when the leading cloud rises and the close is above it, below the base line, and has just crossed above the
 * conversion line. Sell in the mirrored case.
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

/** Candles until the longest average is ready. */
const AVERAGES_READY = 200;

const LENGTHS = [10, 20, 30, 50, 100, 200] as const;
export const AVERAGE_VOTES = 2 * LENGTHS.length + 3;

interface AverageVotes extends Indicator {
  push(bar: Bar): void;
  /** Votes to buy minus votes to sell, of `AVERAGE_VOTES`. */
  sum(): number;
  /** 1 when the close is above EMA(50), -1 when it is below: the trend for some oscillators. */
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
