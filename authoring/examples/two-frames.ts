import { count, defineStrategy, ema, on, percent } from 'tradewind/strategy';

export default defineStrategy({
  name: 'two-frames',
  title: 'Trend in two frames',
  summary: 'Buys a fast cross on short candles while the daily trend rises.',
  interval: '1h',
  settings: {
    fast: count('Fast average', 12, { from: 2, to: 200, unit: 'candles' }),
    slow: count('Slow average', 48, { from: 3, to: 400, unit: 'candles' }),
    days: count('Daily average', 50, { from: 5, to: 200, unit: 'days' }),
    trail: percent('Trail below the peak', 6, { from: 0.5, to: 50 }),
  },
  indicators: ({ fast, slow, days }) => ({ fast: ema(fast), slow: ema(slow), trend: on('1d', ema(days)) }),
  entry: [
    {
      wait: 'trend-falls',
      when: ({ close, trend }) => close < trend.value || trend.value <= trend.before.value,
      say: 'Not buying: the daily average {trend} does not rise below {close}.',
    },
    {
      wait: 'no-cross',
      when: ({ fast, slow }) => fast.value <= slow.value || fast.before.value > slow.before.value,
      say: 'Not buying: {fast.value} has not just crossed above {slow.value}.',
    },
    { buy: 'cross-in-trend', say: 'Buying: {fast.value} crossed above {slow.value} while the daily average rises.' },
  ],
  exit: [
    {
      sell: 'trend-lost',
      when: ({ close, trend }) => close < trend.value * 0.98,
      say: 'Selling: {close} is 2 % below the daily average {trend}.',
    },
    { stay: 'trend-holds', say: 'Holding at {close}; stop {stop}.' },
  ],
  stop: ({ peak, set }) => peak * (1 - set.trail),
});
