import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT, Trial } from './trial.ts';

const installing = 'Installing missing packages (once, about a minute)…\n';

/**
 * A checkout with the real bootstrap, a package of the service and a tool of the development. Both lie in the checkout
 * itself: no registry is needed.
 */
function makeCheckout(trial: Trial): string {
  const root = join(trial.folder, 'checkout');
  cpSync(join(ROOT, 'cli', 'tradewind.js'), join(root, 'cli', 'tradewind.js'));
  cpSync(join(ROOT, 'cli', 'bootstrap'), join(root, 'cli', 'bootstrap'), { recursive: true });
  writeFileSync(join(root, 'cli', 'main.ts'), 'console.log("main", ...process.argv.slice(2));');
  const wanted = { dependencies: { part: 'file:part' }, devDependencies: { tool: 'file:tool' } };
  writeJson(join(root, 'package.json'), { name: 'checkout', version: '1.0.0', type: 'module', ...wanted });
  for (const name of ['part', 'tool']) {
    mkdirSync(join(root, name), { recursive: true });
    writeJson(join(root, name, 'package.json'), { name, version: '1.0.0', bin: { [name]: `${name}.js` } });
    writeFileSync(join(root, name, `${name}.js`), `console.log("${name}", ...process.argv.slice(2));`);
  }
  const packages = {
    '': { name: 'checkout', version: '1.0.0', ...wanted },
    'node_modules/part': { resolved: 'part', link: true },
    part: { version: '1.0.0', bin: { part: 'part.js' } },
    'node_modules/tool': { resolved: 'tool', link: true, dev: true },
    tool: { version: '1.0.0', dev: true, bin: { tool: 'tool.js' } },
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

test('commands of an operator do without the tools of the development, which are added on demand', async () => {
  await using trial = new Trial();
  const root = makeCheckout(trial);
  const run = (args: readonly string[]) => runIn(trial, root, args).ended();
  const there = (name: string): boolean => existsSync(join(root, 'node_modules', name));
  assert.deepEqual(await run(['start', '--now']), { code: 0, output: `${installing}main start --now\n` });
  assert.deepEqual([there('part'), there('tool')], [true, false]);
  // A running service may load packages at any time.
  writeFileSync(join(root, 'node_modules', '.kept'), '');
  assert.deepEqual(await run(['exec', 'tool', 'x']), { code: 0, output: `${installing}tool x\n` });
  assert.deepEqual([there('part'), there('tool'), there('.kept')], [true, true, true]);
  assert.deepEqual(await run(['start']), { code: 0, output: 'main start\n' }, 'and are kept');
  assert.ok(there('tool'));
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
