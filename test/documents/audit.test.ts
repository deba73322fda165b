import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { z } from 'zod';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT } from '#test/harness/source-files.ts';

const npm = findProgram(['npm']);
const severities = z.object({ metadata: z.object({ vulnerabilities: z.record(z.string(), z.number()) }) });

/** The output of `npm audit` for packages of the product; npm exits with 1 when it found something. */
const audit = (): Promise<string> =>
  new Promise((resolve) => {
    execFile(npm ?? 'npm', ['audit', '--omit=dev', '--json'], { cwd: ROOT, timeout: 60_000 }, (_error, stdout) =>
      resolve(stdout),
    );
  });

test('no package that runs has a known weakness', { timeout: 90_000 }, async (context) => {
  const text = npm === undefined ? '' : await audit();
  const read = severities.safeParse(text === '' ? undefined : JSON.parse(text));
  if (!read.success) {
    const why = 'npm audit got no answer from the registry';
    console.log(`﹣ known weaknesses of packages: ${why}, so they are not looked up here`);
    context.skip(why);
    return;
  }
  assert.equal(read.data.metadata.vulnerabilities['total'], 0, text);
});
