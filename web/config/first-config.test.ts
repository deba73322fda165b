import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIRST_CHOICES, firstConfig, maxLoss } from './first-config.ts';

test('percents become the multipliers of the strategy', () => {
  assert.deepEqual(firstConfig(FIRST_CHOICES), {
    kind: 'config',
    config: {
      candleInterval: '1m',
      buy: {
        enabled: true,
        entrySizing: { mode: 'fixed', amount: '150' },
        candleLimit: 60,
        gridLevels: [{ triggerPercentage: '1.005' }],
      },
      sell: { stopLossPercentage: '0.97', triggerPercentage: '1.006', trailingStopPercentage: '0.997' },
    },
  });
});

test('each bad choice is named', () => {
  const refused = firstConfig({ ...FIRST_CHOICES, spend: '-1', stop: '100', trail: 'x' });
  assert.equal(refused.kind, 'refused');
  assert.deepEqual(refused.kind === 'refused' ? Object.keys(refused.errors) : [], ['spend', 'stop', 'trail']);
});

test('the most that one coin can lose', () => {
  assert.equal(maxLoss(FIRST_CHOICES), '4.50');
  assert.equal(maxLoss({ ...FIRST_CHOICES, spend: '' }), undefined);
});
