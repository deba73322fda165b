import assert from 'node:assert/strict';
import { describe, type Numbers } from '#core/decision/decision.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { GoldenRow } from './market-run.ts';

/** The result that a golden example expects of one candle. */
export interface Expected {
  readonly reason: string;
  readonly numbers: Numbers;
  /** Quantity of the order placed at the close; absent when nothing is placed. */
  readonly order?: string;
  readonly fill?: { readonly side: string; readonly quantity: string; readonly price: string };
  readonly quantity?: string;
  readonly average?: string;
  readonly cash?: string;
}

const fillTexts = ({ fill }: GoldenRow) =>
  fill === null
    ? undefined
    : { side: fill.side, quantity: formatDecimal(fill.quantity), price: formatDecimal(fill.price) };

function assertRow(row: GoldenRow, expected: Expected, place: string): void {
  assert.equal(row.decision.reason, expected.reason, place);
  for (const [name, value] of Object.entries(expected.numbers)) {
    assert.equal(row.numbers[name], value, `${place}: ${name}`);
  }
  assert.equal(row.quantity === null ? undefined : formatDecimal(row.quantity), expected.order, `${place}: order`);
  assert.deepEqual(fillTexts(row), expected.fill, `${place}: fill`);
  const { quantity, average, cash } = expected;
  if (quantity !== undefined) assert.equal(formatDecimal(row.position.quantity), quantity, place);
  if (average !== undefined) assert.equal(formatDecimal(row.position.averagePrice), average, place);
  if (cash !== undefined) assert.equal(formatDecimal(row.cash), cash, place);
}

/** Every candle of the example, in order. */
export function assertRows(rows: readonly GoldenRow[], expected: readonly Expected[]): void {
  assert.equal(rows.length, expected.length);
  for (const [i, one] of expected.entries()) {
    const row = rows[i];
    assert.ok(row);
    assertRow(row, one, `candle ${i + 1}`);
  }
}

/** Every decision has a sentence, and every place in it a number. */
export function assertSentences(rows: readonly GoldenRow[], strategy: AnyStrategy): void {
  for (const { decision, numbers } of rows) {
    const text = strategy.reasons[decision.reason];
    assert.ok(text, decision.reason);
    assert.doesNotMatch(describe(text, numbers), /[{}–]/, decision.reason);
  }
}
