import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/harness/source-files.ts';

test('the seed of a demo passes any password to the api, and to no list of processes', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-seed-'));
  t.after(() => rmSync(folder, { recursive: true }));
  // Stands in for curl: writes down what each is given, and fails, which ends the script.
  const curl = `#!/bin/sh\nprintf '%s\\n' "$@" >"${folder}/arguments"\ncat >"${folder}/input"\nexit 22\n`;
  writeFileSync(join(folder, 'curl'), curl, { mode: 0o755 });
  const env = {
    PATH: `${folder}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    DEMO_EMAIL: 'demo@example.com',
    DEMO_PASSWORD: `a "long" pass'phrase \\ of $HOME`,
  };
  const { status } = spawnSync('bash', ['deploy/live-demo/seed.sh'], { cwd: ROOT, env, input: '' });
  assert.notEqual(status, 0, 'what is refused ends the script');
  const sent: unknown = JSON.parse(readFileSync(join(folder, 'input'), 'utf8'));
  assert.deepEqual(sent, { email: env.DEMO_EMAIL, password: env.DEMO_PASSWORD });
  assert.doesNotMatch(readFileSync(join(folder, 'arguments'), 'utf8'), /phrase/);
});
