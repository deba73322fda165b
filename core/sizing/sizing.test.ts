import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDecimal, isOnStep, multiply, ONE, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import { minOrderQuote, type SizingInput, sellableQuantity, sizeEntry, stopLimitOf } from './sizing.ts';
import { gridOf, rulesWith } from '#test/harness/rules.ts';

const rulesOf = (tick = '0.01', step = '0.001') => rulesWith(gridOf(tick, step));

const inputOf = (change: Partial<SizingInput> = {}): SizingInput => ({
  price: requireDecimal('100'),
  budget: requireDecimal('15'),
  freeQuote: requireDecimal('1000'),
  rules: rulesOf(),
  stopMultiple: requireDecimal('0.97'),
  stopLimitOffset: requireDecimal('0.995'),
  baseFeeRate: 0.001,
  ...change,
});

const smallest: readonly [string, Partial<SizingInput>, string, string][] = [
  ['a stop of 3 %', {}, '96.51', '5.6112'],
  ['no stop', { stopMultiple: null }, '90', '6.012'],
  [
    'whole coins at a low price',
    { price: requireDecimal('0.4231'), rules: rulesOf('0.0001', '1'), stopMultiple: requireDecimal('0.9') },
    '0.3787',
    '6.359193',
  ],
  ['a high price', { price: requireDecimal('65000'), rules: rulesOf('0.01', '0.00001') }, '62734.75', '6.513'],
];
for (const [name, change, limit, needs] of smallest) {
  test(`the smallest safe order with ${name}`, () => {
    assert.equal(formatDecimal(stopLimitOf(inputOf(change))), limit);
    assert.equal(formatDecimal(minOrderQuote(inputOf(change))), needs);
  });
}

test('a budget that could buy but not leave at the stop is refused with its numbers', () => {
  const sized = sizeEntry(inputOf({ budget: requireDecimal('5.30') }));
  assert.equal(sized.kind, 'refused');
  if (sized.kind !== 'refused') return;
  const numbers = Object.fromEntries(
    Object.entries(sized.numbers).map(([name, value]) => [name, formatDecimal(value)]),
  );
  assert.equal(sized.reason, 'size-exit-infeasible');
  assert.deepEqual(numbers, { netQty: '0.051', stopLimit: '96.51', value: '4.92201', required: '5.25' });
});

const refusals: readonly [string, Partial<SizingInput>, string][] = [
  ['nothing free', { freeQuote: ZERO }, 'size-no-funds'],
  ['less free than the smallest order', { freeQuote: requireDecimal('5') }, 'size-no-funds'],
  ['a budget below the minimum order value', { budget: requireDecimal('4') }, 'size-below-minimum'],
  ['a budget of zero', { budget: ZERO }, 'size-no-funds'],
];
for (const [name, change, reason] of refusals) {
  test(`refused: ${name}`, () => {
    const sized = sizeEntry(inputOf(change));
    assert.equal(sized.kind === 'refused' ? sized.reason : 'sized', reason);
  });
}

test('less free than wanted shrinks the order, a lot maximum caps it', () => {
  const shrunk = sizeEntry(inputOf({ freeQuote: requireDecimal('10') }));
  assert.equal(shrunk.kind === 'sized' && formatDecimal(shrunk.quantity), '0.099');
  const rules = { ...rulesOf(), marketLot: { step: ZERO, min: ZERO, max: requireDecimal('0.0705') } };
  const capped = sizeEntry(inputOf({ rules }));
  assert.equal(capped.kind === 'sized' && formatDecimal(capped.quantity), '0.07');
});

const cases = fc.record({
  ticks: fc.integer({ min: 100, max: 10_000_000 }),
  tick: fc.constantFrom('0.01', '0.0001', '0.00000001'),
  step: fc.constantFrom('1', '0.001', '0.00001', '0.00000001'),
  budget: fc.integer({ min: 1, max: 1_000_000 }),
  free: fc.integer({ min: 0, max: 1_000_000 }),
  stop: fc.option(fc.integer({ min: 500, max: 999 })),
});

test('whatever is sized lies on the step, within the money, and can be sold at its stop limit', () => {
  fc.assert(
    fc.property(cases, ({ ticks, tick, step, budget, free, stop }) => {
      const rules = rulesOf(tick, step);
      const price = requireDecimal(formatDecimal(multiply(requireDecimal(String(ticks)), requireDecimal(tick))));
      const money = { budget: requireDecimal(String(budget / 100)), freeQuote: requireDecimal(String(free / 100)) };
      const stopMultiple = stop === null ? null : requireDecimal((stop / 1000).toFixed(3));
      const input = inputOf({ price, rules, ...money, stopMultiple });
      const sized = sizeEntry(input);
      if (sized.kind === 'refused') return;
      assert.ok(isOnStep(sized.quantity, rules.lot.step) && sized.quantity >= rules.lot.min);
      const spend = multiply(sized.quantity, price);
      assert.ok(spend <= money.budget && spend <= money.freeQuote && spend >= rules.notional.min);
      const net = multiply(sized.quantity, subtract(ONE, requireDecimal('0.001')));
      assert.ok(multiply(net, stopLimitOf(input)) >= requireDecimal('5.25'));
    }),
  );
});

test('a budget of the smallest safe order is enough', () => {
  fc.assert(
    fc.property(cases, ({ ticks, tick, step }) => {
      const price = multiply(requireDecimal(String(ticks)), requireDecimal(tick));
      const input = inputOf({ price, rules: rulesOf(tick, step), freeQuote: requireDecimal('1000000000000') });
      const needs = minOrderQuote(input);
      fc.pre(needs > 0n && stopLimitOf(input) > 0n);
      const sized = sizeEntry({
        ...input,
        budget: requireDecimal((Number(formatDecimal(needs)) * 1.000001).toFixed(12)),
      });
      assert.equal(sized.kind, 'sized');
    }),
  );
});

test('no more is sold than held, nor than the wallet has', () => {
  const sell = (position: string, walletFree: string, ownLocked = '0') =>
    formatDecimal(
      sellableQuantity({
        position: requireDecimal(position),
        walletFree: requireDecimal(walletFree),
        ownLocked: requireDecimal(ownLocked),
        rules: rulesOf(),
      }),
    );
  assert.deepEqual([sell('1.0029', '5'), sell('5', '1.0029'), sell('5', '1', '2.0005')], ['1.002', '1.002', '3']);
  assert.deepEqual([sell('0', '5'), sell('0.0009', '5')], ['0', '0']);
});
