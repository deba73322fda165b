import type { CapitalMetrics, Durations, ExitMetrics, Metrics } from '#core/research/backtest-result.ts';
import { DAYS_A_YEAR, type Numbers, sampleDeviation, sharpe, sum } from '#core/research/sharpe.ts';
import { buyAndHold, type Charges, type CoinDay, costAveraging, equalExposure } from './benchmarks.ts';
import type { CycleColumns } from './cycle-columns.ts';
import type { FillColumns } from './fill-columns.ts';

const DAY_MS = 86_400_000;
const LEAST_CAGR_DAYS = 90;

/** Input of the metrics. Money in quote; times in ms UTC. */
interface MetricsInput extends Charges {
  readonly balance: number;
  /** Cash plus the position at the last close. */
  readonly finalEquity: number;
  /** Length of the window and the coin on each of its days. */
  readonly windowMs: number;
  readonly coin: readonly CoinDay[];
  /** Max drawdown of the equity, a share. */
  readonly drawdown: number;
  readonly fills: FillColumns;
  readonly cycles: CycleColumns;
  /** Equity at the end of each UTC day of the window, the last one at its end. */
  readonly days: readonly number[];
  readonly candles: number;
  readonly heldCandles: number;
  /** Peak capital in use, in quote: cost of the positions plus the quote locked by resting buys (book.ts). */
  readonly capitalUsed: number;
  /** Mean share of the equity in the coin (mean-exposure.ts). */
  readonly meanExposure: number;
}

/** Return = final equity / balance - 1, a share: 0.1 is 10 %. An open position counts at the last close. */
export const totalReturn = ({ finalEquity, balance }: Pick<MetricsInput, 'finalEquity' | 'balance'>): number =>
  finalEquity / balance - 1;

/**
 * CAGR = (final equity / balance) ^ (365 days / window) - 1, rounded to nine decimals because engines compute powers
 * differently. Null for a window below 90 days, which is too short for a year, and when the equity is gone.
 */
export function cagr({ finalEquity, balance, windowMs }: Pick<MetricsInput, 'finalEquity' | 'balance' | 'windowMs'>) {
  if (windowMs < LEAST_CAGR_DAYS * DAY_MS || finalEquity <= 0) return null;
  return Number(((finalEquity / balance) ** ((DAYS_A_YEAR * DAY_MS) / windowMs) - 1).toFixed(9));
}

/** Calmar = CAGR / max drawdown; null without a CAGR or a drawdown. */
export const calmar = (yearly: number | null, drawdown: number): number | null =>
  yearly === null || drawdown === 0 ? null : yearly / drawdown;

/** SQN = sqrt(n) * mean(net) / s(net), s with n - 1 (Van Tharp); null for fewer than two cycles or equal nets. */
export function sqn(nets: Numbers): number | null {
  const deviation = sampleDeviation(nets);
  return deviation === null ? null : (Math.sqrt(nets.length) * (sum(nets) / nets.length)) / deviation;
}

/** Profit factor = sum of the nets above zero / -(sum of the nets below zero); null without a losing cycle. */
export function profitFactor(nets: Numbers): number | null {
  let [won, lost] = [0, 0];
  for (const net of nets) {
    if (net < 0) lost -= net;
    else won += net;
  }
  return lost === 0 ? null : won / lost;
}

/** Expectancy = sum of the nets / closed cycles, in quote; null without a closed cycle. */
export const expectancy = (nets: Numbers): number | null => (nets.length === 0 ? null : sum(nets) / nets.length);

/** Win rate = cycles with a net above zero / closed cycles; null without a closed cycle. */
export function winRate(nets: Numbers): number | null {
  let wins = 0;
  for (const net of nets) if (net > 0) wins += 1;
  return nets.length === 0 ? null : wins / nets.length;
}

/** Fees of every fill in quote. A fee taken in the coin is valued at its fill price. */
export const feesPaid = ({ feeQuote }: Pick<FillColumns, 'feeQuote'>): number => sum(feeQuote);

/** Exposure (time in the market) = detail candles at whose close a position was held / detail candles of the window. */
export const exposure = ({ heldCandles, candles }: Pick<MetricsInput, 'heldCandles' | 'candles'>): number =>
  candles === 0 ? 0 : heldCandles / candles;

/** Daily return r(i) = equity(i) / equity(i - 1) - 1 with equity(-1) = balance; cut days at both ends count as days. */
export const dailyReturns = ({ days, balance }: Pick<MetricsInput, 'days' | 'balance'>): number[] =>
  days.map((equity, day) => equity / (days[day - 1] ?? balance) - 1);

/** Sortino = mean(r) / sqrt(sum(min(r, 0)^2) / n) * sqrt(365), target 0. Null without a falling day. */
export function sortino(returns: readonly number[]): number | null {
  const falls = sum(returns.map((value) => Math.min(value, 0) * Math.min(value, 0)));
  if (falls === 0) return null;
  const mean = sum(returns) / returns.length;
  return (mean / Math.sqrt(falls / returns.length)) * Math.sqrt(DAYS_A_YEAR);
}

/** Null without a closed cycle. The median of an even count is the mean of the two middle values. */
export function durations({ openedMs, closedMs }: CycleColumns): Durations | null {
  const sorted = new Float64Array(closedMs.length);
  for (let i = 0; i < sorted.length; i++) sorted[i] = (closedMs[i] ?? 0) - (openedMs[i] ?? 0);
  sorted.sort();
  const longestMs = sorted.at(-1);
  if (longestMs === undefined) return null;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return { meanMs: sum(sorted) / sorted.length, medianMs: (lower + upper) / 2, longestMs };
}

/** Closed cycles by the reason of the sell that closed them; the nets add up to that of all cycles. */
export function perExitReason({ exit, exits, net: nets }: CycleColumns): Record<string, ExitMetrics> {
  const found = exits.map((reason) => ({ reason, cycles: 0, wins: 0, net: 0 }));
  for (let i = 0; i < nets.length; i++) {
    const [net, one] = [nets[i] ?? 0, found[exit[i] ?? 0]];
    if (one === undefined) continue;
    one.cycles += 1;
    if (net > 0) one.wins += 1;
    one.net += net;
  }
  const sorted = found.toSorted((a, b) => (a.reason < b.reason ? -1 : 1));
  return Object.fromEntries(sorted.map(({ reason, ...metrics }) => [reason, metrics]));
}

type CapitalInput = Pick<
  MetricsInput,
  'balance' | 'finalEquity' | 'coin' | 'fills' | 'capitalUsed' | 'meanExposure' | keyof Charges
>;

/** Return on capital used = (final equity - balance) / capital used; alpha = total return - return of equal exposure. */
export function capitalMetrics(input: CapitalInput): CapitalMetrics {
  const { balance, finalEquity, coin, fills, capitalUsed, meanExposure } = input;
  const bought = fills.buys.includes(1);
  const benchmark = equalExposure(coin, meanExposure, input);
  return {
    used: capitalUsed,
    returnOnUsed: bought ? (finalEquity - balance) / capitalUsed : null,
    meanExposure,
    equalExposure: benchmark,
    alpha: totalReturn(input) - benchmark,
  };
}

const higher = (a: number, b: number): number => Math.max(a, b);
const lower = (a: number, b: number): number => Math.min(a, b);

/** All metrics of a run. Each is defined where it is computed. */
export function measure(input: MetricsInput): Metrics {
  const { net: nets } = input.cycles;
  const returns = dailyReturns(input);
  const yearly = cagr(input);
  return {
    totalReturn: totalReturn(input),
    cagr: yearly,
    buyAndHold: buyAndHold(input.coin, input),
    costAveraging: costAveraging(input.coin, input),
    capital: capitalMetrics(input),
    finalEquity: input.finalEquity,
    closedCycles: nets.length,
    net: sum(nets),
    profitFactor: profitFactor(nets),
    expectancy: expectancy(nets),
    winRate: winRate(nets),
    best: nets.length === 0 ? null : nets.reduce(higher),
    worst: nets.length === 0 ? null : nets.reduce(lower),
    exposure: exposure(input),
    fees: feesPaid(input.fills),
    turnover: sum(input.fills.quote) / input.balance,
    durations: durations(input.cycles),
    sharpe: sharpe(returns),
    sortino: sortino(returns),
    calmar: calmar(yearly, input.drawdown),
    sqn: sqn(nets),
    exits: perExitReason(input.cycles),
  };
}
