import assert from 'node:assert/strict';
import type { Series } from '#backtest/columns.ts';
import type { Terms } from '#backtest/fills.ts';
import type { BacktestResult } from '#backtest/result.ts';
import { runBacktest } from '#backtest/run.ts';
import { requireDecimal, ZERO } from '#core/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { GOLDEN_RULES } from './market-run.ts';

export const HOUR_MS = 3_600_000;

/** Hourly candles from `open/high/low/close` or `open/high/low/close/volume` texts, the first at the beginning of 1970. */
function hourly(rows: readonly string[]): Series {
  const cells = rows.map((row) => row.split('/').map(Number));
  const column = (at: number, absent = Number.NaN): Float64Array =>
    Float64Array.from(cells, (row) => row[at] ?? absent);
  const openMs = Float64Array.from(rows, (_row, i) => i * HOUR_MS);
  const [open, high, low, close] = [column(0), column(1), column(2), column(3)];
  return { interval: '1h', columns: { openMs, open, high, low, close, volume: column(4, 1000) } };
}

/** Trailing trade over hourly candles, in the market of the golden examples. */
export function backtest(config: unknown, rows: readonly string[], terms: Partial<Terms> = {}): BacktestResult {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy);
  const outcome = runBacktest({
    bound: strategy.bind(strategy.config.parse(config)),
    rules: GOLDEN_RULES,
    terms: { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO, ...terms },
    candles: hourly(rows),
  });
  assert.equal(outcome.kind, 'result');
  return outcome.result;
}

/** The examples have no stop on the exchange: every exit is decided at a close. */
export const BARE = { protectiveStop: { enabled: false } };
