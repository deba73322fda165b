import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DASHBOARD_PROGRAM } from '#test/auth-proxy/proxy-program.ts';
import { ROOT } from '#test/harness/source-files.ts';

const skip = existsSync(DASHBOARD_PROGRAM)
  ? false
  : 'the check of the dashboard is not built: node cli/tradewind.js node test/auth-proxy/install.ts';
if (skip !== false) console.log(`﹣ the dashboard against Grafana's types: ${skip}`);

const check = (input: string) => spawnSync(DASHBOARD_PROGRAM, { input, encoding: 'utf8' });

test("the dashboard has every field that Grafana's types require, and no other", { skip }, () => {
  const text = readFileSync(join(ROOT, 'deploy', 'observability', 'dashboard.json'), 'utf8');
  const { status, stdout } = check(text);
  assert.equal(status, 0, stdout);
  const broken = check(text.replace('"showLegend": true,', '"legendShown": true,'));
  assert.equal(broken.status, 1);
  assert.match(broken.stdout, /panels\[0\]\.options\.legend\.showLegend: required field is missing/);
  assert.match(broken.stdout, /legendShown/);
});
