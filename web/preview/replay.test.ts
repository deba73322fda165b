import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChartCandle as Row } from '#web/chart/chart-data.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { Replayer } from './replay.ts';
import type { Past } from './summary.ts';
import { rulesWith } from '#test/harness/rules.ts';

/** Hourly candles that swing by 3 % around 100 once a day. */
function swings(days: number): Past {
  const column = (value: (row: number) => number): Float64Array =>
    Float64Array.from({ length: days * 24 }, (_, i) => value(i));
  const price = (row: number): number => Math.round(10_000 * (1 + 0.03 * Math.sin((row / 24) * 2 * Math.PI))) / 100;
  const columns = {
    openMs: column((row) => Date.UTC(2026, 0, 1) + row * 3_600_000),
    open: column(price),
    high: column((row) => Math.max(price(row), price(row + 1)) + 0.02),
    low: column((row) => Math.min(price(row), price(row + 1)) - 0.02),
    close: column((row) => price(row + 1)),
    volume: column(() => 1000),
  } satisfies Record<Exclude<keyof Row, 'closed'>, Float64Array>;
  return {
    interval: '1h',
    columns,
    terms: { balance: requireDecimal('10000'), feeRate: requireDecimal('0.001'), slippage: ZERO },
    rules: rulesWith({ symbol: 'AAABBB', quoteAsset: 'BBB' }),
  };
}
const config = {
  candleInterval: '1h',
  buy: { entrySizing: { amount: '1000' }, candleLimit: 30, gridLevels: [{ triggerPercentage: '1.002' }] },
  sell: { triggerPercentage: '1.02', trailingStopPercentage: '0.995', stopLossPercentage: '0.9' },
};

test('a config is replayed over the past: what it made, day by day, with the band around it', () => {
  const replay = new Replayer(swings(20)).run('trailing-trade', config);
  assert.equal(replay.kind, 'summary');
  if (replay.kind !== 'summary') return;
  const { totalReturn, sales, days, band, winRate } = replay.summary;
  assert.ok(totalReturn > 0 && sales > 5, `${totalReturn} ${sales}`);
  assert.equal(winRate, 1);
  assert.equal(days.length, 20);
  assert.ok(band.worst <= band.base && band.base <= band.best);
});

test('what cannot be replayed says why; holding follows the coin', () => {
  const replayer = new Replayer(swings(3));
  assert.deepEqual(replayer.run('trailing-trade', { candleInterval: 'never' }).kind, 'refused');
  assert.deepEqual(replayer.run('unheard-of', {}).kind, 'refused');
  assert.deepEqual(replayer.run('trailing-trade', { ...config, candleInterval: '30m' }).kind, 'refused');
  assert.equal(replayer.holding().length, 3);
});
