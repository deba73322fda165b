import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { type BacktestInput, runBacktest } from '#backtest/run.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { readNamedFile } from '#paper/market/candle-files.ts';
import { listingOfSeries } from '#paper/market/replay.ts';
import { STRATEGIES } from '#strategies/registry.ts';

const FOLDER = resolve(import.meta.dirname, '..', '..', '..', 'shared', 'data', 'candles');
const MINUTES = join(FOLDER, 'timealiver-binance-spot', 'BTCUSDT-1m.csv.gz');
const HOURS = join(FOLDER, 'roshan7869-freqtrade', 'BTCUSDT-1h.csv.gz');
const missing = [MINUTES, HOURS].find((path) => !existsSync(path));
const skip = missing === undefined ? false : `recorded candles are not here: ${missing}`;

const CONFIG = {
  buy: { candleLimit: 24, gridLevels: [{ triggerPercentage: '1.01', maxPurchaseAmount: '100' }] },
  sell: { stopLossPercentage: '0.97', triggerPercentage: '1.03', trailingStopPercentage: '0.99' },
};

function backtest(input: Pick<BacktestInput, 'candles'> & Partial<BacktestInput>) {
  const strategy = STRATEGIES.get('trailing-trade');
  assert.ok(strategy);
  const { rules } = listingOfSeries(readNamedFile(MINUTES));
  const terms = {
    balance: requireDecimal('1000'),
    feeRate: requireDecimal('0.001'),
    slippage: requireDecimal('0.0002'),
  };
  const outcome = runBacktest({ bound: strategy.bind(strategy.config.parse(CONFIG)), rules, terms, ...input });
  assert.ok(outcome.kind === 'result');
  return outcome.result;
}

test('a year of minutes: recorded hours and hours summed from minutes trade alike', { skip }, () => {
  const minutes = readNamedFile(MINUTES);
  const hours = readNamedFile(HOURS);
  const window = { fromMs: Date.UTC(2022, 0, 2), toMs: Date.UTC(2023, 0, 1) };
  const summed = backtest({ candles: minutes, ...window });
  const recorded = backtest({ candles: hours, detail: minutes, ...window });
  assert.ok(summed.fills.length > 100, `${summed.fills.length} fills`);
  assert.deepEqual(recorded.warnings, []);
  assert.equal(recorded.fingerprint, summed.fingerprint);
});

test('an outage of the exchange is reported, not bridged in silence', { skip }, () => {
  const hours = readNamedFile(HOURS);
  const result = backtest({ candles: hours, fromMs: Date.UTC(2018, 1, 1), toMs: Date.UTC(2018, 2, 1) });
  const [outage, ticks, ...more] = result.warnings;
  assert.equal(outage, '33 candles are missing in one gap, the longest 1980 minutes: 95.09 % covered.');
  assert.match(ticks ?? '', /^Trailing trade acts at any price/);
  assert.deepEqual(more, []);
});
