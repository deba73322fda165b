import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import type { OrderForm } from '#core/order/order.ts';
import { HALT, HELD, live, READY, reasonOf } from '#test/harness/situation.ts';
import { failureOf, type GuardedCoin, judgeStop, type KeptStop, planKeptStop } from './stop.ts';

const STOP: OrderForm = { type: 'stop-loss-limit', stopPrice: d('29000'), price: d('28855') };
const { rules } = READY;
type Kept = GuardedCoin & KeptStop;
/** A position of 0.01 at 30,000 without a stop, whose strategy stops at 29,000. */
const NEEDED: Kept = {
  rules,
  position: HELD,
  freeBase: d('0.01'),
  quantityInOpenSells: ZERO,
  settings: { offset: d('0.995'), onBandBlock: 'notify' },
  config: 'a',
  ticks: 2_900_000,
  reason: 'exit-stop-loss',
  price: d('30000'),
  resting: null,
};
const resting = (change: Partial<NonNullable<KeptStop['resting']>> = {}): Partial<Kept> => ({
  freeBase: ZERO,
  resting: {
    ...{ form: STOP, left: d('0.01'), reason: 'exit-trail', sold: false, triggered: false },
    basis: { level: d('29000'), average: d('30000'), settings: 'a' },
    ...change,
  },
});

/** The plan as text: for a new stop its trigger, its quantity and its reason. */
const planned = (change: Partial<Kept>): string => {
  const plan = planKeptStop({ ...NEEDED, ...change }, { ...NEEDED, ...change });
  if (plan.kind !== 'place') return plan.kind === 'wait' ? plan.reason : plan.kind;
  const trigger = 'stopPrice' in plan.form ? formatDecimal(plan.form.stopPrice) : plan.form.type;
  return `${trigger} ${formatDecimal(plan.quantity)} ${plan.reason}`;
};

test('a position gets a stop at the level of the strategy', () => {
  assert.equal(planned({}), '29000 0.01 exit-stop-loss');
});

test('a stop at its level is kept', () => {
  assert.equal(planned(resting()), 'keep');
});

test('a stop rises with its level', () => {
  assert.equal(planned({ ...resting(), ticks: 2_950_000 }), '29500 0.01 exit-stop-loss');
});

test('a lower level alone does not lower a stop: the strategy has lost its state', () => {
  assert.equal(planned({ ...resting(), ticks: 2_800_000 }), 'keep');
});

test('a lower average entry price lowers a stop', () => {
  const position = { ...HELD, averagePrice: d('29900') };
  assert.equal(planned({ ...resting(), position, ticks: 2_800_000 }), '28000 0.01 exit-stop-loss');
});

test('changed settings lower a stop', () => {
  assert.equal(planned({ ...resting(), config: 'b', ticks: 2_800_000 }), '28000 0.01 exit-stop-loss');
});

test('a stop of unknown origin never falls below its trigger price', () => {
  assert.equal(planned({ ...resting({ basis: null }), config: 'b', ticks: 2_800_000 }), 'keep');
});

test('a stop covers what no manual sale on the book sells', () => {
  assert.equal(planned({ quantityInOpenSells: d('0.004'), freeBase: d('0.006') }), '29000 0.006 exit-stop-loss');
});

test('a position that a manual sale on the book sells almost whole needs no stop', () => {
  assert.equal(planned({ quantityInOpenSells: d('0.0099'), freeBase: d('0.0001') }), 'idle');
});

const PLAN = { kind: 'place', form: STOP, quantity: d('0.01'), level: d('29000'), reason: 'exit-stop-loss' } as const;
const frozen = live({ halts: [{ ...HALT, freeze: true }] });
const REST = { left: d('0.01'), selling: false };

test('a freeze leaves a resting stop unchanged', () => {
  assert.equal(reasonOf(judgeStop(PLAN, { ...READY, ...frozen, stop: REST })), 'halt-frozen');
});

test('a freeze does not refuse a first stop', () => {
  assert.equal(reasonOf(judgeStop(PLAN, { ...READY, ...frozen })), 'approved');
});

test('a stop is placed on a coin whose rules became unreadable', () => {
  const unreadable = { ...rules, status: 'unreadable' } as const;
  assert.equal(reasonOf(judgeStop(PLAN, { ...READY, rules: unreadable })), 'approved');
});

test('a stop is not sent to a halted market', () => {
  assert.equal(reasonOf(judgeStop(PLAN, { ...READY, rules: { ...rules, status: 'HALT' } })), 'data-symbol-not-trading');
});

const failed = (price: string | null, change: { sellable?: boolean; form?: OrderForm } = {}): boolean =>
  failureOf({ form: STOP, sellable: true, price: price === null ? null : d(price), ...change }) !== undefined;

test('a stop has failed at its trigger price and below', () => {
  assert.deepEqual([failed('29000'), failed('28000')], [true, true]);
});

test('a stop has not failed once the price is above its trigger again', () => {
  assert.equal(failed('29000.01'), false);
});

test('a stop has not failed without a price, or when nothing is left to sell', () => {
  assert.deepEqual([failed(null), failed('28000', { sellable: false })], [false, false]);
});

test('a trailing stop sells at the market and never fails', () => {
  assert.equal(failed('1', { form: { type: 'trailing-stop', deltaBips: 100 } }), false);
});
