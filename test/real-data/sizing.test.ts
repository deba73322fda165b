// What a backtest sizes, through whole ticks and lots in float64, against fractions of a second decimal library.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Decimal as Reference } from 'decimal.js';
import { type Decimal, formatDecimal, fromNumber, fromSteps, requireDecimal, toNumber } from '#core/decimal.ts';
import { sizeEntry } from '#core/sizing.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { parseJson } from '#exchange/json.ts';
import { parseExchangeInfo } from '#exchange/parse/rules.ts';
import { toTicks } from '#strategies/ticks.ts';
import { type Dice, openDice } from '../flow/random.ts';

const folder = join(import.meta.dirname, '../../../shared/data/exchange-info');
const skip = existsSync(folder) ? false : `needs recorded exchange information in ${folder}, and there is none`;
const ORDERS = 100_000;

const Exact = Reference.clone({ precision: 80 });
const exact = (value: Decimal): Reference => new Exact(formatDecimal(value));
const floorTo = (value: Reference, step: Reference): Reference =>
  step.isZero() ? value : value.div(step).floor().mul(step);
const least = (...values: readonly Reference[]): Reference => Exact.min(...values);

interface Question {
  readonly rules: SymbolRules;
  readonly ticks: number;
  readonly budget: Decimal;
  readonly waits: boolean;
}

const STOP = '0.97';
const OFFSET = '0.995';
const FEE = 0.001;

/** A coin, a price on its grid from one tick to ten million, and a budget around its smallest order. */
function ask(dice: Dice, rules: SymbolRules): Question {
  const ticks = Math.ceil(10 ** dice.between(0, 7));
  const budget = fromNumber(
    Number((Math.max(0.0001, toNumber(rules.notional.min)) * 10 ** dice.between(-0.3, 3)).toPrecision(9)),
  );
  return { rules, ticks, budget, waits: dice.chance(0.3) };
}

/** The quantity by the formulas of the plan in exact fractions, or the reason of the refusal. */
function expected({ rules, ticks, budget, waits }: Question): string {
  const { lot, marketLot, notional } = rules;
  const tick = exact(rules.price.tick);
  const price = tick.mul(ticks);
  const stopLimit = floorTo(floorTo(price.mul(STOP), tick).mul(OFFSET), tick);
  const zero = new Exact(0);
  const market = waits
    ? { step: zero, min: zero, max: zero }
    : { step: exact(marketLot.step), min: exact(marketLot.min), max: exact(marketLot.max) };
  const step = Exact.max(exact(lot.step), market.step);
  const most = [exact(lot.max), market.max].filter((each) => each.gt(0)).map((each) => floorTo(each, step));
  const each = waits ? price : price.mul('1.002');
  const quantity = least(floorTo(exact(budget).div(each), step), ...most);
  const small = quantity.lte(0) || quantity.lt(Exact.max(exact(lot.min), market.min));
  if (small || quantity.mul(price).lt(exact(notional.min))) return 'size-below-minimum';
  const net = floorTo(quantity.mul(1 - FEE), exact(lot.step));
  const enough = net.mul(stopLimit).gte(exact(notional.min).mul('1.05')) && net.gte(exact(lot.min));
  return enough ? quantity.toFixed() : 'size-exit-infeasible';
}

/** The same as a backtest gets it: the price from a float64 column, as whole ticks. */
function sized({ rules, ticks, budget, waits }: Question): string {
  const { tick } = rules.price;
  const column = Number(formatDecimal(fromSteps(ticks, tick)));
  const read = Math.round(column / toNumber(tick));
  assert.equal(read, ticks, `${rules.symbol}: ${column} is ${ticks} ticks`);
  const price = fromSteps(read, tick);
  assert.equal(toTicks(price, tick), ticks);
  const settings = { stopMultiple: requireDecimal(STOP), stopLimitOffset: requireDecimal(OFFSET), baseFeeRate: FEE };
  const size = sizeEntry({ price, budget, freeQuote: budget, rules, waits, ...settings });
  return size.kind === 'sized' ? formatDecimal(size.quantity) : size.reason;
}

test('100,000 random orders over all recorded trading rules are sized to the last digit', { skip }, () => {
  const coins = readdirSync(folder).flatMap((file) => {
    const { symbols } = parseExchangeInfo(parseJson(gunzipSync(readFileSync(join(folder, file))).toString()));
    return symbols.filter(({ lot, notional }) => lot.step > 0n && notional.min > 0n);
  });
  const dice = openDice(18);
  const answers = new Map<string, number>();
  for (let i = 0; i < ORDERS; i++) {
    const rules = coins[i % coins.length];
    assert.ok(rules);
    const question = ask(dice, rules);
    const answer = sized(question);
    assert.equal(
      answer,
      expected(question),
      `${rules.symbol} at ${question.ticks} ticks for ${formatDecimal(question.budget)}`,
    );
    const kind = answer.startsWith('size-') ? answer : 'sized';
    answers.set(kind, (answers.get(kind) ?? 0) + 1);
  }
  for (const kind of ['sized', 'size-below-minimum', 'size-exit-infeasible'])
    assert.ok(
      (answers.get(kind) ?? 0) > 1_000,
      `${kind}: ${answers.get(kind)} of ${ORDERS}, over ${coins.length} coins`,
    );
});
