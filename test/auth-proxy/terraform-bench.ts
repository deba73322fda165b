import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findProgram } from '../harness/programs.ts';
import { ROOT } from '../harness/source-files.ts';
import { openStubProviders } from './stub-providers.ts';

export const MODULE = join(ROOT, 'deploy', 'auth-proxy');

/** Why Terraform cannot be run here; false when it can. */
export function reasonToSkip(): string | false {
  if (findProgram(['terraform']) === undefined) return 'there is no terraform on this machine';
  const installed = existsSync(join(import.meta.dirname, 'node_modules'));
  return installed ? false : 'its packages are not installed: npm run test:deploy brings them';
}

const run = promisify(execFile);

/** A copy of the module in which Terraform works with stubs of its providers. */
export async function openBench() {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'auth-proxy-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(MODULE, folder, { recursive: true });
  const stubs = stack.use(await openStubProviders());
  const base = { ...process.env, ...stubs.env, TF_CLI_CONFIG_FILE: '/dev/null', CHECKPOINT_DISABLE: '1' };
  const terraform = async (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    const env: NodeJS.ProcessEnv = { ...base };
    for (const [name, value] of Object.entries(variables)) env[`TF_VAR_${name}`] = value;
    const options = { cwd: folder, env, maxBuffer: 1 << 24 };
    return run('terraform', [...args, '-no-color'], options).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      (error: unknown) => {
        const told = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }).parse(error);
        return { code: told.code, text: told.stdout + told.stderr };
      },
    );
  };
  const initialised = await terraform(['init', '-backend=false']);
  assert.equal(initialised.code, 0, initialised.text);
  const kept = stack.move();
  return { terraform, folder, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const resource = z.object({ address: z.string(), values: z.record(z.string(), z.unknown()) });
const shown = z.object({
  values: z.object({
    outputs: z.record(z.string(), z.object({ value: z.unknown(), sensitive: z.boolean() })),
    root_module: z.object({ resources: z.array(resource) }),
  }),
});
/** Applies the module and returns what it made. */
export async function appliedState(
  bench: Awaited<ReturnType<typeof openBench>>,
  variables: Readonly<Record<string, string>>,
) {
  const applied = await bench.terraform(['apply', '-auto-approve'], variables);
  assert.equal(applied.code, 0, applied.text);
  const { values } = shown.parse(JSON.parse((await bench.terraform(['show', '-json'])).text));
  const of = (address: string) => {
    const found = values.root_module.resources.find((one) => one.address === address);
    assert.ok(found !== undefined, address);
    return found.values;
  };
  return { of, outputs: values.outputs, told: applied.text };
}
