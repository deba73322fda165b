import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runKernel } from '#backtest/kernel.ts';
import { aggregateSeries } from '#backtest/columns.ts';
import { checkedRules, checkedWalk } from '#backtest/check/market.ts';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { FAILING, file, FOUND, MISDECLARED, REFUSED } from '#test/harness/hostile-files.ts';
import { checkFile } from './check.ts';
import { strategyOf } from './find.ts';
import { loadVersion } from './version.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'tradewind-hostile-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

for (const [name, [text, line]] of Object.entries(REFUSED)) {
  test(`refused with its line: ${name}`, () => {
    const loaded = loadVersion('hostile.ts', text);
    assert.equal(loaded.kind, 'refused');
    assert.match(loaded.kind === 'refused' ? loaded.sentence : '', new RegExp(`^hostile\\.ts:${line}: `));
  });
}

for (const [name, [top, says]] of Object.entries(FAILING)) {
  test(`fails when it is loaded: ${name}`, () => {
    const loaded = loadVersion('hostile.ts', file({ top }));
    assert.equal(loaded.kind, 'refused');
    assert.match(loaded.kind === 'refused' ? loaded.sentence : '', says);
  });
}

for (const [name, [text, says]] of Object.entries(MISDECLARED)) {
  test(`refused as it is declared: ${name}`, () => {
    const loaded = loadVersion('hostile.ts', text);
    assert.match(loaded.kind === 'refused' ? loaded.sentence : 'not refused', says);
  });
}

for (const [name, [text, says]] of Object.entries(FOUND)) {
  test(`found by the check: ${name}`, async () => {
    const checked = await checkFile({ name: 'hostile.ts', text });
    assert.equal(checked.passed, false);
    const failed = checked.properties.filter(({ passed }) => !passed);
    const said = [checked.refused ?? '', ...failed.map((each) => `${each.name}: ${each.sentence}`)].join('\n');
    assert.match(said, says);
  });
}

test('the unchanged file passes, so that each finding above is about its hostile part', async () => {
  const checked = await checkFile({ name: 'hostile.ts', text: file({}) });
  assert.deepEqual([checked.passed, checked.refused], [true, undefined]);
});

test('an object in the memory is not kept, and its conversion to JSON does not run', async () => {
  const each = 'each: ({ memory }) => { memory.kept = { toJSON() { for (;;) {} } }; },';
  const checked = await checkFile({ name: 'hostile.ts', text: file({ more: `memory: { kept: 0 }, ${each}` }) });
  assert.deepEqual([checked.passed, checked.refused], [true, undefined]);
});

test('a file that throws leaves stop and target of the position in force', () => {
  const text = file({ when: 'rsi.value >= 45' }).replace('rsi.value > 55', "(() => { throw new Error('broken'); })()");
  const strategy = strategyOf({ name: 'hostile.ts', text });
  const bound = strategy.bind({ entrySizing: { mode: 'fixed', amount: '100' } });
  const walk = checkedWalk({ seed: 1, rows: 3000, interval: '30m' });
  const { book, reasons } = runKernel({
    bound,
    rules: checkedRules(1),
    terms: { balance: requireDecimal('10000'), feeRate: ZERO, slippage: ZERO },
    signal: aggregateSeries(walk, '1h'),
    detail: walk,
    start: 0,
    end: 3000,
  });
  assert.ok(reasons.includes('strategy-failed'));
  const sales = book.fills.filter(({ fill }) => fill.side === 'sell');
  assert.ok(sales.length > 0);
  assert.deepEqual([...new Set(sales.map(({ reason }) => reason))], ['stop-reached']);
});

test('no object of this realm is in reach of a file', () => {
  const probe = [
    'const found = [];',
    'for (const value of [defineStrategy, rsi, rsi(5), globalThis, arguments]) {',
    "  try { found.push(value.constructor.constructor('return process')()); } catch {}",
    '}',
    "if (found.some((each) => each !== undefined && each.version !== undefined)) throw new Error('escaped');",
  ].join(' ');
  const loaded = loadVersion('hostile.ts', file({ top: probe.replace(', arguments', '') }));
  assert.equal(loaded.kind, 'version', loaded.kind === 'refused' ? loaded.sentence : '');
});

test('every example loads and needs nothing but the one import', () => {
  const examples = join(import.meta.dirname, '../../authoring/examples');
  for (const name of readdirSync(examples)) {
    const loaded = loadVersion(name, readFileSync(join(examples, name), 'utf8'));
    assert.equal(loaded.kind, 'version', loaded.kind === 'refused' ? loaded.sentence : '');
  }
});
