import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/harness/source-files.ts';

const unit = (role: string): string =>
  readFileSync(join(ROOT, 'deploy', 'systemd', `tradewind-${role}.service`), 'utf8');

test('the worker starts after the api, whose unit migrates the database', () => {
  assert.match(unit('api'), /^ExecStartPre=.* migrate$/m);
  assert.match(unit('worker'), /^After=.*\btradewind-api\.service\b/m);
});

for (const role of ['api', 'worker', 'paper'])
  test(`the ${role} is restarted however often it fails, but not with a wrong setting`, () => {
    assert.match(unit(role), /^\[Unit\][^[]*^StartLimitIntervalSec=0$/m);
    assert.match(unit(role), /^\[Service\][^[]*^Restart=always$/m);
    assert.match(unit(role), /^RestartPreventExitStatus=78$/m);
  });
