import { count, defineStrategy, number, percent, rsi } from 'tradewind/strategy';

export default defineStrategy({
  name: 'rsi-reversion',
  title: 'RSI mean reversion',
  summary: 'Buys when the RSI is low, sells when it has recovered.',
  interval: '1h',
  settings: {
    length: count('RSI over', 14, { from: 2, to: 200, unit: 'candles' }),
    buyBelow: number('Buy below an RSI of', 30, { from: 1, to: 99 }),
    sellAbove: number('Sell above an RSI of', 55, { from: 1, to: 99 }),
    stopBelow: percent('Stop below the entry', 5, { from: 0.5, to: 50 }),
  },
  indicators: ({ length }) => ({ rsi: rsi(length) }),
  entry: [
    {
      wait: 'rsi-not-low',
      when: ({ rsi, set }) => rsi.value >= set.buyBelow,
      say: 'Not buying: the RSI is {rsi}, not below {buyBelow}.',
    },
    { buy: 'rsi-low', say: 'Buying: the RSI is {rsi}, below {buyBelow}.' },
  ],
  exit: [
    {
      sell: 'rsi-recovered',
      when: ({ rsi, set }) => rsi.value > set.sellAbove,
      say: 'Selling: the RSI is back at {rsi}.',
    },
    { stay: 'rsi-holding', say: 'Holding: the RSI is {rsi}, sold above {sellAbove}; stop {stop}.' },
  ],
  stop: ({ entryPrice, set }) => entryPrice * (1 - set.stopBelow),
});
