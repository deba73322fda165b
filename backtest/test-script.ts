import { INTERVAL_MS, type Interval } from '#core/market/candle.ts';
import type { Decision } from '#core/decision/decision.ts';
import { ONE, requireDecimal } from '#core/amount/decimal.ts';
import type { StopSettings } from '#core/sizing/protective-stop.ts';
import type { TickView } from '#core/judge/view.ts';
import type { BoundStrategy, SharedSettings, StrategyInstance } from '#strategies/strategy.ts';
import type { Series } from './columns.ts';

/** A scripted strategy: a decision per detail candle, and one stop level. */
export interface Script {
  /** By the number of the candle, from 0. */
  readonly decisions: Readonly<Record<number, Decision>>;
  /** Its stop while a position is held, in ticks. By candle; the last given one stays in force. */
  readonly stops?: Readonly<Record<number, number>>;
  /** The name of that level, by candle; default: the stop loss. */
  readonly levels?: Readonly<Record<number, string>>;
  readonly protectiveStop?: StopSettings;
  /** Its target while a position is held, in ticks; absent: none. */
  readonly target?: number;
  readonly shared?: Partial<SharedSettings>;
  /** Receives every view that is passed to `decide`. */
  readonly watch?: (view: TickView, row: number) => void;
}

const WAIT: Decision = { kind: 'nothing', reason: 'wait' };

/** The script as a strategy on one-minute candles that spends 100 in quote per buy. */
export function scripted(script: Script): BoundStrategy {
  const { decisions, stops = {}, levels = {}, protectiveStop, target = 0, shared, watch } = script;
  const rowOf = ({ nowMs }: TickView): number => Math.ceil(nowMs / INTERVAL_MS['1m']) - 1;
  const lastOf = <Value>(given: Readonly<Record<number, Value>>, view: TickView): Value | undefined =>
    given[Number(Object.keys(given).findLast((row) => Number(row) <= rowOf(view)) ?? -1)];
  const instance: StrategyInstance = {
    onCandle() {},
    onFill() {},
    decide(view) {
      watch?.(view, rowOf(view));
      return decisions[rowOf(view)] ?? WAIT;
    },
    explain: () => ({}),
    stopTicks: (view) => lastOf(stops, view) ?? 0,
    stopReason: (view) => lastOf(levels, view) ?? 'exit-stop-loss',
    targetTicks: () => target,
    targetReason: 'exit-take-profit',
    plan: () => [],
    state: () => ({ v: 1 }),
  };
  return {
    name: 'scripted',
    title: 'Scripted',
    readable: true,
    unreadablePath: null,
    needs: { interval: '1m', min: 0, want: 0 },
    shared: {
      entryBudget: requireDecimal('100'),
      lossCooldownMs: 0,
      stopMultiple: null,
      stopLimitOffset: ONE,
      ...(protectiveStop === undefined ? {} : { protectiveStop }),
      ...shared,
    },
    reasons: {},
    lint: () => [],
    create: () => instance,
  };
}

/** Candles from `open/high/low/close` or `open/high/low/close/volume` texts, the first at the start of 1970. */
export function candlesOf(interval: Interval, rows: readonly string[]): Series {
  const cells = rows.map((row) => row.split('/').map(Number));
  const column = (at: number, absent = Number.NaN): Float64Array =>
    Float64Array.from(cells, (row) => row[at] ?? absent);
  const openMs = Float64Array.from(rows, (_row, i) => i * INTERVAL_MS[interval]);
  const [open, high, low, close] = [column(0), column(1), column(2), column(3)];
  return { interval, columns: { openMs, open, high, low, close, volume: column(4, 1000) } };
}
