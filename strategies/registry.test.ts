import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STRATEGIES } from './registry.ts';
import * as momentum from '#strategies/momentum/reasons.ts';
import { readStored } from './stored.ts';
import { flatView, GRID } from './test-view.ts';
import * as trailing from '#strategies/trailing-trade/reasons.ts';

for (const [name, strategy] of STRATEGIES) {
  test(`${name}: the defaults parse, bind and need no more candles than one load gives`, () => {
    const bound = strategy.bind(strategy.config.parse({}));
    assert.equal(bound.readable, true);
    assert.ok(bound.needs.min <= bound.needs.want && bound.needs.want <= 999);
    assert.ok(bound.create(GRID).state());
  });

  test(`${name}: a stored config with every default is read as it is`, () => {
    const config = strategy.config.parse({});
    assert.deepEqual(readStored(strategy.config, config), { config, readable: true });
  });

  test(`${name}: thresholds of a reason are numbers of its sentence`, () => {
    for (const [code, { sentence, thresholds }] of Object.entries(strategy.reasons)) {
      assert.match(sentence, /[.]$/, code);
      for (const threshold of thresholds) assert.ok(sentence.includes(`{${threshold}}`), `${code}: ${threshold}`);
    }
  });
}

const answers = [
  ['trailing-trade', trailing],
  ['momentum', momentum],
] as const;
for (const [name, { ANSWERS, REASONS }] of answers) {
  test(`${name}: every answer carries the code it is filed under, and every code has a sentence`, () => {
    assert.deepEqual(Object.keys(ANSWERS).toSorted(), Object.keys(REASONS).toSorted());
    for (const [code, answer] of Object.entries(ANSWERS)) assert.equal(answer.reason, code);
  });
}

test('an unreadable setting is named by the explanation', () => {
  const strategy = STRATEGIES.get('trailing-trade');
  const bound = strategy?.bind({ buy: { candleLimit: 'many' } });
  assert.equal(bound?.unreadablePath, 'buy.candleLimit');
  const view = flatView({ readable: false });
  const instance = bound?.create(GRID);
  const decision = instance?.decide(view);
  assert.ok(decision);
  assert.equal(decision.reason, 'entry-config-unreadable');
  assert.equal(instance?.explain(decision, view)['path'], 'buy.candleLimit');
});
