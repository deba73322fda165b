// The sizes of a backtest, through whole ticks and lots in float64, against fractions of a second decimal library.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Decimal as Reference } from 'decimal.js';
import {
  type Decimal,
  formatDecimal,
  fromNumber,
  fromSteps,
  maximum,
  ONE,
  requireDecimal,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import { type EntryTerms, sizeByTerms } from '#core/sizing/entry-size.ts';
import { FLAT } from '#core/position/position.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { readExactJson } from '#exchange/json.ts';
import { parseExchangeInfo } from '#exchange/parse/rules.ts';
import { toTicks } from '#strategies/ticks.ts';
import { type Dice, openDice } from '#test/flow/random.ts';

const folder = join(import.meta.dirname, '../../../shared/data/exchange-info');
const skip = existsSync(folder) ? false : `needs recorded exchange information in ${folder}, and there is none`;
const ORDERS = 100_000;

const Exact = Reference.clone({ precision: 80 });
const exact = (value: Decimal): Reference => new Exact(formatDecimal(value));
const floorTo = (value: Reference, step: Reference): Reference =>
  step.isZero() ? value : value.div(step).floor().mul(step);
const least = (...values: readonly Reference[]): Reference => Exact.min(...values);

/** How a budget is found; `plan` is the leg of a basket, which names its quote and has no stop. */
const MODES = ['fixed', 'percent-of-equity', 'risk-at-stop', 'plan'] as const;

interface Question {
  readonly rules: SymbolRules;
  readonly ticks: number;
  readonly mode: (typeof MODES)[number];
  /** Of the order where it is fixed or a plan's; else the share of the equity that is about as much. */
  readonly budget: Decimal;
  readonly percent: Decimal;
  readonly equity: Decimal;
  /** Buy levels that share the budget of a round. */
  readonly levels: number;
  readonly waits: boolean;
}

const STOP = '0.97';
const OFFSET = '0.995';
const FEE = 0.001;

const rounded = (value: number): Decimal => fromNumber(Number(value.toPrecision(9)));

/** A coin, a price on its grid from one tick to ten million, and a budget around its smallest order. */
function ask(dice: Dice, rules: SymbolRules): Question {
  const ticks = Math.ceil(10 ** dice.between(0, 7));
  const budget = rounded(Math.max(0.0001, toNumber(rules.notional.min)) * 10 ** dice.between(-0.3, 3));
  const mode = dice.pick(MODES);
  // About 4 % is lost at the stop: to lose a share of the equity there, 25 times as much is bought.
  const percent = rounded(mode === 'risk-at-stop' ? dice.between(0.0005, 0.03) : dice.between(0.01, 1));
  const levels = Math.floor(dice.between(1, 4));
  const shares = (levels / toNumber(percent)) * (mode === 'risk-at-stop' ? 0.04 : 1);
  const equity = rounded(toNumber(budget) * shares);
  return { rules, ticks, mode, budget, percent, equity, levels, waits: mode !== 'plan' && dice.chance(0.3) };
}

/** The amount that the order may spend, in exact fractions. */
function budgetOf({ mode, budget, percent, equity, levels }: Question, kept: Reference): Reference {
  const share = exact(percent).mul(exact(equity));
  if (mode === 'percent-of-equity') return share.div(levels);
  if (mode !== 'risk-at-stop') return exact(budget);
  const loss = new Exact(1).sub(new Exact(1 - FEE).pow(2).mul(kept));
  return least(share.div(loss), exact(equity).mul('0.5')).div(levels);
}

/** The quantity by the formulas of the plan in exact fractions, or the reason of the refusal. */
function expected(question: Question): string {
  const { rules, ticks, mode, waits } = question;
  const { lot, marketLot, notional } = rules;
  const tick = exact(rules.price.tick);
  const price = tick.mul(ticks);
  const stopLimit =
    mode === 'plan' ? floorTo(price.mul('0.9'), tick) : floorTo(floorTo(price.mul(STOP), tick).mul(OFFSET), tick);
  const budget = budgetOf(question, stopLimit.div(price));
  const zero = new Exact(0);
  const market = waits
    ? { step: zero, min: zero, max: zero }
    : { step: exact(marketLot.step), min: exact(marketLot.min), max: exact(marketLot.max) };
  const step = Exact.max(exact(lot.step), market.step);
  const most = [exact(lot.max), market.max].filter((each) => each.gt(0)).map((each) => floorTo(each, step));
  const each = waits ? price : price.mul('1.002');
  const quantity = least(floorTo(budget.div(each), step), ...most);
  const small = quantity.lte(0) || quantity.lt(Exact.max(exact(lot.min), market.min));
  if (small || quantity.mul(price).lt(exact(notional.min))) return 'size-below-minimum';
  const net = floorTo(quantity.mul(1 - FEE), exact(lot.step));
  const enough = net.mul(stopLimit).gte(exact(notional.min).mul('1.05')) && net.gte(exact(lot.min));
  return enough ? quantity.toFixed() : 'size-exit-infeasible';
}

/** The same as a backtest gets it: the price from a float64 column, as whole ticks. */
function sized(question: Question): string {
  const { rules, ticks, mode, budget, percent, equity, levels, waits } = question;
  const { tick } = rules.price;
  const column = Number(formatDecimal(fromSteps(ticks, tick)));
  const read = Math.round(column / toNumber(tick));
  assert.equal(read, ticks, `${rules.symbol}: ${column} is ${ticks} ticks`);
  const price = fromSteps(read, tick);
  assert.equal(toTicks(price, tick), ticks);
  const shared = mode === 'percent-of-equity' || mode === 'risk-at-stop';
  const terms: EntryTerms = {
    entryBudget: shared || mode === 'plan' ? ZERO : budget,
    ...(mode === 'plan'
      ? { stopMultiple: null, stopLimitOffset: ONE }
      : { stopMultiple: requireDecimal(STOP), stopLimitOffset: requireDecimal(OFFSET) }),
    ...(shared && {
      equityShare: { mode, percent },
      levels: Array.from({ length: levels }, () => ({ spend: null, least: null, trigger: ONE })),
    }),
  };
  const size = sizeByTerms({
    ...{ level: 0, terms, rules, price, position: FLAT, levels: [] },
    ...{ equity, takerFee: FEE, baseFeeRate: FEE, rooms: [], freeQuote: maximum(equity, budget) },
    ...(waits && { limit: price }),
    ...(mode === 'plan' && { quote: budget }),
  });
  return size.kind === 'sized' ? formatDecimal(size.quantity) : size.reason;
}

test('100,000 random orders over all recorded trading rules are sized to the last digit', { skip }, () => {
  const coins = readdirSync(folder).flatMap((file) => {
    const { symbols } = parseExchangeInfo(readExactJson(gunzipSync(readFileSync(join(folder, file))).toString()));
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
      `${question.mode}: ${rules.symbol} at ${question.ticks} ticks for ${formatDecimal(question.budget)}`,
    );
    const kind = `${question.mode} ${answer.startsWith('size-') ? answer : 'sized'}`;
    answers.set(kind, (answers.get(kind) ?? 0) + 1);
  }
  for (const kind of MODES.flatMap((mode) =>
    ['sized', 'size-below-minimum', 'size-exit-infeasible'].map((end) => `${mode} ${end}`),
  ))
    assert.ok((answers.get(kind) ?? 0) > 300, `${kind}: ${answers.get(kind)} of ${ORDERS}, over ${coins.length} coins`);
});
