// Where a chart draws the indicators of a strategy file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkedRules } from '#backtest/check/market.ts';
import { drawCandles } from '#strategies/draw-candles.ts';
import { hourCandle } from '#strategies/test-view.ts';
import { strategyOf } from './find.ts';

const text = [
  "import { bollinger, defineStrategy, ema, lowest, momentum, rsi, sma } from 'tradewind/strategy';",
  'export default defineStrategy({',
  "  name: 'panes', title: 'Panes', summary: 'Declares lines of each kind.', interval: '1h',",
  '  indicators: () => ({',
  "    rsi: rsi(3), smooth: sma(2, 'rsi'), change: momentum(1), bands: bollinger(3, 2), least: lowest(2, 'bands.width'),",
  "    fast: ema(2), faster: ema(2, 'fast'), turnover: sma(2, 'volume'),",
  '  }),',
  "  entry: [{ wait: 'never', say: 'Never buying.' }],",
  '});',
].join('\n');
const strategy = strategyOf({ name: 'panes.ts', text });
const bound = strategy.bind(strategy.config.parse({ entrySizing: { amount: '100' } }));
const panes = new Map(bound.drawings?.lines.map(({ name, pane, dash }) => [name, [pane, dash]]));

test('an oscillator has a pane of its own', () => {
  assert.deepEqual(panes.get('rsi'), ['rsi', 'solid']);
  assert.deepEqual(panes.get('change'), ['change', 'solid']);
});

test('an average of an oscillator is in the pane of its source, with another dash', () => {
  assert.deepEqual(panes.get('smooth'), ['rsi', 'dashed']);
});

test('the width of bands is no price, and the lowest width is next to it', () => {
  assert.deepEqual(panes.get('bands.width'), ['bands.width', 'solid']);
  assert.deepEqual(panes.get('least'), ['bands.width', 'dashed']);
});

test('averages of prices and of averages are over the candles', () => {
  for (const name of ['bands.upper', 'fast', 'faster']) assert.deepEqual(panes.get(name), [undefined, 'solid']);
});

test('an average of the volume has a pane of its own', () => {
  assert.deepEqual(panes.get('turnover'), ['turnover', 'solid']);
});

test('a negative value is drawn in a pane', () => {
  const candles = [100, 98, 97, 99].map((close, i) => hourCandle(i, close));
  const values = drawCandles({ bound, rules: checkedRules(1), candles, steps: [] });
  assert.deepEqual(values.get('change'), [null, -2, -1, 2]);
});
