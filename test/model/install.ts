import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Installs the checker of the order model. The user's installation does not need it, so it is not in package.json. */
const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
  cwd: join(import.meta.dirname, 'checker'),
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (status !== 0) {
  console.error('npm could not install the packages of test/model/checker: is the registry reachable?');
  process.exitCode = 1;
}
