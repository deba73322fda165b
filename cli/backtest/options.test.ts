import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { chargesOf } from '#core/research/costs.ts';
import { runTerms } from '#core/research/research.ts';
import { parseBacktestOptions } from './options.ts';

const CWD = resolve('/somewhere');
const NEEDED = ['--candles', 'BTCUSDT-1h.csv.gz', '--strategy', 'trailing-trade'];

test('the least that must be given, and what it defaults to', () => {
  const parsed = parseBacktestOptions(NEEDED, CWD);
  assert.ok(parsed.kind === 'options' && parsed.options.account === undefined);
  const { options } = parsed;
  assert.equal(options.candles, resolve(CWD, 'BTCUSDT-1h.csv.gz'));
  assert.equal(options.strategy.name, 'trailing-trade');
  const { balance, feeRate, slippage, halfSpread, participation, feeIn, makerFeeRate } = options.terms;
  const numbers = [balance, feeRate, slippage, halfSpread ?? ZERO, participation ?? ZERO].map(formatDecimal);
  assert.deepEqual(numbers, ['1000', '0.001', '0.0002', '0.0001', '0.05']);
  assert.deepEqual([feeIn, makerFeeRate], ['received', undefined]);
  const { config, detail, symbol, fromMs, toMs, json } = options;
  assert.deepEqual(
    { config, detail, symbol, fromMs, toMs, json },
    {
      config: undefined,
      detail: undefined,
      symbol: undefined,
      fromMs: undefined,
      toMs: undefined,
      json: false,
    },
  );
});

test('everything that can be given', () => {
  const more = '--config c.json --detail d --symbol BTCUSDT --from 2022-01-01 --to 2022-02-01T00:00:00Z --json';
  const terms =
    '--fee-bps 7.5 --slippage-bps=1.25 --balance 250.5 --maker-fee-bps 2 --spread-bps 3 --volume-percent 12.5 --fee-in other';
  const parsed = parseBacktestOptions([...NEEDED, ...more.split(' '), ...terms.split(' ')], CWD);
  assert.ok(parsed.kind === 'options' && parsed.options.account === undefined);
  const { options } = parsed;
  assert.deepEqual([options.config, options.detail], [resolve(CWD, 'c.json'), resolve(CWD, 'd')]);
  assert.deepEqual([options.fromMs, options.toMs], [Date.UTC(2022, 0, 1), Date.UTC(2022, 1, 1)]);
  const { balance, feeRate, slippage } = options.terms;
  assert.deepEqual([balance, feeRate, slippage].map(formatDecimal), ['250.5', '0.00075', '0.000125']);
  const { makerFeeRate, halfSpread, participation } = options.terms;
  const rest = [makerFeeRate, halfSpread, participation].map((value) => formatDecimal(value ?? ZERO));
  assert.deepEqual(rest, ['0.0002', '0.00015', '0.125']);
  assert.deepEqual([options.symbol, options.json, options.terms.feeIn], ['BTCUSDT', true, 'other']);
});

test('the command line and the API take the same costs with the same defaults', () => {
  const given = { feeBps: '7', makerFeeBps: '1', feeIn: 'other', slippageBps: '4', spreadBps: '6', volumePercent: '0' };
  const flags = '--fee-bps 7 --maker-fee-bps 1 --fee-in other --slippage-bps 4 --spread-bps 6 --volume-percent 0';
  for (const [body, args] of [
    [{}, []],
    [given, flags.split(' ')],
  ] as const) {
    const parsed = parseBacktestOptions([...NEEDED, ...args], CWD);
    assert.ok(parsed.kind === 'options');
    const { balance: _balance, ...charges } = parsed.options.terms;
    const asked = runTerms.parse({ from: '2022-01-01T00:00:00Z', ...body });
    assert.deepEqual(charges, chargesOf(asked));
  }
});

for (const [given, says] of [
  [['--strategy', 'hold'], '--candles is missing: set it to a candle file or a folder of candle files.'],
  [['--candles', 'x'], '--strategy is missing: set it to one of'],
  [['--candles', 'x', '--strategy', 'magic'], '--strategy is "magic", but must be one of'],
  [[...NEEDED, '--from', 'today'], '--from is "today", but must be a date such as'],
  [[...NEEDED, '--from', '2022-02-01', '--to', '2022-02-01'], '--from must be before --to.'],
  [[...NEEDED, '--fee-bps', '-1'], '--fee-bps is "-1", but must be a number from 0 to 1000'],
  [[...NEEDED, '--volume-percent', '101'], '--volume-percent is "101", but must be a percentage from 0 to 100'],
  [[...NEEDED, '--fee-in', 'BNB'], '--fee-in is "BNB", but must be received or other.'],
  [[...NEEDED, '--slippage-bps', '2000'], '--slippage-bps is "2000", but must be a number from 0 to 1000'],
  [[...NEEDED, '--balance', '0'], '--balance is "0", but must be an amount above 0'],
  [[...NEEDED, '--balance', '1e3'], '--balance is "1e3", but must be an amount above 0'],
  [[...NEEDED, '--purse', 'mine'], '--purse is "mine", but must be shared or separate.'],
  [[...NEEDED, '--limits', 'l.json', '--purse', 'separate'], '--limits apply to all coins'],
  [
    [...NEEDED, '--account', 'a.json'],
    '--account already defines strategies, settings, coins and limits: leave out --strategy.',
  ],
  [[...NEEDED, '--speed', '2'], '"tradewind backtest" has no flag --speed'],
] as const) {
  test(`refused: ${given.slice(-2).join(' ')}`, () => {
    const parsed = parseBacktestOptions(given, CWD);
    assert.ok(parsed.kind === 'problem');
    assert.ok(parsed.sentence.startsWith(says), parsed.sentence);
  });
}
