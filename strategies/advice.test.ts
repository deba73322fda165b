import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VARIANT_NAMES } from '#core/research/advice.ts';
import { mergePatch } from '#core/merge.ts';
import { advicePrompt } from './advice-prompt.ts';
import { readAdvice } from './advice-reply.ts';
import { STRATEGIES } from './registry.ts';

const strategy = STRATEGIES.get('trailing-trade');
assert.ok(strategy !== undefined);
const stored = {
  buy: { gridLevels: [{ triggerPercentage: '1' }, { triggerPercentage: '0.9' }] },
  sell: { protectiveStop: { enabled: true } },
};
const config = strategy.config.parse(stored);
const judged = { strategy, config };
const propose = (changes: unknown, more: object = {}) => ({
  title: 'T',
  rationale: 'R',
  expectedEffect: 'E',
  overfitRisk: 'low',
  changes,
  ...more,
});
const read = (...suggestions: unknown[]) => readAdvice(judged, JSON.stringify({ summary: 'S', suggestions }));
const reasonOf = (...changes: unknown[]): string => read(propose(changes))?.dropped[0]?.reason ?? 'it was kept';

test('the question holds goal, settings, schema and results, and nothing of the fills', () => {
  const results = { AAAUSDT: { metrics: { net: 12.5 }, decisions: { 'entry-above-window-low': 7 }, fills: ['FILL'] } };
  const run = { strategy, config, request: { balance: '1000', venue: 'VENUE' }, results };
  const prompts = VARIANT_NAMES.map((variant) => advicePrompt(run, variant));
  assert.equal(new Set(prompts).size, VARIANT_NAMES.length);
  for (const words of ['"net":12.5', '"entry-above-window-low":7', '"candleLimit"', 'overfitRisk', '"balance":"1000"'])
    assert.ok(prompts[0]?.includes(words), words);
  assert.doesNotMatch(prompts.join(), /FILL|VENUE/);
  assert.ok((prompts[0]?.length ?? 0) < 30_000);
});

test('a suggestion that the strategy accepts is kept with a patch that makes exactly its changes', () => {
  const advice = read(
    propose([
      { path: 'buy.candleLimit', value: 120 },
      { path: 'buy.gridLevels.1.triggerPercentage', value: '0.95' },
    ]),
    propose([{ path: 'sell.stopLossPercentage', value: '0.9' }], { title: undefined, overfitRisk: 'huge' }),
  );
  assert.deepEqual(advice?.dropped, []);
  const [both, stop] = advice?.suggestions ?? [];
  assert.deepEqual(both?.changes, [
    { path: 'buy.candleLimit', from: 60, to: 120 },
    { path: 'buy.gridLevels.1.triggerPercentage', from: '0.9', to: '0.95' },
  ]);
  const after = strategy.config.parse(mergePatch(stored, both?.overrideConfig));
  const wanted = structuredClone(stored);
  assert.deepEqual(
    after,
    strategy.config.parse(
      mergePatch(wanted, {
        buy: { candleLimit: 120, gridLevels: [{ triggerPercentage: '1' }, { triggerPercentage: '0.95' }] },
      }),
    ),
  );
  assert.deepEqual(
    [stop?.title, stop?.overfitRisk, stop?.overrideConfig],
    ['sell.stopLossPercentage', 'unknown', { sell: { stopLossPercentage: '0.9' } }],
  );
});

test('what cannot be used is dropped with the reason', () => {
  const change = (path: string, value: unknown) => ({ path, value });
  const cases: [string, RegExp][] = [
    [reasonOf(change('buy.candleLimit', 1000)), /^buy\.candleLimit: must be at most 999$/],
    [reasonOf(change('buy.magic', 1)), /^buy\.magic is not a setting of Trailing trade\.$/],
    [reasonOf(change('__proto__.polluted', 1)), /is not a setting/],
    [reasonOf(change('buy.gridLevels.7.triggerPercentage', '1')), /is not a setting/],
    [reasonOf(change('buy', {})), /is a group of settings/],
    [reasonOf(change('buy.candleLimit', 60)), /changes nothing/],
    [reasonOf(change('sell.stopLossPercentage', '')), /removes the stop loss/],
    [reasonOf(change('sell.protectiveStop.enabled', false)), /removes the stop on the exchange/],
    [reasonOf(change('buy.gridLevels', 'x'.repeat(5000))), /longer than 4000/],
    [reasonOf(), /does not have the requested form.*changes/],
    [read('text')?.dropped[0]?.reason ?? '', /does not have the requested form/],
  ];
  for (const [reason, words] of cases) assert.match(reason, words);
  const twice = propose([change('buy.candleLimit', 120)]);
  assert.deepEqual(read(twice, twice)?.dropped, [{ title: 'T', reason: 'It repeats an earlier suggestion.' }]);
  assert.equal(read(...Array.from({ length: 25 }, () => twice))?.dropped.at(-1)?.title, '5 more');
});

test('the answer is found between other words; nonsense of any size is no answer, and is soon said to be none', () => {
  const answer = JSON.stringify({
    suggestions: [propose([{ path: 'buy.candleLimit', value: 99 }], { rationale: 'a "}" in {text' })],
  });
  for (const text of [answer, `Sure! {x} \`\`\`json\n${answer}\n\`\`\` {"suggestions": 1}`])
    assert.equal(readAdvice(judged, text)?.suggestions.length, 1, text);
  const nonsense = [
    '',
    'no',
    '{}',
    '[]',
    'null',
    '{"suggestions": {}}',
    `{"suggestions": [${'{"a":'.repeat(60_000)}`,
    '{'.repeat(256_000),
    '{"'.repeat(128_000),
    `${answer}${' '.repeat(256_000)}`,
  ];
  for (const text of nonsense) assert.equal(readAdvice(judged, text), undefined, text.slice(0, 20));
});
