import { bollinger, count, defineStrategy, lowest, number, percent } from 'tradewind/strategy';

export default defineStrategy({
  name: 'bollinger-squeeze',
  title: 'Bollinger squeeze',
  summary: 'Buys the break upwards out of bands that were unusually narrow.',
  interval: '1h',
  settings: {
    length: count('Bands over', 20, { from: 5, to: 200, unit: 'candles' }),
    narrowest: count('Narrowest of', 120, { from: 20, to: 700, unit: 'candles' }),
    slack: percent('Counts as narrow up to', 10, { from: 0, to: 100, unit: '% over the narrowest' }),
    patience: count('A squeeze counts for', 12, { from: 1, to: 200, unit: 'candles' }),
    reward: number('Target', 2, { from: 0.5, to: 20, unit: 'times the risk' }),
  },
  memory: { since: 999, target: 0 },
  indicators: ({ length, narrowest }) => ({ bands: bollinger(length, 2), least: lowest(narrowest, 'bands.width') }),
  each: ({ bands, least, set, memory, close, held }) => {
    memory.since = bands.width <= least.value * (1 + set.slack) ? 0 : memory.since + 1;
    if (!held) memory.target = close + set.reward * (close - bands.middle);
  },
  entry: [
    {
      wait: 'no-squeeze',
      when: ({ memory, set }) => memory.since > set.patience,
      say: 'Not buying: the last squeeze was {since} candles ago, at most {patience} count.',
    },
    {
      wait: 'inside-bands',
      when: ({ close, bands }) => close <= bands.upper,
      say: 'Not buying: {close} is not above the upper band {bands.upper}.',
    },
    { buy: 'squeeze-broken', say: 'Buying: {close} left bands that were narrow {since} candles ago.' },
  ],
  stop: ({ bands }) => bands.middle,
  target: ({ memory }) => memory.target,
});
