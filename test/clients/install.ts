import { spawnSync } from 'node:child_process';
import { installPythonTool, PYTHON_TOOLS } from './python.ts';
import { areInstalled } from './stock-client.ts';

/** Installs the stock clients and the Python tools; what is installed already stays. */
const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const folder = import.meta.dirname;
const run = (...command: string[]): boolean =>
  spawnSync('npm', [...command, ...flags], { cwd: folder, stdio: 'inherit', shell: process.platform === 'win32' })
    .status === 0;

// `npm ci` where the registry has all of them, else what it has in the same versions.
if (!areInstalled && !run('ci') && !run('install', '--no-save')) {
  console.error(`npm could not install the stock clients in ${folder}: is the registry reachable?`);
  process.exitCode = 1;
}
// Downloads take most of the time, so that all at once is faster.
await Promise.all(
  PYTHON_TOOLS.map(async (tool) => {
    if (!(await installPythonTool(tool)))
      console.error(`${tool} could not be installed: it needs Python 3.11 or newer with venv, and the package index.`);
  }),
);
