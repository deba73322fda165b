import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeTrading } from '#test/flow/trading.contract.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'candles', 'timealiver-binance-spot');

/** The first config of the guided profile. */
const config = {
  candleInterval: '1m',
  buy: {
    entrySizing: { mode: 'fixed', amount: '150' },
    gridLevels: [{ triggerPercentage: '1.005' }],
    lossCooldownMinutes: 0,
  },
  sell: { stopLossPercentage: '0.97', triggerPercentage: '1.006', trailingStopPercentage: '0.997' },
};

if (existsSync(folder)) {
  describeTrading('trading on recorded candles of June 2022', { folder, fromMs: Date.UTC(2022, 5, 1), config }, {});
} else {
  test('trading on recorded candles', {
    skip: `${folder} does not exist: recorded candles are kept beside the project`,
  }, () => {});
}
