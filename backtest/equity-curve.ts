import { INTERVAL_MS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import { toNumber } from '#core/amount/decimal.ts';
import type { FillColumns } from './fill-columns.ts';
import type { KernelInput } from './run-state.ts';
import { iso } from './records.ts';
import type { EquityPoint } from '#core/research/backtest-result.ts';

const POINTS = 500;

interface Curve {
  /** One for each coin; all with the same window. */
  readonly inputs: readonly KernelInput[];
  readonly fills: FillColumns;
  /** Moments that must not fall between two points. */
  readonly also: readonly number[];
}

/**
 * Equity and price at about 500 closes of detail candles, including the first and the last. Equity is cash plus positions
 * at the close. The price is that of the coin. For several coins it is the value of 1 in quote, spread evenly over all
 * coins at their first open.
 */
export function equityCurve({ inputs, fills, also }: Curve): EquityPoint[] {
  const [first] = inputs;
  if (first === undefined) return [];
  const openOf = ({ detail, start }: KernelInput): number => detail.columns.openMs[start] ?? 0;
  const endOf = ({ detail, end }: KernelInput): number =>
    (detail.columns.openMs[end - 1] ?? 0) + INTERVAL_MS[detail.interval];
  const [fromMs, toMs] = [Math.min(...inputs.map(openOf)), Math.max(...inputs.map(endOf))];
  const lengthMs = INTERVAL_MS[first.detail.interval];
  const steps = Math.max(1, Math.min(POINTS - 1, Math.round((toMs - fromMs) / lengthMs) - 1));
  const firstMs = fromMs + lengthMs;
  const even = Array.from({ length: steps + 1 }, (_, i) => {
    const ms = firstMs + ((toMs - firstMs) * i) / steps;
    return ms - ((ms - fromMs) % lengthMs);
  });
  const moments = [...new Set([...even, ...also.filter((ms) => ms > fromMs && ms <= toMs)])].toSorted((a, b) => a - b);
  const closeOf = ({ detail, start, end }: KernelInput, atMs: number): number => {
    const { openMs, close } = detail.columns;
    const row = Math.min(end, lowerBound(openMs, atMs - INTERVAL_MS[detail.interval] + 1)) - 1;
    return row < start ? (detail.columns.open[start] ?? 0) : (close[row] ?? 0);
  };
  const held = new Map<string, number>();
  let cash = toNumber(first.terms.balance);
  let next = 0;
  return moments.map((ms) => {
    for (; next < fills.count && (fills.atMs[next] ?? 0) < ms; next++) {
      cash = fills.cash[next] ?? 0;
      held.set(fills.coins[fills.coin[next] ?? 0] ?? first.rules.symbol, fills.position[next] ?? 0);
    }
    const closes = inputs.map((input) => closeOf(input, ms));
    const worth = inputs.reduce((sum, { rules }, i) => sum + (held.get(rules.symbol) ?? 0) * (closes[i] ?? 0), 0);
    const spread = inputs.map(({ detail, start }, i) => (closes[i] ?? 0) / (detail.columns.open[start] ?? 1));
    const price = inputs.length === 1 ? (closes[0] ?? 0) : spread.reduce((sum, one) => sum + one, 0) / spread.length;
    return { at: iso(ms), equity: cash + worth, price };
  });
}
