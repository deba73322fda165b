import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { RULES } from '#test/harness/test-trading.ts';
import { lackOf, type RestingStop, type StopPlan } from './protective-stop.ts';
import { planTarget, type TargetSituation } from './resting-target.ts';

const d = requireDecimal;
const FORM = { type: 'stop-loss-limit', stopPrice: d('97'), price: d('96.5') } as const;
const QUANTITY = d('1');
const AT_97: RestingStop = {
  ...{ form: FORM, left: QUANTITY, level: d('97'), reason: 'exit-stop-loss', sold: false, triggered: false },
};
const PLACE: StopPlan = { kind: 'place', form: FORM, quantity: QUANTITY, level: d('97'), reason: 'exit-stop-loss' };
const KEEP: StopPlan = { kind: 'keep' };
const SITUATION: TargetSituation = {
  ...{ wanted: d('105'), resting: null, blocked: null, price: d('100'), rules: { ...RULES, lists: true } },
};

const planned = (plan: StopPlan, change: Partial<TargetSituation> = {}, stop: RestingStop | null = AT_97): StopPlan =>
  planTarget(plan, stop, { ...SITUATION, ...change });

test('a first stop gets the target, and one that rests alone is replaced by both', () => {
  assert.deepEqual(planned(PLACE, {}, null), { ...PLACE, target: d('105') });
  assert.deepEqual(planned(KEEP), { ...PLACE, target: d('105') });
});

test('a target at its price stays, a moved one is replaced', () => {
  assert.deepEqual(planned(KEEP, { resting: d('105') }), KEEP);
  assert.deepEqual(planned(KEEP, { resting: d('105.05') }), KEEP);
  assert.deepEqual(planned(KEEP, { resting: d('104') }), { ...PLACE, target: d('105') });
});

test('without a target the stop alone rests', () => {
  assert.deepEqual(planned(KEEP, { wanted: d('0') }), KEEP);
  assert.deepEqual(planned(PLACE, { wanted: d('0') }), PLACE);
  assert.deepEqual(planned(KEEP, { wanted: d('0'), resting: d('105') }), PLACE);
});

test('a list whose target is reached stays, because it sells', () => {
  assert.deepEqual(planned(PLACE, { resting: d('105'), price: d('105') }), KEEP);
  assert.deepEqual(planned(KEEP, { resting: d('105'), price: d('106'), wanted: d('0') }), KEEP);
});

test('a triggered stop and one that has sold a part stay', () => {
  assert.deepEqual(planned(KEEP, {}, { ...AT_97, triggered: true }), KEEP);
  assert.deepEqual(planned(KEEP, {}, { ...AT_97, sold: true }), KEEP);
});

test('without a price nothing changes', () => {
  assert.deepEqual(planned(KEEP, { price: null, resting: d('105') }), KEEP);
});

test('a plan that neither places nor keeps a stop stays as it is', () => {
  for (const plan of [{ kind: 'remove' }, { kind: 'idle' }] as const) assert.deepEqual(planned(plan), plan);
});

const band = { bidUp: d('5'), bidDown: d('0.2'), askUp: d('1.04'), askDown: d('0.2') };
const TRAIL: StopPlan = { ...PLACE, form: { type: 'trailing-stop', deltaBips: 300 } };
for (const [reason, plan, change] of [
  ['order-target-no-lists', PLACE, { rules: RULES }],
  ['order-target-trailing-stop', TRAIL, {}],
  ['order-target-outside-band', PLACE, { rules: { ...RULES, lists: true, band } }],
  ['order-target-frozen', PLACE, { blocked: lackOf('order-target-frozen') }],
] as const) {
  test(`${reason}: the stop rests alone, with the reason`, () => {
    const result = planned(plan, change);
    assert.ok(result.kind === 'place' && result.target === undefined);
    assert.equal(result.lack?.reason, reason);
  });
}

test('a list that rests stays while no new one may be placed', () => {
  const blocked = lackOf('order-target-frozen');
  assert.deepEqual(planned(KEEP, { blocked, resting: d('104') }), KEEP);
});
