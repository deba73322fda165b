import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { openTally } from '#test/faults/tally.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { pageOf, type Proof, proofs, staleness } from './evidence.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));

test('the evidence is of the version that would be released', () => {
  assert.equal(staleness(read('docs/evidence.md'), version), undefined);
});

const ALL = proofs({ days: 7, seeds: 20, walks: 40, published: ['backtest/a.test.ts'] });
const find = (command: string): Proof => {
  const proof = ALL.find((each) => each.command.startsWith(command));
  assert.ok(proof);
  return proof;
};

test('a page of another version is stale', () => {
  const page = pageOf('0.1.0', [{ proof: find('npm run parity'), sentence: 'equal', day: '2026-01-02' }]);
  assert.match(page, /\| `npm run parity -- --days 7` \| 2026-01-02 \| equal \|/);
  assert.equal(staleness(page, '0.1.0'), undefined);
  assert.equal(
    staleness(page, '0.2.0'),
    'docs/evidence.md is of version 0.1.0, the package of 0.2.0: npm run evidence writes it again.',
  );
});

test('outcomes are read from what the runs print; without one there is none', () => {
  const parity = [
    'momentum A: 100 decisions, 0 differ; 4 fills, 0 differ; prices differ by 0.00 bp at most, 0.00 bp over all (1.0 s)',
    'trailing-trade A: 50 decisions, 1 differ; 6 fills, 2 differ; prices differ by 0.00 bp at most, 0.00 bp over all (1.0 s)',
  ].join('\n');
  assert.equal(
    find('npm run parity').read(parity),
    '2 runs over a recorded market: 150 decisions, 1 differ; 10 fills, 2 differ',
  );
  const tally = openTally();
  tally.runs = 3;
  tally.fail(2, 'this was sent twice');
  assert.match(
    find('npm run faults').read(`seed 1: {}\n${tally.summary()}\n`) ?? '',
    /^3 runs in \d+ s, 2 passed: 0 unprotected .*, 1 doubled \(seeds 2\), .*0 other failures$/,
  );
  assert.equal(
    find('npm test -- test/independent/').read('independent: 8 fills of 2 runs over 1 coins are equal\n✔ both\n'),
    '8 fills of 2 runs over 1 coins are equal',
  );
  assert.equal(
    find('npm test -- backtest/').read('✔ the published example: 1 (0.1ms)\n✔ another (2ms)\n'),
    'equal: the published example: 1',
  );
  assert.equal(
    find('TEST_RANDOM_WALKS=40').read('✔ of 40 …\nℹ grid: 1 of 40 look promising\nℹ halving: 0 of 40 look promising\n'),
    'grid 1 of 40 look promising, halving 0 of 40 look promising',
  );
  for (const proof of ALL) assert.equal(proof.read('nothing of the kind'), undefined);
});
