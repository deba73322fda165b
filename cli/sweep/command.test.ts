import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { randomFrom } from '#core/research/random.ts';

const MAIN = resolve(import.meta.dirname, '..', 'main.ts');
const FOLDER = mkdtempSync(join(tmpdir(), 'sweep-'));
after(() => rmSync(FOLDER, { recursive: true }));

const random = randomFrom(3);
let close = 100;
const rows = Array.from({ length: 2400 }, (_, i) => {
  const open = close;
  close = Math.round(open * (1 + (random() - 0.5) * 0.03) * 100) / 100;
  return [i * 3_600_000, open, Math.max(open, close), Math.min(open, close), close, 1].join(',');
});
writeFileSync(join(FOLDER, 'SOLUSDT-1h.csv'), ['openTime,open,high,low,close,volume', ...rows].join('\n'));

function run(command: string, ...args: string[]) {
  const files = args.includes('--candles') ? [] : ['--candles', 'SOLUSDT-1h.csv'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, command, ...files, ...args], {
    cwd: FOLDER,
    encoding: 'utf8',
  });
  return { status, stdout, stderr: stderr.trim() };
}
const MOMENTUM = ['--strategy', 'momentum', '--knobs', 'ema.fast=3..9:2;ema.slow=8,12,20'];

test('the same sweep on one thread and on two, and the same run as a backtest', () => {
  const args = [...MOMENTUM, '--rank', 'return', '--walk-forward', '30:10', '--json'];
  const [one, two] = ['1', '2'].map((threads) => run('sweep', ...args, '--threads', threads));
  assert.equal(one?.status, 0, one?.stderr);
  const [alone, shared] = [one, two].map((ended) => JSON.parse(ended?.stdout ?? ''));
  assert.deepEqual([alone.evaluated, alone.trials, alone.refused.count], [11, 11, 1]);
  assert.match(alone.refused.example, /^ema\.fast: 9 must be below the 8 candles/);
  for (const part of ['fingerprint', 'rows', 'walkForward', 'luck', 'verdict', 'overfitting']) {
    assert.deepEqual(shared[part], alone[part]);
  }
  assert.equal(alone.walkForward.folds.length, 7);
  const [best] = alone.rows;
  writeFileSync(join(FOLDER, 'best.json'), JSON.stringify({ ema: { fast: best.values[0], slow: best.values[1] } }));
  const backtest = JSON.parse(run('backtest', '--strategy', 'momentum', '--config', 'best.json', '--json').stdout);
  assert.equal(backtest.metrics.finalEquity, best.finalEquity);
  assert.equal(backtest.drawdown.depth, best.drawdown);
  assert.equal(backtest.metrics.sharpe, best.sharpe);
  assert.equal(backtest.fills.length, best.fills);
});

test('any strategy, drawn at random or halved, as a table', () => {
  const trailing = [
    '--strategy',
    'trailing-trade',
    '--knobs',
    'sell.stopLossPercentage=0.9..0.98:0.01;buy.candleLimit=5..20',
  ];
  const drawn = run('sweep', ...trailing, '--search', 'random', '--count', '9', '--seed', '4', '--top', '3');
  assert.equal(drawn.status, 0, drawn.stderr);
  assert.match(drawn.stdout, /^Warning: Trailing trade acts at any price/m);
  assert.match(
    drawn.stdout,
    /^trailing-trade on SOLUSDT: 9 sets over 2400 candles.*\(the strategy has no vector runs\)/,
  );
  assert.equal(drawn.stdout.split('\n').filter((line) => /^ +0\.9/.test(line)).length, 3);
  const halved = run('sweep', ...trailing, '--search', 'halving', '--json');
  const { evaluated, trials } = JSON.parse(halved.stdout);
  assert.deepEqual([evaluated, trials], [16, 144]);
});

test('nine sets with three closed trades: too few to tell, and no probability', () => {
  // Each wave but the first, in which the averages warm up, is bought once and sold once, whatever the averages are.
  const wave = Array.from({ length: 24 * 120 }, (_, i) => {
    const price = (hour: number): string => (100 + i / 100 + 20 * Math.sin((hour / 24 / 30) * 2 * Math.PI)).toFixed(2);
    const [open, close] = [Number(price(i - 1)), Number(price(i))];
    return [i * 3_600_000, open, Math.max(open, close), Math.min(open, close), close, 1].join(',');
  });
  const folder = join(FOLDER, 'waves');
  mkdirSync(folder);
  writeFileSync(join(folder, 'SOLUSDT-1h.csv'), ['openTime,open,high,low,close,volume', ...wave].join('\n'));
  const whole = ['--volume-percent', '0'];
  const args = ['--strategy', 'momentum', '--knobs', 'ema.fast=20,24,28;ema.slow=100,110,120', ...whole];
  const { stdout, stderr } = run('sweep', ...args, '--candles', folder);
  const { rows, verdict, luck, overfitting } = JSON.parse(run('sweep', ...args, '--candles', folder, '--json').stdout);
  assert.deepEqual([rows.length, rows[0].closedCycles, luck.kind, overfitting], [9, 3, 'few-trades', null], stderr);
  assert.equal(verdict.kind, 'too-few-trades');
  assert.match(stdout, /^Too few trades to judge\. The best set closed 3 trades\. At least 30 are needed/m);
  const [head = ''] = stdout.split('ema.fast', 1);
  assert.doesNotMatch(head, /%|chance|PBO/);
});

test('a sweep says why its sets did not run in vector runs', () => {
  writeFileSync(join(FOLDER, 'sized.json'), JSON.stringify({ entrySizing: { mode: 'percent-of-equity' } }));
  const sized = run('sweep', ...MOMENTUM, '--config', 'sized.json');
  assert.match(sized.stdout, /11 sets .* 0 of them in vector runs \(entrySizing\.mode is percent-of-equity\)/);
  assert.match(run('sweep', ...MOMENTUM, '--volume-percent', '0').stdout, /11 sets .* 11 of them in vector runs$/m);
});

test('a backtest tells how much of it is luck', () => {
  const { robustness } = JSON.parse(run('backtest', '--strategy', 'momentum', '--robustness', '--json').stdout);
  assert.equal(robustness.foresight, null);
  assert.ok(robustness.comparedDecisions >= 2400);
  assert.ok(robustness.variants.length > 10 && robustness.monteCarlo.resampled.drawdown.p95 > 0);
});

for (const [args, status, says] of [
  [['--strategy', 'momentum'], 2, /^--knobs is missing/],
  [['--strategy', 'rebalance'], 2, /^--strategy is "rebalance", which plans over several coins together/],
  [[...MOMENTUM, '--search', 'luck'], 2, /^--search is "luck", but must be one of grid, random, halving\.$/],
  [[...MOMENTUM, '--walk-forward', '3'], 2, /^--walk-forward is "3"/],
  [['--strategy', 'momentum', '--knobs', 'ema.quick=1,2'], 1, /^"ema\.quick" is not a number of the config/],
  [
    ['--strategy', 'momentum', '--knobs', 'ema.fast=30..40'],
    1,
    /^No combination is a config of momentum: ema\.fast: 30 must be/,
  ],
] as const) {
  test(`refused: ${args.slice(2).join(' ')}`, () => {
    const ended = run('sweep', ...args);
    assert.equal(ended.status, status);
    assert.match(ended.stderr, says);
  });
}
