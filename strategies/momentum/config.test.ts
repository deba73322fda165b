import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { undescribedSettings } from '#strategies/test-schema.ts';
import { config, DEFAULTS } from './config.ts';
import { momentum } from './strategy.ts';

const problemsOf = (value: unknown): string[] => {
  const parsed = config.safeParse(value);
  return parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
};

test('an empty config is the defaults', () => {
  assert.deepEqual([DEFAULTS.ema.fast, DEFAULTS.ema.slow, DEFAULTS.trailingStopPercentage], [9, 21, '0.95']);
  assert.deepEqual(config.parse({ ema: { slow: 21 } }), DEFAULTS);
});

const refusals: readonly [unknown, string][] = [
  [
    { entrySizing: { mode: 'risk-at-stop', percent: '0.11' } },
    'entrySizing.percent: 0.11 must be at most 0.1, because it is the loss at one stop',
  ],
  [
    { entrySizing: { mode: 'risk-at-stop' }, exitEnabled: false },
    'entrySizing.mode: is risk-at-stop, but selling is switched off, so there is no stop',
  ],
  [{ ema: { slow: 999 } }, 'ema.slow: must be at most 998'],
  [{ ema: { slow: 1 } }, 'ema.slow: must be at least 2'],
  [{ ema: { fast: 998, slow: 998 } }, 'ema.fast: must be at most 997'],
  [{ ema: { fast: 21 } }, 'ema.fast: 21 must be below the 21 candles of the slow average'],
  [{ entryMarginPercentage: '0.99' }, 'entryMarginPercentage: 0.99 must be at least 1'],
  [{ trailingStopPercentage: '1' }, 'trailingStopPercentage: 1 must be below 1'],
  [{ trailingStopPercentage: '' }, 'trailingStopPercentage: is not a decimal number'],
  [{ atrTrailing: { multiplier: '20.1' } }, 'atrTrailing.multiplier: 20.1 must be at most 20'],
  [{ atrTrailing: { period: 1 } }, 'atrTrailing.period: must be at least 2'],
  [{ profitTrail: { activationPercentage: '1' } }, 'profitTrail.activationPercentage: 1 must be above 1'],
  [{ trendFilter: { period: 1 } }, 'trendFilter.period: must be 0 for off or at least 2'],
  [{ trendFilter: { maType: 'wma' } }, 'trendFilter.maType: must be one of sma, ema'],
  [{ entryExtension: { maxPercentage: '1' } }, 'entryExtension.maxPercentage: 1 must be above 1'],
  [{ surprise: 1 }, ': Unrecognized key: "surprise"'],
];
for (const [value, sentence] of refusals) {
  test(`refused: ${JSON.stringify(value)}`, () => assert.equal(problemsOf(value)[0], sentence));
}

test('the highest legal values pass and need no more than one load of candles', () => {
  const highest = {
    ema: { fast: 997, slow: 998 },
    atrTrailing: { multiplier: '20', period: 100 },
    trendFilter: { maType: 'sma', period: 400, slopeBars: 200 },
    entryExtension: { period: 400 },
  };
  assert.deepEqual(problemsOf(highest), []);
  assert.deepEqual(momentum.needs(config.parse(highest)), { interval: '1h', min: 999, want: 999 });
  assert.deepEqual(momentum.needs(DEFAULTS), { interval: '1h', min: 50, want: 176 });
});

test('the JSON Schema describes every setting for the form', () => {
  assert.deepEqual(undescribedSettings(z.toJSONSchema(config, { io: 'input' })), []);
});
