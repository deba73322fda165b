import assert from 'node:assert/strict';
import type { Book } from '#backtest/book.ts';
import { runKernel } from '#backtest/kernel.ts';
import { candlesOf } from '#backtest/test-script.ts';
import type { Decision, Numbers } from '#core/decision/decision.ts';
import { add, type Decimal, multiply, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { type Position, unrealisedOf } from '#core/position/position.ts';
import type { AnyStrategy, BoundStrategy } from '#strategies/strategy.ts';
import { rulesWith } from '#test/harness/rules.ts';

/** The market of every golden example: tick 0.01, step 0.001, minimum order value 5, no slippage. */
export const GOLDEN_RULES = rulesWith();

/** The result of one candle of a golden example, at its close. */
export interface GoldenRow {
  readonly fill: ExchangeFill | null;
  readonly realised: Decimal | null;
  readonly decision: Decision;
  readonly numbers: Numbers;
  /** Of the order that waits for the next open. */
  readonly quantity: Decimal | null;
  readonly position: Position;
  readonly cash: Decimal;
}

interface RecordedDecision {
  readonly decision: Decision;
  readonly numbers: Numbers;
}

/** The strategy without a stop on the exchange; `report` receives each decision with its numbers. */
function recorded(bound: BoundStrategy, report: (decided: RecordedDecision) => void): BoundStrategy {
  const { protectiveStop: _, ...shared } = bound.shared;
  return {
    ...bound,
    shared,
    create(grid, state) {
      const instance = bound.create(grid, state);
      return {
        ...instance,
        decide(view) {
          const decision = instance.decide(view);
          report({ decision, numbers: instance.explain(decision, view) });
          return decision;
        },
      };
    },
  };
}

/** Profits, realised and not, are what the equity has changed by, to the last digit. */
function assertOneProfit({ fills, position, balance: { cash } }: Book, balance: Decimal, price: Decimal): void {
  const realised = fills.reduce((sum, fill) => add(sum, fill.realised), ZERO);
  const equity = add(cash, multiply(position.quantity, price));
  assert.equal(add(realised, unrealisedOf(position, price)), subtract(equity, balance));
}

/**
 * Candles in, decisions out: a backtest over the first candle, over the first two, and so on, so that each row is what was
 * true at the close of its candle.
 */
export function runGolden(input: { strategy: AnyStrategy; config: unknown; candles: readonly string[] }): GoldenRow[] {
  const bound = input.strategy.bind(input.strategy.config.parse(input.config));
  const terms = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
  const all = candlesOf('1h', input.candles);
  return input.candles.map((_candle, i) => {
    const decided: RecordedDecision[] = [];
    const detail = candlesOf('1h', input.candles.slice(0, i + 1));
    const market = { rules: GOLDEN_RULES, terms, signal: detail, detail, start: 0, end: i + 1 };
    const { book } = runKernel({
      ...market,
      stepwise: true,
      bound: recorded(bound, (each) => decided.push(each)),
    });
    const last = book.fills.findLast(({ fill }) => fill.at.getTime() === all.columns.openMs[i]);
    assertOneProfit(book, terms.balance, requireDecimal(input.candles[i]?.split('/')[3] ?? ''));
    const { decision, numbers } = decided.at(-1) ?? { decision: { kind: 'nothing', reason: 'unasked' }, numbers: {} };
    return {
      fill: last?.fill ?? null,
      realised: last?.fill.side === 'sell' ? last.realised : null,
      decision,
      numbers,
      quantity: book.pending?.quantity ?? null,
      position: book.position,
      cash: book.balance.cash,
    };
  });
}
