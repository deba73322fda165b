import assert from 'node:assert/strict';
import test from 'node:test';
import { createMarketReader } from './read.ts';

test('a limit beyond one request is refused', async () => {
  const reader = createMarketReader({ restUrl: 'http://127.0.0.1:1' });
  for (const limit of [0, 1_001, 1.5]) {
    await assert.rejects(reader.candles({ symbol: 'BTCUSDT', interval: '1m', limit }), RangeError);
  }
});
