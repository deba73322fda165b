import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs in Python that tests run; each has a virtual environment of its own, as their requirements conflict. */
export const PYTHON_TOOLS = ['schemathesis'] as const;
export type PythonTool = (typeof PYTHON_TOOLS)[number];

const requirementsOf = (tool: PythonTool): string => join(import.meta.dirname, 'requirements', `${tool}.txt`);
const folderOf = (tool: PythonTool): string => join(import.meta.dirname, '.venv', tool);
/** Holds the requirements that were installed; written last, so that half an installation counts as none. */
const markOf = (tool: PythonTool): string => join(folderOf(tool), 'installed.txt');
const BIN = process.platform === 'win32' ? 'Scripts' : 'bin';

const isInstalled = (tool: PythonTool): boolean =>
  existsSync(markOf(tool)) && readFileSync(markOf(tool), 'utf8') === readFileSync(requirementsOf(tool), 'utf8');

/** The path of a program of an installed tool, such as `python`; undefined where the tool is not installed. */
export const pythonProgram = (tool: PythonTool, program: string): string | undefined =>
  isInstalled(tool) ? join(folderOf(tool), BIN, program) : undefined;

export const notInstalled = (tool: PythonTool): string =>
  `${tool} is not installed: node cli/tradewind.js node test/clients/install.ts installs it where Python is`;

const run = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: 600_000 }).status === 0;

/** Installs a tool with its pinned requirements, unless it is installed already; false when it cannot be. */
export function installPythonTool(tool: PythonTool): boolean {
  if (isInstalled(tool)) return true;
  const folder = folderOf(tool);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const python = process.platform === 'win32' ? 'python' : 'python3';
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
  if (!run(python, '-m', 'venv', folder)) return false;
  if (!run(join(folder, BIN, 'python'), ...pip, '--requirement', requirementsOf(tool))) return false;
  writeFileSync(markOf(tool), readFileSync(requirementsOf(tool)));
  return true;
}
