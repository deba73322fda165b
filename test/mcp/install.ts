import { spawnSync } from 'node:child_process';
import { areInstalled, PROGRAMS } from './official-programs.ts';

/** Installs the conformance suite and the inspector of the protocol. No installation of a user needs them. */
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const run = (...command: string[]): boolean =>
  spawnSync('npm', [...command, ...flags], {
    cwd: PROGRAMS,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  }).status === 0;

// `npm ci` where the registry has all of them, otherwise the same versions as far as it has them.
if (!areInstalled() && !run('ci') && !run('install', '--no-save')) {
  console.error(`npm could not install the programs in ${PROGRAMS}: is the registry reachable?`);
  process.exitCode = 1;
}
