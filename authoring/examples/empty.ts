import { defineStrategy } from 'tradewind/strategy';

export default defineStrategy({
  name: 'empty',
  title: 'Buy and hold',
  summary: 'Never trades; only watches the coin. Copy it to begin a new strategy.',
  interval: '1h',
  entry: [{ wait: 'only-watching', say: 'This strategy never trades; the last close is {close}.' }],
});
