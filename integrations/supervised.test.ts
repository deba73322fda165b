import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const MODULE = join(import.meta.dirname, 'supervised.ts');

const WAYS = { thrown: 'setTimeout(() => { throw failure; })', rejected: 'void Promise.reject(failure)' };
for (const [way, code] of Object.entries(WAYS)) {
  test(`an uncaught error (${way}) ends the process without the bind values of its query`, () => {
    const program = `
      import { attachToSupervisor } from ${JSON.stringify(MODULE)};
      attachToSupervisor(async () => undefined);
      const text = 'Failed query: insert into api_keys values ($1)\\nparams: canary-71c4';
      const failure = Object.assign(new Error(text), { query: 'insert into api_keys values ($1)', params: ['canary-71c4'] });
      ${code};
      setTimeout(() => {}, 10_000);`;
    const run = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', program], {
      encoding: 'utf8',
    });
    assert.equal(run.status, 1, run.stderr);
    assert.match(run.stderr, /Failed query: insert into api_keys/);
    assert.doesNotMatch(run.stderr + run.stdout, /canary-71c4/);
  });
}
