import { dayText } from '#core/account/day-start.ts';
import { compounded, drawdowns, equityAt, LEAST_TRADES, stepReturns } from '#core/account/performance.ts';
import {
  add,
  type Decimal,
  divide,
  formatDecimal,
  fromNumber,
  multiply,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import { sharpe } from '#core/research/sharpe.ts';
import type { CapitalRow } from '#storage/history/performance.ts';
import type { PerformancePeriod } from './performance-period.ts';
import { changeOf, NO_SUMS, profitIn, type Values } from './performance-values.ts';

/* The numbers of the Performance page that follow from the value at each moment (docs/operator/performance.md). */

interface MeasuredInput {
  readonly period: PerformancePeriod;
  readonly values: Values;
  readonly capital: readonly CapitalRow[];
  /** Equity of the account now; undefined while it is not known. */
  readonly equityNow: Decimal | undefined;
  /** Deposits less withdrawals until each moment. */
  readonly deposits: readonly Decimal[];
}

/** A period at each of its moments; money in quote. */
interface Measured extends MeasuredInput {
  /** P&L since the start. */
  readonly profits: readonly Decimal[];
  /** The equity of the account; absent while it is not known. */
  readonly equity: readonly Decimal[] | undefined;
  /** Return of each step; absent without an equity. */
  readonly returns: readonly number[] | undefined;
  readonly capitalUsed: Decimal;
  /** P&L of buy and hold since the start: capital used times mean price change; null without prices. */
  readonly held: readonly (Decimal | null)[];
}

export function measurePeriod(input: MeasuredInput): Measured {
  const { period, values, capital, equityNow, deposits } = input;
  const sums = values.counted.slice(0, period.marks.length).map(profitIn);
  const profits = sums.map((sum) => subtract(sum, sums[0] ?? ZERO));
  const equity =
    equityNow === undefined
      ? undefined
      : equityAt({ now: equityNow, profits: values.account, deposits }).slice(0, sums.length);
  const peaks = capital.map(({ peak }) => requireDecimal(peak));
  const capitalUsed = peaks.reduce((most, peak) => (peak > most ? peak : most), ZERO);
  const held = values.holding
    .slice(0, sums.length)
    .map((change) => (change === null ? null : multiply(capitalUsed, change)));
  return { ...input, profits, equity, returns: equity && stepReturns(profits, equity), capitalUsed, held };
}

export function netView({ values, period, returns }: Measured) {
  const change = changeOf(values.counted[0] ?? NO_SUMS, values.counted[period.marks.length - 1] ?? NO_SUMS);
  const pnl = profitIn(change);
  const gross = add(pnl, change.fees);
  return {
    pnl: formatDecimal(pnl),
    realised: formatDecimal(change.realised),
    unrealised: formatDecimal(change.unrealised),
    fees: formatDecimal(change.fees),
    unvaluedFees: change.unvaluedFees,
    gross: formatDecimal(gross),
    feeShare: gross > 0n ? toNumber(divide(change.fees, gross)) : null,
    share: returns === undefined ? null : compounded(returns),
  };
}

export function equityView({ equity, deposits, period }: Measured) {
  const [from, to] = [equity?.[0], equity?.at(-1)];
  if (from === undefined || to === undefined) return null;
  const paidIn = subtract(deposits[period.marks.length - 1] ?? ZERO, deposits[0] ?? ZERO);
  return { from: formatDecimal(from), to: formatDecimal(to), deposits: formatDecimal(paidIn) };
}

/** Largest fall from the highest value, a share of 0 or less. */
function largestFall(values: readonly number[]): number {
  let [high, fall] = [values[0] ?? 0, 0];
  for (const value of values) {
    high = Math.max(high, value);
    if (high > 0) fall = Math.min(fall, value / high - 1);
  }
  return fall;
}

/** Buy and hold on top of the equity at the start. */
export function holdingView({ held, equity, profits }: Measured) {
  const pnl = held.at(-1) ?? null;
  if (pnl === null) return null;
  const start = equity?.[0];
  if (start === undefined || start <= 0n) return { pnl: formatDecimal(pnl), share: null, drawdown: null, ahead: null };
  const values = held.map((profit) => toNumber(add(start, profit ?? ZERO)));
  const ahead = toNumber(divide(subtract(profits.at(-1) ?? ZERO, pnl), start));
  return { pnl: formatDecimal(pnl), share: toNumber(divide(pnl, start)), drawdown: largestFall(values), ahead };
}

/** Sharpe ratio of the returns of the days; null with too few trades. */
export function sharpeView({ profits, equity, period }: Measured, trades: number): number | null {
  if (equity === undefined || trades < LEAST_TRADES) return null;
  const moments = [...period.days.map((start) => period.marks.indexOf(start)), period.marks.length - 1];
  const at = (values: readonly Decimal[]): Decimal[] => moments.map((moment) => values[moment] ?? ZERO);
  return sharpe(stepReturns(at(profits), at(equity)));
}

/** Mean share of the equity that was invested in each step; 0 without equity. */
function exposuresOf({ capital, period: { marks } }: Measured, equity: readonly Decimal[]): number[] {
  const costSeconds = new Map(capital.map((row) => [row.period, row.costSeconds]));
  return marks.slice(1).map((until, i) => {
    const seconds = (until - (marks[i] ?? until)) / 1000;
    const start = toNumber(equity[i] ?? ZERO);
    return seconds === 0 || start <= 0 ? 0 : (costSeconds.get(i + 1) ?? 0) / seconds / start;
  });
}

/** Curve, drawdown and exposure; the exposure of a point is that of the step that ends there. */
export function curveView(measured: Measured) {
  const { period, profits, equity, returns, held, capital, capitalUsed } = measured;
  const { marks } = period;
  const start = equity?.[0];
  const falls = returns && drawdowns(returns);
  const exposures = equity && exposuresOf(measured, equity);
  const withStart = (profit: Decimal | null | undefined): string | null =>
    start === undefined || profit === null || profit === undefined ? null : formatDecimal(add(start, profit));
  const lengthMs = (marks.at(-1) ?? 0) - (marks[0] ?? 0);
  const weighted = exposures?.map((exposure, i) => exposure * ((marks[i + 1] ?? 0) - (marks[i] ?? 0)));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    maxDrawdown: falls === undefined ? null : Math.min(...falls),
    points: marks.map((mark, i) => ({
      at: new Date(mark),
      pnl: formatDecimal(profits[i] ?? ZERO),
      equity: withStart(profits[i]),
      holding: withStart(held[i]),
      drawdown: falls?.[i] ?? null,
      exposure: exposures?.[i - 1] ?? null,
    })),
    exposure: {
      average: weighted === undefined ? null : sum(weighted) / lengthMs,
      timeInMarket: sum(capital.map(({ openSeconds }) => openSeconds * 1000)) / lengthMs,
      capitalUsed: formatDecimal(capitalUsed),
      returnOnCapital: capitalUsed === 0n ? null : toNumber(divide(profits.at(-1) ?? ZERO, capitalUsed)),
    },
  };
}

/** Amounts that divide these days into three thirds, rounded to two digits: the small, the middle and the large days. */
function levelsOf(profits: readonly Decimal[]): readonly [number, number] {
  const sizes = profits.map((profit) => Math.abs(toNumber(profit))).filter((size) => size > 0);
  const sorted = sizes.toSorted((a, b) => a - b);
  const third = (part: number): number => Number((sorted[Math.floor((sorted.length * part) / 3)] ?? 0).toPrecision(2));
  return [third(1), third(2)];
}

/** A small number as decimal text: String would write 1e-7. */
const amountText = (amount: number): string => formatDecimal(fromNumber(amount));

/** P&L of each day, and how it compares with the other days of the period. */
export function daysView({ period, values, profits, equity }: Measured, timezone: string) {
  const moments = [...period.days.map((start) => period.marks.indexOf(start)), period.marks.length - 1];
  const days = period.days.map((start, i) => {
    const [from = 0, to = 0] = [moments[i], moments[i + 1]];
    const change = changeOf(values.counted[from] ?? NO_SUMS, values.counted[to] ?? NO_SUMS);
    const pnl = subtract(profits[to] ?? ZERO, profits[from] ?? ZERO);
    const before = equity?.[from];
    const share = before === undefined || before <= 0n ? null : toNumber(divide(pnl, before));
    return { day: dayText(start, timezone), pnl, change, share };
  });
  const levels = levelsOf(days.map(({ pnl }) => pnl));
  const levelOf = (pnl: Decimal): number =>
    Math.sign(Number(pnl)) * (1 + levels.filter((level) => Math.abs(toNumber(pnl)) >= level).length);
  const sorted = days.map(({ pnl }) => pnl).toSorted((a, b) => (a < b ? -1 : 1));
  const best = sorted.at(-1) ?? ZERO;
  return {
    days: days.map(({ day, pnl, change, share }) => ({
      ...{ day, share, pnl: formatDecimal(pnl), level: pnl === 0n ? 0 : levelOf(pnl) },
      ...{ realised: formatDecimal(change.realised), fees: formatDecimal(change.fees) },
    })),
    months: [...Map.groupBy(days, ({ day }) => day.slice(0, 7))].map(([month, own]) => ({
      month,
      pnl: formatDecimal(own.map(({ pnl }) => pnl).reduce(add, ZERO)),
    })),
    levels: { middle: amountText(levels[0]), large: amountText(levels[1]) },
    daysUp: days.filter(({ pnl }) => pnl > 0n).length,
    daysDown: days.filter(({ pnl }) => pnl < 0n).length,
    bestDay: formatDecimal(best),
    worstDay: formatDecimal(sorted[0] ?? ZERO),
  };
}
