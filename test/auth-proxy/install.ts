import { spawnSync } from 'node:child_process';

/** Brings what the tests of the auth-proxy module need beside Terraform. */
const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const { status } = spawnSync('npm', flags, {
  cwd: import.meta.dirname,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (status !== 0) {
  console.error('npm could not install the packages of test/auth-proxy: is the registry reachable?');
  process.exitCode = 1;
}
