import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';

const MAIN = resolve(import.meta.dirname, '..', 'main.ts');
const FOLDER = mkdtempSync(join(tmpdir(), 'strategy-diff-'));
after(() => rmSync(FOLDER, { recursive: true }));

const OLD = readFileSync(resolve(import.meta.dirname, '../../authoring/examples/rsi-reversion.ts'), 'utf8');
writeFileSync(join(FOLDER, 'old.ts'), OLD);
writeFileSync(join(FOLDER, 'new.ts'), OLD.replace("'Sell above an RSI of', 55", "'Sell above an RSI of', 70"));
const HOURS = 24 * 100;
const rows = Array.from({ length: HOURS }, (_, i) => {
  const [open, close] = [i - 1, i].map((at) => (100 + 10 * Math.sin(at / 9)).toFixed(2));
  const [high, low] = [Math.max(Number(open), Number(close)), Math.min(Number(open), Number(close))];
  return [i * 3_600_000, open, high, low, close, 1000].join(',');
});
writeFileSync(join(FOLDER, 'SOLUSDT-1h.csv'), ['openTime,open,high,low,close,volume', ...rows].join('\n'));

const diff = (...args: string[]) =>
  spawnSync(process.execPath, [MAIN, 'strategy', 'diff', ...args], { cwd: FOLDER, encoding: 'utf8' });

test('two files are compared by their lines and by their results over 90 days', () => {
  const { status, stdout, stderr } = diff('old.ts', 'new.ts', '--candles', 'SOLUSDT-1h.csv');
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^ +\d+ - .*'Sell above an RSI of', 55/m);
  assert.match(stdout, /^ +\d+ \+ .*'Sell above an RSI of', 70/m);
  assert.match(stdout, /^SOLUSDT, 1970-01-10T\S+ to 1970-04-11T\S+, money in USDT$/m);
  assert.match(stdout, /^ +rsi-reversion@\w{8} +rsi-reversion@\w{8} +change$/m);
  for (const name of ['return', 'fees', 'trades', 'max drawdown'])
    assert.match(stdout, new RegExp(`^${name} +\\S.* +\\S`, 'm'));
});

test('the JSON holds the version and the whole result of each file', () => {
  const { stdout } = diff('old.ts', 'new.ts', '--candles', 'SOLUSDT-1h.csv', '--json');
  const { lines, before, after: next } = JSON.parse(stdout);
  assert.ok(lines.length > 0);
  assert.notEqual(before.strategy, next.strategy);
  assert.ok(before.result.metrics.fees > 0 && next.result.metrics.fees > 0);
  assert.notEqual(before.result.metrics.finalEquity, next.result.metrics.finalEquity);
});

test('a file that is not there is named, and a wrong use shows the right one', () => {
  const missing = diff('old.ts', 'gone.ts', '--candles', 'SOLUSDT-1h.csv');
  assert.deepEqual([missing.status, /gone\.ts/.test(missing.stderr)], [1, true]);
  const wrong = diff('old.ts');
  assert.deepEqual([wrong.status, wrong.stderr.startsWith('Use "tradewind strategy diff')], [2, true]);
});
