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
  const reader: Reader = {
    ...{ inputs, fills, next: 0, cash: toNumber(first.terms.balance), held: new Float64Array(inputs.length) },
    places: inputs.map(({ rules }) => (inputs.length === 1 ? 0 : fills.coins.indexOf(rules.symbol))),
  };
  const points: EquityPoint[] = [];
  for (const ms of moments) {
    readUntil(reader, ms);
    points.push(pointAt(reader, ms));
  }
  return points;
}

interface Reader extends Pick<Curve, 'inputs' | 'fills'> {
  /** The coin of each input in the columns of the fills; -1 for one without a fill. */
  readonly places: readonly number[];
  /** The first fill that has not been read, cash, and the position of each coin. */
  next: number;
  cash: number;
  readonly held: Float64Array;
}

/** Reads the fills before `ms`. */
function readUntil(reader: Reader, ms: number): void {
  const { fills, held } = reader;
  let { next } = reader;
  for (; next < fills.count && (fills.atMs[next] ?? 0) < ms; next++)
    held[fills.coin[next] ?? 0] = fills.position[next] ?? 0;
  if (next > reader.next) reader.cash = fills.cash[next - 1] ?? 0;
  reader.next = next;
}

function pointAt({ inputs, places, cash, held }: Reader, ms: number): EquityPoint {
  let [worth, spread] = [0, 0];
  for (const [i, input] of inputs.entries()) {
    const close = closeAt(input, ms);
    worth += (held[places[i] ?? -1] ?? 0) * close;
    spread += inputs.length === 1 ? close : close / (input.detail.columns.open[input.start] ?? 1);
  }
  return { at: iso(ms), equity: cash + worth, price: spread / inputs.length };
}

function closeAt({ detail, start, end }: KernelInput, atMs: number): number {
  const { openMs, close } = detail.columns;
  const row = Math.min(end, lowerBound(openMs, atMs - INTERVAL_MS[detail.interval] + 1)) - 1;
  return row < start ? (detail.columns.open[start] ?? 0) : (close[row] ?? 0);
}
