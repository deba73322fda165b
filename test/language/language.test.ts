import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWords, judge, placeOf } from './findings.ts';

const wordsIn = (path: string, text: string): string[] =>
  findWords({ path, text }).map(({ line, words }) => `${line} ${words}`);

test('comments and messages of the product are checked, and a phrase may cross a line break', () => {
  const text = `// It runs by
// itself, \`anew\` is code.
/** What remains is sold. What to do? */
const told = \`\${told} nobody knows\`;
/**
 * It goes
 * on. What is this?
 */
const path = 'told';
`;
  assert.deepEqual(wordsIn('engine/x.ts', text), ['1 by itself', '3 What', '4 nobody', '6 goes on']);
});

test('labels between tags are checked', () => {
  assert.deepEqual(
    wordsIn('web/x.tsx', 'const x = (\n  <b>\n    Told <i title="Made of coins">today</i>\n  </b>\n);\n'),
    ['3 Told', '3 Made of'],
  );
});

test('strings of tests are not messages, their comments are read', () => {
  assert.deepEqual(wordsIn('test/x.ts', `const x = 'nobody knows';\n// It starts anew.\n`), ['2 anew']);
  assert.deepEqual(wordsIn('engine/x.test.ts', `const x = 'nobody knows';\n`), []);
});

test('documents are checked without code, and the changelog up to the first release', () => {
  const text = '# Changes\n\n`told` and [a](told.md)\n\n```sh\ntold\n```\n\n## Unreleased\ntold\n\n## 1.0.0\ntold\n';
  assert.deepEqual(wordsIn('CHANGELOG.md', text), ['10 told']);
  assert.deepEqual(wordsIn('docs/x.md', text), ['10 told', '13 told']);
  assert.deepEqual(wordsIn('docs/decisions/0001-x.md', text), []);
});

test('ordinary words pass', () => {
  const text =
    'It stands for the bid and ask prices, for good reason. They take part. Besides, what it asks is known.\n';
  assert.deepEqual(wordsIn('docs/x.md', text), []);
});

test('the place of a file is its folder, at most two deep; a page of docs is its own', () => {
  assert.deepEqual(
    ['README.md', 'api/main.ts', 'core/order/order.ts', 'deploy/a/b/c.yaml', 'docs/operator/backup.md'].map(placeOf),
    ['README.md', 'api', 'core/order', 'deploy/a', 'docs/operator/backup.md'],
  );
});

test('an exemption can only shrink', () => {
  const findings = findWords({ path: 'api/x.ts', text: '// told\n// beside\n' });
  assert.deepEqual(judge(findings, {}), { wrong: findings, complaints: [] });
  assert.deepEqual(judge(findings, { api: 2 }), { wrong: [], complaints: [] });
  assert.equal(judge(findings, { api: 3 }).complaints.length, 0);
  assert.match(judge(findings, { api: 1 }).complaints.join(), /api has 2 findings, its exemption allows 1/);
  assert.match(judge([], { api: 1 }).complaints.join(), /api is clean/);
});
