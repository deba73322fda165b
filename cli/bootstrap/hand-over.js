import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installWhatIsMissing } from './install.js';
import { findNode, NODE_FLAGS } from './pinned-node.js';
import { runChild } from './run-child.js';
import { rootToRun } from './unpack.js';

const own = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/**
 * Installs missing packages and runs the command with the pinned Node. This process only forwards signals and the exit code.
 * A checkout keeps its data within itself; an installed release keeps it in the folder where it is started.
 * @param {string[]} argv
 * @param {NodeJS.ProcessEnv} environment
 */
export async function run(argv, environment) {
  try {
    const root = rootToRun(own, environment);
    const tools = argv[0] === 'node' || argv[0] === 'exec';
    await installWhatIsMissing({ root, environment, tools });
    const node = findNode(root);
    const { program, args } = chooseProgram(argv, { root, node });
    process.exitCode = await runChild(program, args, {
      stdio: 'inherit',
      env: {
        ...environment,
        PATH: `${dirname(node)}${delimiter}${environment.PATH ?? ''}`,
        // Lets the command detect that this process is gone and no longer forwards signals.
        TRADEWIND_BOOTSTRAP: String(process.pid),
        ...(root === own ? {} : { TRADEWIND_HOME: process.cwd() }),
      },
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/**
 * @param {string[]} argv
 * @param {{ root: string, node: string }} place
 * @returns {{ program: string, args: string[] }}
 */
function chooseProgram([command = 'help', ...rest], { root, node }) {
  if (command === 'node') return { program: node, args: rest };
  if (command === 'exec') return chooseTool(rest, { root, node });
  return { program: node, args: [...NODE_FLAGS, join(root, 'cli', 'main.ts'), command, ...rest] };
}

/**
 * A development tool by its name in its package.
 * @param {string[]} argv
 * @param {{ root: string, node: string }} place
 */
function chooseTool([tool = '', ...rest], { root, node }) {
  const packages = { biome: '@biomejs/biome', tsc: 'typescript' };
  const folder = join(root, 'node_modules', packages[tool] ?? tool);
  const manifest = join(folder, 'package.json');
  if (tool === '' || !existsSync(manifest)) throw new Error(`The packages of this project contain no tool "${tool}".`);
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
  const file = typeof bin === 'string' ? bin : bin?.[tool];
  if (file === undefined) throw new Error(`The package "${tool}" contains no program of that name.`);
  return { program: node, args: [join(folder, file), ...rest] };
}
