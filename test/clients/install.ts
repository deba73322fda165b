import { spawnSync } from 'node:child_process';

/** Brings the stock clients; `npm ci` where the registry has all of them, else what it has in the same versions. */
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const folder = import.meta.dirname;
const run = (...command: string[]): boolean =>
  spawnSync('npm', [...command, ...flags], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
    .status === 0;

if (!run('ci') && !run('install', '--no-save')) {
  console.error(`npm could not install the stock clients in ${folder}: is the registry reachable?`);
  process.exitCode = 1;
}
