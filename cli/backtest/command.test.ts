import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';

const MAIN = resolve(import.meta.dirname, '..', 'main.ts');
const FOLDER = mkdtempSync(join(tmpdir(), 'backtest-'));
after(() => rmSync(FOLDER, { recursive: true }));

const HEADER = 'openTime,open,high,low,close,volume';
/** Closes of one-hour candles, each opening at the close before. */
const CLOSES = [100, 100, 99.5, 101, 104, 106, 108, 105, 104];

function writeCandles(name: string, closes: readonly number[], hours = 1): void {
  const rows = closes.map((close, i) => {
    const open = closes[i - 1] ?? close;
    return [i * hours * 3_600_000, open, Math.max(open, close), Math.min(open, close), close, 1].join(',');
  });
  const text = [HEADER, ...rows].join('\n');
  writeFileSync(join(FOLDER, name), name.endsWith('.gz') ? gzipSync(text) : text);
}
writeCandles('SOLUSDT-1h.csv.gz', CLOSES);
writeCandles('XRPUSDT-1h.csv', CLOSES);
writeFileSync(join(FOLDER, 'ADAUSDT-1h.csv'), `${HEADER}\n0,1,2,1,1.5,10\n3600000,1,2,x,1.5,10\n`);
const GRID = { candleLimit: 2, gridLevels: [{ triggerPercentage: '1.01', maxPurchaseAmount: '100' }] };
writeFileSync(join(FOLDER, 'config.json'), JSON.stringify({ buy: GRID, sell: { protectiveStop: { enabled: false } } }));
writeFileSync(join(FOLDER, 'wrong.json'), JSON.stringify({ buy: { candleLimit: 0 } }));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'backtest', ...args], {
    cwd: FOLDER,
    encoding: 'utf8',
  });
  return { status, stdout, stderr: stderr.trim() };
}
/** The prices of the files alone, so that the numbers can be followed by hand. */
const FREE = ['--slippage-bps', '0', '--spread-bps', '0', '--volume-percent', '0'];
const TRADE = ['--strategy', 'trailing-trade', '--config', 'config.json', ...FREE];

test('metrics and every fill as JSON', () => {
  const { status, stdout } = run('--candles', 'SOLUSDT-1h.csv.gz', ...TRADE, '--json');
  assert.equal(status, 0);
  const { fills, metrics, fingerprint, feeBps } = JSON.parse(stdout);
  // 0.998 coins for at most 100 at 100; armed at 105, trail 0.98 * 108 = 105.84 is met by 105, sold at the next open.
  assert.deepEqual(
    fills.map(({ at, side, price, quantity, reason }: Record<string, string>) => [at, side, price, quantity, reason]),
    [
      ['1970-01-01T02:00:00.000Z', 'buy', '100', '0.998', 'entry-first'],
      ['1970-01-01T08:00:00.000Z', 'sell', '105', '0.997', 'exit-trail'],
    ],
  );
  assert.equal(metrics.closedCycles, 1);
  assert.equal(feeBps, 10);
  assert.match(fingerprint, /^[0-9a-f]{64}$/);
});

test('every entry and exit with its reason, its numbers and a sentence', () => {
  const { stdout } = run('--candles', 'SOLUSDT-1h.csv.gz', ...TRADE, '--explain', '--json');
  const plain = JSON.parse(run('--candles', 'SOLUSDT-1h.csv.gz', ...TRADE, '--json').stdout);
  const { fills, ...rest } = JSON.parse(stdout);
  assert.equal(rest.fingerprint, plain.fingerprint);
  const [bought, sold] = fills;
  // The low of the window of two candles; decided at the close before the fill.
  assert.deepEqual([bought.decidedAt, bought.numbers.windowLow], ['1970-01-01T02:00:00.000Z', '100.00']);
  assert.equal(sold.numbers.threshold, '105.84');
  assert.match(sold.sentence, /^Selling: 105\.00 reached the trailing stop at 105\.84/);
  const table = run('--candles', 'SOLUSDT-1h.csv.gz', ...TRADE, '--explain').stdout;
  assert.match(table, /Reasons\n.*buy.*\n {2}.*windowLow 100.*\n.*sell {2}Selling/);
});

test('a basket: every coin of the folder with one purse, as JSON and as a table; the strategy that only holds', () => {
  const folder = join(FOLDER, 'basket');
  mkdirSync(folder);
  for (const name of ['SOLUSDT-1h.csv', 'XRPUSDT-1h.csv'])
    writeCandles(join('basket', name), name.startsWith('X') ? CLOSES.toReversed() : CLOSES);
  const targets = ['SOLUSDT', 'XRPUSDT'].map((symbol) => ({ symbol, weight: '0.5' }));
  const basket = { enabled: true, candleInterval: '1h', basketBudgetQuote: '1000', targets };
  writeFileSync(join(FOLDER, 'basket.json'), JSON.stringify(basket));
  const args = ['--candles', 'basket', '--strategy', 'rebalance', '--config', 'basket.json', ...FREE];
  const { status, stdout, stderr } = run(...args, '--json');
  assert.equal(status, 0, stderr);
  const { symbol, fills, coins, metrics } = JSON.parse(stdout);
  assert.equal(symbol, 'basket');
  assert.deepEqual(
    new Set(fills.map((fill: Record<string, string>) => fill['symbol'])),
    new Set(['SOLUSDT', 'XRPUSDT']),
  );
  assert.deepEqual(Object.keys(coins), ['SOLUSDT', 'XRPUSDT']);
  assert.ok(metrics.turnover > 0.9);
  const table = run(...args, '--explain');
  assert.match(table.stdout, /^rebalance on basket[\s\S]*Coins\n[\s\S]*XRPUSDT/);
  assert.match(table.stdout, /SOLUSDT +plan-rebalance/);
  assert.match(table.stdout, /buy XRPUSDT {2}[A-Z][^\n]+\n {2}\w+ [\d.]+/);
  const held = run('--candles', 'XRPUSDT-1h.csv', '--strategy', 'hold', '--json');
  assert.deepEqual(
    [held.status, JSON.parse(held.stdout).fills, JSON.parse(held.stdout).decisions],
    [0, [], { 'hold-by-design': 9 }],
  );
});

test('several coins share the balance and the limits; each for itself only when asked for, which it says', () => {
  const folder = join(FOLDER, 'several');
  mkdirSync(folder);
  const names = ['SOLUSDT', 'BNBUSDT', 'LTCUSDT'];
  for (const name of names) writeCandles(join('several', `${name}-1h.csv`), CLOSES);
  writeFileSync(join(FOLDER, 'one.json'), JSON.stringify({ openPositions: 1 }));
  const args = ['--candles', 'several', '--symbol', names.join(','), ...TRADE, '--balance', '150'];
  const boughtOf = ({ fills }: { fills: { side: string; symbol?: string }[] }) =>
    fills.flatMap(({ side, symbol }) => (side === 'buy' ? [symbol] : []));
  const together = JSON.parse(run(...args, '--json').stdout);
  // 100 for the first, what is left of 150 for the second, nothing for the third.
  assert.deepEqual([together.symbol, boughtOf(together)], ['basket', ['SOLUSDT', 'BNBUSDT']]);
  assert.ok(together.decisions['size-no-funds'] > 0);
  const limited = JSON.parse(run(...args, '--limits', 'one.json', '--json').stdout);
  assert.deepEqual(boughtOf(limited), ['SOLUSDT']);
  assert.ok(limited.decisions['cap-open-positions'] > 0);
  const each = JSON.parse(run(...args, '--purse', 'separate', '--json').stdout);
  assert.deepEqual(
    each.map((one: { symbol: string }) => one.symbol),
    names,
  );
  assert.match(each[2].warnings[0], /^Each coin had the whole balance, and no limits/);
  const table = run(...args, '--purse', 'separate').stdout;
  assert.equal(table.match(/^Warning: Each coin had the whole balance/gm)?.length, 3);
  const alone = JSON.parse(run(...args.with(3, 'SOLUSDT'), '--limits', 'one.json', '--json').stdout);
  assert.deepEqual([alone.symbol, alone.fills[0].symbol], ['SOLUSDT', undefined]);
});

test('all profiles of an account in one run, under the limits of the account', () => {
  const trade = { strategy: 'trailing-trade', config: JSON.parse(readFileSync(join(FOLDER, 'config.json'), 'utf8')) };
  const profiles = [
    { ...trade, symbols: ['SOLUSDT', 'BNBUSDT'] },
    { ...trade, symbols: ['LTCUSDT'], limits: { openPositions: 1 } },
  ];
  const write = (file: object): void => writeFileSync(join(FOLDER, 'account.json'), JSON.stringify(file));
  const ask = () => run('--candles', 'several', '--account', 'account.json', ...FREE, '--json');
  write({ profiles });
  assert.deepEqual(Object.keys(JSON.parse(ask().stdout).coins), ['SOLUSDT', 'BNBUSDT', 'LTCUSDT']);
  write({ profiles, limits: { openPositions: 2 } });
  assert.ok(JSON.parse(ask().stdout).decisions['cap-open-positions'] > 0);
  write({ profiles: [...profiles, { ...trade, symbols: ['SOLUSDT'] }] });
  assert.match(ask().stderr, /^SOLUSDT is listed twice, but only one profile of an account can trade a coin\.$/);
  write({ profiles: [{ ...trade, symbols: [], limits: { openPositions: 0 } }], timezone: 'Mars' });
  const { status, stderr } = ask();
  assert.equal(status, 1);
  for (const problem of [/timezone: is not a time zone/, /profiles\.0\.symbols/, /profiles\.0\.limits\.openPositions/])
    assert.match(stderr, problem);
});

test('a list of signals is traded, and without one the strategy is refused', () => {
  const rows = [
    '1970-01-01T00:30:00Z,SOLUSDT,buy,a',
    '1970-01-01T05:10:00Z,SOLUSDT,close,b',
    '1970-01-01T05:30:00Z,XRPUSDT,buy,c',
  ];
  writeFileSync(join(FOLDER, 'signals.csv'), ['time,symbol,action,id', ...rows].join('\n'));
  writeFileSync(join(FOLDER, 'signal.json'), JSON.stringify({ entrySizing: { amount: '100' } }));
  const args = ['--candles', 'SOLUSDT-1h.csv.gz', '--strategy', 'signal', '--config', 'signal.json', ...FREE, '--json'];
  const ended = run(...args, '--signals', 'signals.csv', '--explain');
  assert.equal(ended.status, 0, ended.stderr);
  const { fills } = JSON.parse(ended.stdout);
  assert.deepEqual(
    fills.map(({ at, side, reason, sentence }: Record<string, string>) => [at, side, reason, sentence]),
    [
      ['1970-01-01T01:00:00.000Z', 'buy', 'entry-signal', SENTENCES[0]],
      ['1970-01-01T06:00:00.000Z', 'sell', 'exit-signal-close', SENTENCES[1]],
    ],
  );
  const none = run(...args);
  assert.deepEqual([none.status, none.stdout], [1, '']);
  assert.match(none.stderr, /acts on signals of other programs, and this run has no list of them/);
});
const SENTENCES = [
  'Buying at 100.00: signal a of the list requests it, 1800.0 s old.',
  'Selling everything at 106.00: signal b of the list requests it, 3000.0 s old.',
];

test('the strategy that only holds runs on candles of any length', () => {
  writeCandles('LTCUSDT-4h.csv', CLOSES, 4);
  const held = run('--candles', 'LTCUSDT-4h.csv', '--strategy', 'hold', '--json');
  assert.deepEqual([held.status, held.stderr, JSON.parse(held.stdout).fills], [0, '', []]);
});

test('the finest candles next to a file decide, a file alone warns, and costs are those of the API', () => {
  const folder = join(FOLDER, 'finer');
  mkdirSync(folder);
  writeCandles(join('finer', 'SOLUSDT-1h.csv'), CLOSES);
  const args = [
    '--candles',
    join('finer', 'SOLUSDT-1h.csv'),
    '--strategy',
    'trailing-trade',
    '--config',
    'config.json',
  ];
  const alone = JSON.parse(run(...args, '--json').stdout);
  assert.deepEqual([alone.interval, alone.detailInterval], ['1h', '1h']);
  assert.match(alone.warnings.join(), /acts at any price/);
  assert.match(run(...args).stdout, /^Warning: Trailing trade acts at any price/m);
  const { slippageBps, spreadBps, volumePercent, feeIn } = alone;
  assert.deepEqual([slippageBps, spreadBps, volumePercent, feeIn], [2, 2, 5, 'received']);
  const minutes = CLOSES.flatMap((close, hour) =>
    Array.from({ length: 60 }, (_, i) => [(hour * 60 + i) * 60_000, close, close, close, close, 100].join(',')),
  );
  writeFileSync(join(folder, 'SOLUSDT-1m.csv'), [HEADER, ...minutes].join('\n'));
  const finer = JSON.parse(run(...args, '--json').stdout);
  assert.deepEqual([finer.interval, finer.detailInterval], ['1h', '1m']);
  assert.doesNotMatch(finer.warnings.join(), /acts at any price/);
  const own = JSON.parse(run(...args, '--detail', join('finer', 'SOLUSDT-1h.csv'), '--json').stdout);
  assert.equal(own.detailInterval, '1h');
});

test('a table for a reader', () => {
  const table = run('--candles', 'SOLUSDT-1h.csv.gz', ...TRADE);
  assert.equal(table.status, 0);
  assert.match(table.stdout, /^trailing-trade on SOLUSDT, 1970-01-01 00:00 to 1970-01-01 09:00 UTC$/m);
  assert.match(table.stdout, /^win rate +100\.00 %$/m);
  assert.match(table.stdout, /^1970-01-01 08:00 {2}sell {2}exit-trail +0\.997 +105 +0\.104685 USDT +4\.7805$/m);
});

for (const { name, args, status, says } of [
  { name: 'a wrong flag', args: ['--candles', 'x', '--strategy', 'magic'], status: 2, says: /^--strategy is "magic"/ },
  {
    name: 'a broken candle file',
    args: ['--candles', 'ADAUSDT-1h.csv', ...TRADE],
    status: 1,
    says: /ADAUSDT-1h\.csv is broken: line 3: "x" in column low is not a number\.$/,
  },
  {
    name: 'a folder with a broken file, whatever coin is asked for,',
    args: ['--candles', '.', '--symbol', 'SOLUSDT', ...TRADE],
    status: 1,
    says: /ADAUSDT-1h\.csv is broken/,
  },
  {
    name: 'a config out of bounds',
    args: ['--candles', 'XRPUSDT-1h.csv', '--strategy', 'trailing-trade', '--config', 'wrong.json'],
    status: 1,
    says: /wrong\.json is not a config of trailing-trade: buy\.candleLimit: must be at least 1\.$/,
  },
  {
    name: 'a missing config',
    args: ['--candles', 'XRPUSDT-1h.csv', '--strategy', 'trailing-trade', '--config', 'none.json'],
    status: 1,
    says: /The config .*none\.json cannot be read: /,
  },
  {
    name: 'missing candles',
    args: ['--candles', 'none.csv', ...TRADE],
    status: 1,
    says: /The candles .*none\.csv cannot be read: /,
  },
  {
    name: 'a window without candles',
    args: ['--candles', 'XRPUSDT-1h.csv', ...TRADE, '--from', '2022-01-01'],
    status: 1,
    says: /^There are no candles in the window: they cover 1970-01-01T00:00/,
  },
]) {
  test(`${name} ends with ${status} and one sentence`, () => {
    const ended = run(...args);
    assert.equal(ended.status, status, ended.stderr);
    assert.match(ended.stderr, says);
    assert.equal(ended.stderr.split('\n').length, 1);
    assert.equal(ended.stdout, '');
  });
}
