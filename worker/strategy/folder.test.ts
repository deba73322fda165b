import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readCertificates, readStrategyFolder, writeCertificate } from './folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'tradewind-strategies-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a strategy that cannot be read hides no other', () => {
  mkdirSync(join(folder, 'a-folder.ts'));
  writeFileSync(join(folder, 'dip.ts'), 'export {};');
  assert.deepEqual(readStrategyFolder(folder), [{ name: 'dip.ts', text: 'export {};' }]);
});

test('a damaged certificate hides no other', () => {
  const certificate = {
    hash: 'f'.repeat(64),
    check: 1,
    at: '2026-11-26T00:00:00.000Z',
    seeds: [1],
    candles: 2,
    fills: 3,
  };
  writeCertificate(folder, certificate);
  writeFileSync(join(folder, '.certificates', '0.json'), '{"hash":');
  assert.deepEqual(readCertificates(folder), [certificate]);
});

test('without the folder there are no strategies to judge', () => {
  assert.equal(readStrategyFolder(join(folder, 'missing')), undefined);
});
