import { count, defineStrategy, flag, on, sma } from 'tradewind/strategy';

export default defineStrategy({
  name: 'accumulate',
  title: 'Accumulate',
  summary: 'Buys the same amount every Monday while the coin is cheap; never sells.',
  interval: '1h',
  settings: {
    days: count('Average over', 200, { from: 20, to: 400, unit: 'days' }),
    onlyBelow: flag('Only below the average', true),
  },
  schedule: { weekday: 'monday', hour: 8, within: 12 },
  addOns: 500,
  defaults: { amount: 50 },
  indicators: ({ days }) => ({ average: on('1d', sma(days)) }),
  entry: [
    { wait: 'not-due', when: ({ due }) => !due, say: 'Waiting for Monday, 08:00 UTC.' },
    {
      wait: 'too-dear',
      when: ({ close, average, set }) => set.onlyBelow && close > average.value,
      say: 'Skipping this week: {close} is above the {days}-day average {average}.',
    },
    { buy: 'weekly-buy', say: 'Weekly buy number {level}: the {days}-day average is {average}, the price {close}.' },
  ],
});
