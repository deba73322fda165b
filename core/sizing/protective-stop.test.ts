import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatDecimal, isOnStep, minimum, requireDecimal as d, subtract, ZERO } from '#core/amount/decimal.ts';
import type { OrderForm } from '#core/order/order.ts';
import { planStop, type RestingStop, type StopPlan, type StopSituation } from './protective-stop.ts';
import { rulesWith } from '#test/harness/rules.ts';

const rules = rulesWith({
  ...{ symbol: 'BTCUSDT', baseAsset: 'BTC', orderTypes: ['MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT'] },
  price: { tick: d('0.01'), min: d('0.01'), max: d('1000000') },
  lot: { step: d('0.001'), min: d('0.001'), max: d('9000') },
  marketLot: { step: ZERO, min: ZERO, max: d('100') },
  band: { bidUp: d('1.2'), bidDown: d('0.2'), askUp: d('5'), askDown: d('0.8') },
  trailing: { min: 10, max: 2000 },
});
const held: StopSituation = {
  settings: { offset: d('0.995'), onBandBlock: 'notify' },
  stop: d('97'),
  reason: 'exit-trail',
  least: ZERO,
  price: d('100'),
  position: d('1.0005'),
  free: d('1.0005'),
  rules,
  resting: null,
};
const stopAt = (stopPrice: string, price: string): OrderForm => ({
  type: 'stop-loss-limit',
  stopPrice: d(stopPrice),
  price: d(price),
});
const AT_97: RestingStop = {
  form: stopAt('97', '96.51'),
  left: d('1'),
  level: d('97'),
  reason: 'exit-stop-loss',
  sold: false,
  triggered: false,
};
/** One stop rests and locks everything. */
const guarded: StopSituation = { ...held, free: d('0.0005'), resting: AT_97 };
const trail: OrderForm = { type: 'trailing-stop', deltaBips: 1500 };
const far = { stop: d('70'), least: ZERO };
const policy = (onBandBlock: 'notify' | 'clamp' | 'native-trail') => ({
  settings: { offset: d('0.995'), onBandBlock },
});

function words(plan: StopPlan): string {
  if (plan.kind === 'wait') return `${plan.reason} ${Object.values(plan.numbers).join(' ')}`.trim();
  if (plan.kind !== 'place') return plan.kind;
  const { form, quantity } = plan;
  const how =
    form.type === 'stop-loss-limit'
      ? `${formatDecimal(form.stopPrice)} for ${formatDecimal(form.price)}`
      : form.type === 'trailing-stop'
        ? `trail ${form.deltaBips}`
        : form.type;
  return `place ${formatDecimal(quantity)} at ${how}`;
}

const cases: readonly [name: string, StopSituation, expected: string][] = [
  ['the whole position, floored, with its limit on the grid', held, 'place 1 at 97 for 96.51'],
  ['only what is free', { ...held, free: d('0.4') }, 'place 0.4 at 97 for 96.51'],
  [
    'no more than one order may hold',
    { ...held, rules: { ...rules, lot: { ...rules.lot, max: d('0.7') } } },
    'place 0.7 at 97 for 96.51',
  ],
  ['what rests counts as free', guarded, 'keep'],
  ['a rise below a thousandth', { ...guarded, stop: d('97.09') }, 'keep'],
  ['a rise of a thousandth', { ...guarded, stop: d('97.10') }, 'place 1 at 97.1 for 96.61'],
  ['a fall that is not explained', { ...guarded, stop: d('95'), least: d('97') }, 'keep'],
  ['a fall after the average has fallen', { ...guarded, stop: d('95') }, 'place 1 at 95 for 94.52'],
  [
    'more lots at a level that must not fall',
    { ...guarded, stop: d('95'), least: d('97'), position: d('2'), free: d('1') },
    'place 2 at 97 for 96.51',
  ],
  ['lots that differ by less than a hundredth', { ...guarded, position: d('1.009'), free: d('0.009') }, 'keep'],
  [
    'lots that differ by a hundredth',
    { ...guarded, position: d('1.011'), free: d('0.011') },
    'place 1.011 at 97 for 96.51',
  ],
  [
    'another share for the limit',
    { ...guarded, settings: { ...policy('notify').settings, offset: d('0.98') } },
    'place 1 at 97 for 95.06',
  ],
  ['switched off, something rests', { ...guarded, settings: undefined }, 'remove'],
  ['switched off, nothing rests', { ...held, settings: undefined }, 'idle'],
  ['the strategy holds no stop, something rests', { ...guarded, stop: ZERO }, 'remove'],
  ['the strategy holds no stop', { ...held, stop: ZERO }, 'idle'],
  [
    'what is left of a part sold is too small to be held',
    { ...guarded, stop: ZERO, resting: { ...AT_97, sold: true } },
    'keep',
  ],
  ['a triggered stop is left alone', { ...guarded, stop: d('98'), resting: { ...AT_97, triggered: true } }, 'keep'],
  ['no price yet', { ...held, price: null }, 'order-stop-no-price'],
  ['no price yet, but one rests', { ...guarded, price: null, stop: d('98') }, 'keep'],
  ['the price is at the stop', { ...held, price: d('97') }, 'order-stop-reached 97 97'],
  ['everything is locked by others', { ...held, free: ZERO }, 'order-stop-blocked 0 1'],
  [
    'too little to be accepted',
    { ...held, position: d('0.0515'), free: d('1') },
    'order-stop-unsellable 0.051 96.51 5',
  ],
  ['below the band', { ...held, ...far }, 'order-stop-outside-band 69.65 80'],
  ['below the band, an old one rests', { ...guarded, ...far }, 'order-stop-outside-band 69.65 80'],
  [
    'one that rests below the band stays',
    { ...guarded, ...far, resting: { ...AT_97, form: stopAt('70', '69.65') } },
    'keep',
  ],
  ['clamped to the band', { ...held, ...far, ...policy('clamp') }, 'place 1 at 81.21 for 80.8'],
  [
    'a clamped one stays while the price moves a little',
    { ...guarded, ...far, ...policy('clamp'), price: d('100.5'), resting: { ...AT_97, form: stopAt('81.21', '80.8') } },
    'keep',
  ],
  [
    'a clamped one goes where it was wanted once it may',
    {
      ...guarded,
      ...far,
      ...policy('clamp'),
      price: d('87'),
      resting: { ...AT_97, form: stopAt('81.21', '80.8'), level: d('70') },
    },
    'place 1 at 70 for 69.65',
  ],
  [
    'no room to clamp',
    {
      ...held,
      stop: d('97.8'),
      ...policy('clamp'),
      price: d('98'),
      rules: { ...rules, band: { bidUp: d('1.1'), bidDown: d('0.9'), askUp: d('1.1'), askDown: d('0.995') } },
    },
    'order-stop-outside-band 97.31 97.51',
  ],
  [
    'trailed by the exchange',
    { ...held, stop: d('79'), ...policy('native-trail'), price: d('99') },
    'place 1 at trail 2020',
  ],
  [
    'a trail at a distance that is not offered',
    { ...held, ...far, ...policy('native-trail') },
    'order-stop-outside-band 69.65 80',
  ],
  [
    'a trail goes on',
    {
      ...guarded,
      stop: d('80'),
      ...policy('native-trail'),
      price: d('104'),
      resting: { ...AT_97, form: trail, level: d('80') },
    },
    'keep',
  ],
  [
    'a trail whose level has risen',
    {
      ...guarded,
      stop: d('82'),
      ...policy('native-trail'),
      price: d('104'),
      resting: { ...AT_97, form: trail, level: d('80') },
    },
    'place 1 at trail 2115',
  ],
  [
    'a trail becomes a plain stop once it may',
    { ...guarded, stop: d('85'), ...policy('native-trail'), resting: { ...AT_97, form: trail, level: d('85') } },
    'place 1 at 85 for 84.57',
  ],
];
const WIDE = { min: 10, max: 3000 };
for (const [name, situation, expected] of cases) {
  test(name, () => {
    const wide = expected.includes('trail ')
      ? { ...situation, rules: { ...situation.rules, trailing: WIDE } }
      : situation;
    assert.equal(words(planStop(wide)), expected);
  });
}

test('a stop is placed for the level it stands at; one that must not fall stays what it was placed for', () => {
  const reasonOf = (wanted: StopSituation): string => {
    const plan = planStop(wanted);
    return plan.kind === 'place' ? plan.reason : plan.kind;
  };
  assert.equal(reasonOf(held), 'exit-trail');
  // Moved up from the level of a loss, the new order goes by the new level.
  assert.equal(reasonOf({ ...guarded, stop: d('98') }), 'exit-trail');
  // The strategy has lost its level: only the quantity has changed, and the order still has the old one.
  const lost = { ...guarded, stop: d('90'), least: d('97'), position: d('0.5') };
  assert.equal(reasonOf(lost), 'exit-stop-loss');
  assert.equal(reasonOf({ ...guarded, least: d('97'), position: d('0.5') }), 'exit-trail');
});

const amount = (most: number) => fc.integer({ min: 0, max: most }).map((steps) => d((steps / 10_000).toFixed(4)));
const price = fc.integer({ min: 1, max: 20_000 }).map((ticks) => d((ticks / 100).toFixed(2)));
const situation = fc.record({
  settings: fc.record({
    offset: fc.constantFrom(d('0.995'), d('0.9'), d('0.51')),
    onBandBlock: fc.constantFrom('notify' as const, 'clamp' as const, 'native-trail' as const),
  }),
  stop: fc.oneof(fc.constant(ZERO), price),
  least: fc.oneof(fc.constant(ZERO), price),
  price,
  position: amount(50_000),
  free: amount(50_000),
});

test('whatever is placed lies on the grid, sells no more than is there, waits below the price and is then kept', () => {
  fc.assert(
    fc.property(situation, (drawn) => {
      const wanted: StopSituation = { ...drawn, reason: 'exit-trail', rules, resting: null };
      const plan = planStop(wanted);
      if (plan.kind !== 'place') return;
      const { form, quantity, level } = plan;
      assert.ok(isOnStep(quantity, rules.lot.step) && quantity >= rules.lot.min);
      assert.ok(quantity <= minimum(wanted.position, wanted.free));
      assert.ok(level >= wanted.least && level < drawn.price);
      if (form.type === 'stop-loss-limit') {
        assert.ok(form.stopPrice < drawn.price && form.price <= form.stopPrice && form.stopPrice >= level);
        assert.ok(isOnStep(form.stopPrice, rules.price.tick) && isOnStep(form.price, rules.price.tick));
        assert.ok(form.price * 10n >= drawn.price * 8n, 'the exchange accepts the limit');
      }
      const resting: RestingStop = { form, left: quantity, level, reason: plan.reason, sold: false, triggered: false };
      const next = { ...wanted, free: subtract(wanted.free, quantity), resting };
      assert.equal(planStop(next).kind, 'keep');
    }),
    { numRuns: 500 },
  );
});
