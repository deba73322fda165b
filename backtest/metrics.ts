import type { CapitalMetrics, Durations, ExitMetrics, Metrics } from '#core/research/backtest-result.ts';
import { DAYS_A_YEAR, sampleDeviation, sharpe } from '#core/research/sharpe.ts';
import { buyAndHold, type Charges, type CoinDay, costAveraging, equalExposure } from './benchmarks.ts';
import type { Cycle } from './book.ts';
import type { FillColumns } from './fill-columns.ts';

/** A position from flat to flat, its net as a number in quote. */
export type ClosedCycle = Omit<Cycle, 'net'> & { readonly net: number };

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
  readonly cycles: readonly ClosedCycle[];
  /** Equity at the end of each UTC day of the window, the last one at its end. */
  readonly days: readonly number[];
  readonly candles: number;
  readonly heldCandles: number;
  /** Peak capital in use, in quote: cost of the positions plus the quote locked by resting buys (book.ts). */
  readonly capitalUsed: number;
  /** Mean share of the equity in the coin (mean-exposure.ts). */
  readonly meanExposure: number;
}

function sum(values: readonly number[] | Float64Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i] ?? 0;
  return total;
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
export function sqn(nets: readonly number[]): number | null {
  const deviation = sampleDeviation(nets);
  return deviation === null ? null : (Math.sqrt(nets.length) * (sum(nets) / nets.length)) / deviation;
}

/** Profit factor = sum of the nets above zero / -(sum of the nets below zero); null without a losing cycle. */
export function profitFactor(nets: readonly number[]): number | null {
  let [won, lost] = [0, 0];
  for (const net of nets) {
    if (net < 0) lost -= net;
    else won += net;
  }
  return lost === 0 ? null : won / lost;
}

/** Expectancy = sum of the nets / closed cycles, in quote; null without a closed cycle. */
export const expectancy = (nets: readonly number[]): number | null =>
  nets.length === 0 ? null : sum(nets) / nets.length;

/** Win rate = cycles with a net above zero / closed cycles; null without a closed cycle. */
export function winRate(nets: readonly number[]): number | null {
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
export function durations(cycles: readonly ClosedCycle[]): Durations | null {
  const sorted = new Float64Array(cycles.length);
  for (const [i, { openedMs, closedMs }] of cycles.entries()) sorted[i] = closedMs - openedMs;
  sorted.sort();
  const longestMs = sorted.at(-1);
  if (longestMs === undefined) return null;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return { meanMs: sum(sorted) / sorted.length, medianMs: (lower + upper) / 2, longestMs };
}

/** Closed cycles by the reason of the sell that closed them; the nets add up to that of all cycles. */
export function perExitReason(cycles: readonly ClosedCycle[]): Record<string, ExitMetrics> {
  const groups = Map.groupBy(cycles, (cycle) => cycle.exitReason);
  const metricsOf = (group: readonly ClosedCycle[]): ExitMetrics => {
    const nets = group.map((cycle) => cycle.net);
    return { cycles: group.length, wins: nets.filter((net) => net > 0).length, net: sum(nets) };
  };
  return Object.fromEntries([...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([r, g]) => [r, metricsOf(g)]));
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

/** All metrics of a run. Each is defined where it is computed. */
export function measure(input: MetricsInput): Metrics {
  const nets = input.cycles.map((cycle) => cycle.net);
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
    best: nets.length === 0 ? null : nets.reduce((a, b) => Math.max(a, b)),
    worst: nets.length === 0 ? null : nets.reduce((a, b) => Math.min(a, b)),
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
