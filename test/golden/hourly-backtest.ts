import assert from 'node:assert/strict';
import type { Terms } from '#backtest/fills.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';
import { runBacktest } from '#backtest/run.ts';
import { candlesOf } from '#backtest/test-script.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { GOLDEN_RULES } from './market-run.ts';

/** Trailing trade over hourly candles, in the market of the golden examples. */
export function backtest(config: unknown, rows: readonly string[], terms: Partial<Terms> = {}): BacktestResult {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy);
  const outcome = runBacktest({
    bound: strategy.bind(strategy.config.parse(config)),
    rules: GOLDEN_RULES,
    terms: { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO, ...terms },
    candles: candlesOf('1h', rows),
  });
  assert.equal(outcome.kind, 'result');
  return outcome.result;
}

/** The examples have no stop on the exchange: every exit is decided at a close. */
export const BARE = { protectiveStop: { enabled: false } };
