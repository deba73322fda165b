import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT } from '#test/harness/source-files.ts';

const PROMTOOL = findProgram(['promtool']);
const skip = PROMTOOL === undefined ? 'promtool is not on this machine' : false;
if (skip !== false) console.log(`﹣ when the alerts fire: ${skip}, so it is not tested here`);

const dashboard = z.object({ panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })) });
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

test('every panel of the dashboard asks in PromQL', { skip }, () => {
  const { panels } = dashboard.parse(JSON.parse(textOf('deploy', 'observability', 'dashboard.json')));
  const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  assert.ok(asked.length >= 10);
  // Rules that record the expressions: promtool parses them as a Prometheus does.
  const rules = asked.map((expr, i) => ({ record: `panel:${i}`, expr }));
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-panels-'));
  const check = (checked: readonly object[]) => {
    const path = join(folder, 'panels.yaml');
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'panels', rules: checked }] }));
    return spawnSync(PROMTOOL ?? 'promtool', ['check', 'rules', path], { encoding: 'utf8' });
  };
  const { status, stdout, stderr } = check(rules);
  assert.equal(status, 0, stdout + stderr);
  assert.notEqual(check([{ record: 'panel:wrong', expr: 'sum by (a (b)' }]).status, 0);
  rmSync(folder, { recursive: true });
});

test('every alert says what is wrong and what to do', () => {
  const alerts = textOf('deploy', 'observability', 'alerts.yaml').split('- alert: ').slice(1);
  for (const alert of alerts) assert.match(alert, /severity: (warning|critical)[\s\S]*summary: .+[\s\S]*action: .+/);
});

test('each alert fires when its condition has lasted, and not before', { skip }, () => {
  const rules = join(ROOT, 'deploy', 'observability', 'alerts.yaml');
  for (const args of [
    ['check', 'rules', rules],
    ['test', 'rules', join(import.meta.dirname, 'alerts.promtool.yaml')],
  ]) {
    const { status, stdout, stderr } = spawnSync(PROMTOOL ?? 'promtool', args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  }
  const tried = textOf('test', 'deploy', 'alerts.promtool.yaml');
  for (const [, name] of textOf('deploy', 'observability', 'alerts.yaml').matchAll(/- alert: (\w+)/g))
    assert.ok(tried.includes(name ?? ''), name);
});
