import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignalList } from '#core/order/signal-list.ts';
import { openView } from '#core/judge/view.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { GRID } from '#strategies/test-view.ts';
import { rulesWith } from '#test/harness/rules.ts';
import { withSignals } from './signals.ts';

const MINUTE = 60_000;

function instanceOf(csv: string) {
  const signals = readSignalList(csv);
  assert.ok(!('problem' in signals));
  const bound = STRATEGIES.get('signal')?.bind({});
  assert.ok(bound);
  return withSignals(bound.create(GRID), { signals, ...PLACE });
}
const PLACE = { rules: rulesWith({ symbol: 'SOLUSDT' }), detail: { interval: '1m' } } as const;
const at = (ms: number) => new Date(ms).toISOString();
const csvOf = (...rows: string[]) => ['time,symbol,action,id', ...rows].join('\n');
const reasonAt = (instance: ReturnType<typeof instanceOf>, nowMs: number) =>
  instance.decide({ ...openView(), price: 10_000, nowMs }).reason;

test('a signal is seen once, at the first decision two seconds after its time', () => {
  const instance = instanceOf(csvOf(`${at(MINUTE)},SOLUSDT,buy,a`));
  const seen = [1, 2, 3].map((minute) => reasonAt(instance, minute * MINUTE));
  assert.deepEqual(seen, ['entry-no-signal', 'entry-signal', 'entry-no-signal']);
});

test('signals of other coins are not seen, and of several between two decisions the newest counts', () => {
  const rows = [`${at(1_000)},SOLUSDT,close,b`, `${at(0)},SOL/USDT,buy,a`, `${at(1_500)},BTCUSDT,buy,c`];
  assert.equal(reasonAt(instanceOf(csvOf(...rows)), MINUTE), 'entry-nothing-held');
});

test('a signal from before the window, or from a gap between its candles, is not carried out', () => {
  const instance = instanceOf(csvOf(`${at(0)},SOLUSDT,buy,a`));
  assert.equal(reasonAt(instance, 5 * MINUTE), 'entry-no-signal');
});

test('the view keeps no signal after a decision', () => {
  const instance = instanceOf(csvOf(`${at(0)},SOLUSDT,buy,a`));
  const view = { ...openView(), price: 10_000, nowMs: MINUTE };
  assert.equal(instance.decide(view).reason, 'entry-signal');
  assert.equal(view.signal, null);
});

for (const [name, csv, problem] of [
  ['no header', 'a,b\n1,2', /the first line must be time,symbol,action,id/],
  ['an unknown action', csvOf(`${at(0)},SOLUSDT,hold,a`), /line 2: .*action/],
  ['a time that is none', csvOf('yesterday,SOLUSDT,buy,a'), /line 2: .*time/],
] as const)
  test(`a list with ${name} is refused`, () => {
    const read = readSignalList(csv);
    assert.match('problem' in read ? read.problem : '', problem);
  });
