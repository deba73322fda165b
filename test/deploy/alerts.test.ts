import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/harness/source-files.ts';

const textOf = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
const namesIn = (text: string): Set<string> => new Set(text.match(/tradewind_[a-z_]+/g));

const MADE = namesIn(textOf('integrations', 'metrics.ts') + textOf('worker', 'measures.ts'));
/** Made from what is registered; another test compares it. */
const DOCUMENT = namesIn(textOf('docs', 'operator', 'metrics.md'));
const isMade = (name: string): boolean => MADE.has(name.replace(/_bucket$/, ''));

test('every metric that an alert or the dashboard names is made, and every metric that is made is in the document', () => {
  for (const file of ['alerts.yaml', 'dashboard.json']) {
    const named = [...namesIn(textOf('deploy', 'observability', file))];
    assert.ok(named.length >= 7, file);
    assert.deepEqual(
      named.filter((name) => !isMade(name)),
      [],
      file,
    );
  }
  assert.deepEqual([...DOCUMENT].toSorted(), [...MADE].toSorted());
});

test('every alert says what is wrong and what to do', () => {
  const alerts = textOf('deploy', 'observability', 'alerts.yaml').split('- alert: ').slice(1);
  for (const alert of alerts) assert.match(alert, /severity: (warning|critical)[\s\S]*summary: .+[\s\S]*action: .+/);
});
