import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, Trial } from './trial.ts';

const installing = 'Installing missing packages (once, about a minute)…\n';

/** A checkout with the real bootstrap and a single package, which lies in the checkout itself: no registry is needed. */
function makeCheckout(trial: Trial): string {
  const root = join(trial.folder, 'checkout');
  mkdirSync(join(root, 'part'), { recursive: true });
  cpSync(join(ROOT, 'cli', 'tradewind.js'), join(root, 'cli', 'tradewind.js'));
  cpSync(join(ROOT, 'cli', 'bootstrap'), join(root, 'cli', 'bootstrap'), { recursive: true });
  const manifest = { name: 'checkout', version: '1.0.0', type: 'module', dependencies: { part: 'file:part' } };
  const part = { name: 'part', version: '1.0.0', bin: { part: 'part.js' } };
  writeJson(join(root, 'package.json'), manifest);
  writeJson(join(root, 'part', 'package.json'), part);
  writeFileSync(join(root, 'part', 'part.js'), 'console.log("part", ...process.argv.slice(2));');
  const packages = {
    '': { name: manifest.name, version: manifest.version, dependencies: manifest.dependencies },
    'node_modules/part': { resolved: 'part', link: true },
    part: { version: part.version, bin: part.bin },
  };
  writeJson(join(root, 'package-lock.json'), {
    name: 'checkout',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages,
  });
  return root;
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, JSON.stringify(value));
}

function runIn(trial: Trial, root: string, args: readonly string[]) {
  return trial.run(process.execPath, [join(root, 'cli', 'tradewind.js'), ...args]);
}

const sayHello = ['node', '--eval', 'console.log("hello", process.argv.slice(1).join(" "))', '--', 'a b', 'c'];
const hello = 'hello a b c\n';

test('installs once, again when packages are gone or the lockfile changed, and hands arguments and exit code over', async () => {
  await using trial = new Trial();
  const root = makeCheckout(trial);
  const run = (args: readonly string[]) => runIn(trial, root, args).ended();
  assert.deepEqual(await run(sayHello), { code: 0, output: installing + hello });
  assert.deepEqual(await run(sayHello), { code: 0, output: hello });

  rmSync(join(root, 'node_modules', '.tradewind-stamp'));
  assert.deepEqual(await run(sayHello), { code: 0, output: hello }, 'what npm installed elsewhere is accepted');
  rmSync(join(root, 'node_modules', '.package-lock.json'));
  assert.deepEqual(
    await run(sayHello),
    { code: 0, output: installing + hello },
    'an interrupted installation is repeated',
  );
  assert.deepEqual(await run(['node', '--eval', 'process.exit(7)']), { code: 7, output: '' });
  assert.deepEqual(await run(['exec', 'part', '--flag']), { code: 0, output: 'part --flag\n' });
  assert.deepEqual(await run(['exec', 'absent']), {
    code: 1,
    output: 'The packages of this project contain no tool "absent".\n',
  });
});

test('two starts at once install once, and a lock that a dead one left is no obstacle', async () => {
  await using trial = new Trial();
  const root = makeCheckout(trial);
  mkdirSync(join(root, '.tradewind-installing'));
  writeFileSync(join(root, '.tradewind-installing', 'pid'), '999999999');
  const both = await Promise.all([runIn(trial, root, sayHello).ended(), runIn(trial, root, sayHello).ended()]);
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
  );
  const together = both.map(({ output }) => output).join('');
  assert.equal(together.split(installing).length - 1, 1);
  assert(!existsSync(join(root, '.tradewind-installing')));
});

test('what npm cannot install is told with npm’s own words', async () => {
  await using trial = new Trial();
  const root = makeCheckout(trial);
  writeJson(join(root, 'package-lock.json'), { name: 'checkout', lockfileVersion: 3, packages: {} });
  const { code, output } = await runIn(trial, root, sayHello).ended();
  assert.equal(code, 1);
  assert.match(
    output,
    /npm could not install the packages \(is the registry reachable, is \S+ writable\?\):\n[^]*lock file/,
  );
});
