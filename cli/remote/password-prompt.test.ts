import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { EMAIL, openTestApi, PASSWORD } from '#test/api/test-api.ts';
import { until } from '#test/harness/test-outage.ts';

const MAIN = join(import.meta.dirname, '../main.ts');
const COMMAND = `"${process.execPath}" "${MAIN}" profiles`;
const noTerminal = process.platform === 'linux' ? false : 'script(1) takes other arguments on this platform';

test('the password is not shown while it is typed', { skip: noTerminal }, async (t) => {
  await using api = await openTestApi();
  await api.signUp();
  await api.addProfile('First', { symbols: [] });
  const home = mkdtempSync(join(tmpdir(), 'prompt-'));
  t.after(() => rmSync(home, { recursive: true }));
  // script(1) gives the command a terminal and passes on what that shows.
  const child = spawn('script', ['--quiet', '--return', '--command', COMMAND, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: home, TRADEWIND_URL: api.url, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += String(chunk);
  });
  const exited = once(child, 'exit');
  await until('the e-mail is requested', () => shown.includes('E-mail: '));
  child.stdin.write(`${EMAIL}\r`);
  await until('the password is requested', () => /Password[^:]*: /.test(shown));
  child.stdin.write(`${PASSWORD}\r`);
  const [code] = await exited;
  assert.equal(code, 0, shown);
  assert.match(shown, /First +disabled/);
  assert.ok(shown.includes(EMAIL), 'what is no secret is shown');
  assert.ok(!shown.includes(PASSWORD), 'the password is not');
});
