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
for (const tool of PYTHON_TOOLS)
  if (!installPythonTool(tool))
    console.error(`${tool} could not be installed: it needs Python 3.10 with venv, and the Python package index.`);
