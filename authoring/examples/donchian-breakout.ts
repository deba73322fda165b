import { atr, count, defineStrategy, donchian, number } from 'tradewind/strategy';

export default defineStrategy({
  name: 'donchian-breakout',
  title: 'Donchian breakout',
  summary: 'Buys a close above the channel and trails a stop by true ranges.',
  interval: '4h',
  settings: {
    channel: count('Channel of', 20, { from: 2, to: 400, unit: 'candles' }),
    range: count('True range over', 14, { from: 2, to: 100, unit: 'candles' }),
    stopRanges: number('Stop below the peak', 3, { from: 0.5, to: 20, unit: 'true ranges' }),
  },
  indicators: ({ channel, range }) => ({ channel: donchian(channel), range: atr(range) }),
  entry: [
    {
      wait: 'no-breakout',
      when: ({ close, channel }) => close <= channel.before.upper,
      say: 'Not buying: {close} is not above the channel of {channel.before.upper}.',
    },
    { buy: 'breakout', say: 'Buying: {close} is above the channel of {channel.before.upper}.' },
  ],
  exit: [
    {
      sell: 'channel-lost',
      when: ({ close, channel }) => close < channel.before.lower,
      say: 'Selling: {close} is below the channel of {channel.before.lower}.',
    },
    {
      stay: 'in-trend',
      say: 'Holding at {close}; stop {stop}, {stopRanges} true ranges of {range.value} below {peak}.',
    },
  ],
  stop: ({ peak, range, set }) => peak - set.stopRanges * range.value,
});
