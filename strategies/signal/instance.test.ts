import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TickSignal, TickView } from '#core/judge/view.ts';
import { GRID, flatView, heldView } from '#strategies/test-view.ts';
import { config } from './config.ts';
import { createInstance } from './instance.ts';

const instanceOf = (change: object = {}, minWorth = 0) => createInstance(config.parse(change), { ...GRID, minWorth });
const signal = (action: TickSignal['action']): TickSignal => ({ action, key: 'one', inlet: 'Charts', ageMs: 1_400 });
const decide = (view: TickView, change: object = {}, minWorth = 0) => instanceOf(change, minWorth).decide(view);

test('without a signal it waits', () => {
  assert.deepEqual(decide(flatView()), { kind: 'nothing', reason: 'entry-no-signal' });
});

test('a buy signal buys once: the decision says that it answers the signal', () => {
  const decision = decide(flatView({ signal: signal('buy') }));
  assert.deepEqual(decision, { kind: 'buy', reason: 'entry-signal', level: 0, answersSignal: true });
});

for (const [name, view, change, reason] of [
  ['while something is held', heldView({ signal: signal('buy') }), {}, 'hold-held-already'],
  ['while buying is off', flatView({ signal: signal('buy') }), { entryEnabled: false }, 'entry-disabled'],
] as const)
  test(`a buy signal ends without an order ${name}`, () => {
    assert.deepEqual(decide(view, change), { kind: 'nothing', reason, answersSignal: true });
  });

test('a sale ends without an order while nothing is held', () => {
  for (const action of ['sell', 'close'] as const)
    assert.deepEqual(decide(flatView({ signal: signal(action) })), {
      ...{ kind: 'nothing', reason: 'entry-nothing-held', answersSignal: true },
    });
});

test('a signal waits while an order of its coin is in flight', () => {
  assert.equal(decide(flatView({ signal: signal('close'), entryOrderOpen: true })).answersSignal, undefined);
  assert.equal(decide(heldView({ signal: signal('close'), exitOrderOpen: true })).answersSignal, undefined);
});

test('a sell signal sells its part, a close everything', () => {
  const half = { sellShare: '0.5' };
  const held = (action: TickSignal['action']) => heldView({ signal: signal(action) });
  const sold = decide(held('sell'), half);
  assert.deepEqual([sold.kind, 'lots' in sold && sold.lots, sold.answersSignal], ['sell', 500, true]);
  const closed = decide(held('close'), half);
  assert.deepEqual('lots' in closed && closed.lots, 'all');
});

test('a part that is too small to sell becomes everything', () => {
  const sold = decide(heldView({ signal: signal('sell') }), { sellShare: '0.1' }, 2_000_000);
  assert.equal('lots' in sold && sold.lots, 'all');
});

test('the stop sells without a signal, before any signal, and does not answer it', () => {
  const view = heldView({ price: 9_500, signal: signal('sell') });
  assert.deepEqual(decide(view), { kind: 'sell', reason: 'exit-stop-loss', lots: 'all' });
});

test('without a stop loss there is no stop', () => {
  const instance = instanceOf({ stopLossPercentage: '' });
  assert.equal(instance.stopTicks(heldView()), 0);
  assert.equal(instance.decide(heldView({ price: 1 })).reason, 'hold-no-stop');
});

test('a decision names the signal and its age', () => {
  const instance = instanceOf();
  const view = flatView({ signal: signal('buy') });
  assert.deepEqual(instance.explain(instance.decide(view), view), {
    ...{ price: '100.00', key: 'one', inlet: 'Charts', age: '1.4' },
  });
});

test('the sizing by the risk at the stop needs a stop', () => {
  const change = { stopLossPercentage: '', entrySizing: { mode: 'risk-at-stop', percent: '0.01' } };
  assert.equal(config.safeParse(change).success, false);
});
