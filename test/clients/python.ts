import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs in Python that tests run; each has a virtual environment of its own, as their requirements conflict. */
export const PYTHON_TOOLS = ['schemathesis', 'nautilus_trader', 'freqtrade', 'python-binance'] as const;
/** The last one is installed by its bench alone. */
export type PythonTool = (typeof PYTHON_TOOLS)[number] | 'vectorbt';

/** Tools whose own tests are run: they are only in the source distribution. */
const WITH_SOURCES: readonly PythonTool[] = ['python-binance'];
const MOST_MINUTES = 10;
const PIP = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];

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

/** The unpacked source distribution of an installed tool. */
export const sourcesOf = (tool: PythonTool): string =>
  join(folderOf(tool), 'sources', pinOf(tool).replace('-', '_').replace('==', '-'));

export const notInstalled = (tool: PythonTool): string =>
  `${tool} is not installed: node cli/tradewind.js node test/clients/install.ts installs it where Python is`;

async function run(program: string, ...args: string[]): Promise<boolean> {
  // Unlike the option `timeout`, this does not keep the process alive when the program does not exist.
  const signal = AbortSignal.timeout(MOST_MINUTES * 60_000);
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], signal });
  const [code] = await once(child, 'exit').catch((): [unknown] => [undefined]);
  return code === 0;
}

/** Installs a tool with its pinned requirements, unless it is installed already; false when it cannot be. */
export async function installPythonTool(tool: PythonTool): Promise<boolean> {
  if (isInstalled(tool)) return true;
  const folder = folderOf(tool);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const system = process.platform === 'win32' ? 'python' : 'python3';
  const python = join(folder, BIN, 'python');
  const install = [...PIP, 'install', '--only-binary', ':all:', '--requirement', requirementsOf(tool)];
  if (!(await run(system, '-m', 'venv', folder)) || !(await run(python, ...install))) return false;
  if (WITH_SOURCES.includes(tool) && !(await downloadSources(tool, python))) return false;
  writeFileSync(markOf(tool), readFileSync(requirementsOf(tool)));
  return true;
}

async function downloadSources(tool: PythonTool, python: string): Promise<boolean> {
  const target = join(folderOf(tool), 'sources');
  const download = ['download', '--no-deps', '--no-binary', tool, '--dest', target, pinOf(tool)];
  return (
    (await run(python, ...PIP, ...download)) &&
    (await run(python, '-m', 'tarfile', '--extract', `${sourcesOf(tool)}.tar.gz`, target))
  );
}

/** The tool with its version, such as `python-binance==1.0.37`. */
function pinOf(tool: PythonTool): string {
  const pins = readFileSync(requirementsOf(tool), 'utf8').split('\n');
  const pin = pins.find((line) => line.startsWith(`${tool}==`));
  if (pin === undefined) throw new Error(`${requirementsOf(tool)} does not name the version of ${tool}.`);
  return pin;
}
