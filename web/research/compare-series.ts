import { deviationOf, normalBelow } from '#backtest/sweep/statistics.ts';
import type { StoredResult } from '#core/research/backtest-result.ts';
import { type Trade, tradesOf } from './trades.ts';

const DAY_MS = 86_400_000;
/** Points of a curve. */
const POINTS = 240;
/** Days in common below which the difference of two runs is not judged. */
const MIN_DAYS = 10;

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export const spanOf = ({ from, to }: Pick<StoredResult, 'from' | 'to'>): Span => ({
  fromMs: Date.parse(from),
  toMs: Date.parse(to),
});

/** The time that all results cover; undefined when they have none in common. */
export function commonSpan(results: readonly Pick<StoredResult, 'from' | 'to'>[]): Span | undefined {
  const spans = results.map(spanOf);
  const fromMs = Math.max(...spans.map((span) => span.fromMs));
  const toMs = Math.min(...spans.map((span) => span.toMs));
  return results.length > 0 && toMs > fromMs ? { fromMs, toMs } : undefined;
}

export const wholeSpan = (results: readonly Pick<StoredResult, 'from' | 'to'>[]): Span => ({
  fromMs: Math.min(...results.map((result) => spanOf(result).fromMs)),
  toMs: Math.max(...results.map((result) => spanOf(result).toMs)),
});

/** Moments at even distances, the first and the last included. */
export const momentsOf = ({ fromMs, toMs }: Span, points = POINTS): number[] =>
  Array.from({ length: points + 1 }, (_, i) => fromMs + ((toMs - fromMs) * i) / points);

type Curve = Pick<StoredResult, 'equityCurve' | 'balance'>;

/** Equity at some moments as multiples of the equity at the first of them; before its first point it is the balance. */
export function equityAt({ equityCurve, balance }: Curve, moments: readonly number[]): number[] {
  const values: number[] = [];
  let [next, value] = [0, Number(balance)];
  for (const ms of moments) {
    for (let point = equityCurve[next]; point !== undefined && Date.parse(point.at) <= ms; point = equityCurve[++next])
      value = point.equity;
    values.push(value);
  }
  const first = values[0] ?? 1;
  return values.map((each) => each / first);
}

/** The price at some moments as multiples of the first. */
export const holdingAt = ({ equityCurve }: Pick<Curve, 'equityCurve'>, moments: readonly number[]): number[] =>
  equityAt(
    {
      balance: String(equityCurve[0]?.price ?? 1),
      equityCurve: equityCurve.map((point) => ({ ...point, equity: point.price })),
    },
    moments,
  );

/** Numbers of a run over a part of its time. Money in quote. */
export interface PartNumbers {
  readonly totalReturn: number;
  /** Of the points of the curve, as a share of the highest equity before. */
  readonly drawdown: number;
  readonly trades: number;
  readonly winRate: number | null;
  readonly averageWin: number | null;
  readonly averageLoss: number | null;
  /** Of the trades that closed in this time. */
  readonly fees: number;
}

export function numbersOf(result: StoredResult, span: Span): PartNumbers {
  const values = equityAt(result, momentsOf(span));
  let [peak, drawdown] = [1, 0];
  for (const value of values) {
    peak = Math.max(peak, value);
    drawdown = Math.max(drawdown, 1 - value / peak);
  }
  const trades = tradesIn(tradesOf(result), span);
  const nets = trades.map(({ net }) => net);
  const [wins, losses] = [nets.filter((net) => net > 0), nets.filter((net) => net <= 0)];
  return {
    ...{ totalReturn: (values.at(-1) ?? 1) - 1, drawdown, trades: trades.length },
    winRate: nets.length === 0 ? null : wins.length / nets.length,
    ...{ averageWin: meanOf(wins), averageLoss: meanOf(losses) },
    fees: trades.reduce((sum, { fees }) => sum + fees, 0),
  };
}

const tradesIn = (trades: readonly Trade[], { fromMs, toMs }: Span): Trade[] =>
  trades.filter(({ closedMs }) => closedMs >= fromMs && closedMs <= toMs);

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * How often two equally good settings would differ at least this much: a two-sided z test of the differences of their
 * daily returns. Null below 10 days in common, or without any difference.
 */
export function luckOfDifference(a: Curve, b: Curve, span: Span): number | null {
  const days = Math.floor((span.toMs - span.fromMs) / DAY_MS);
  if (days < MIN_DAYS) return null;
  const moments = momentsOf({ fromMs: span.toMs - days * DAY_MS, toMs: span.toMs }, days);
  const [first, second] = [equityAt(a, moments), equityAt(b, moments)];
  const returnOf = (values: readonly number[], day: number): number => (values[day + 1] ?? 1) / (values[day] ?? 1) - 1;
  const differences = Array.from({ length: days }, (_, day) => returnOf(second, day) - returnOf(first, day));
  const spread = deviationOf(differences);
  if (!(spread > 0)) return null;
  const z = (meanOf(differences) ?? 0) / (spread / Math.sqrt(days - 1));
  return 2 * (1 - normalBelow(Math.abs(z)));
}
