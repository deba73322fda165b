import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * On a large machine V8 lets the young generation of each process grow to 192 MB and gives it back only after minutes without
 * work. With a quarter of it commands and services are as fast.
 */
export const NODE_FLAGS = ['--max-semi-space-size=16'];

/** Oldest Node that runs the TypeScript of this project directly. */
const oldest = 24;

/**
 * The Node of the lockfile when a package contains one, otherwise the Node of this machine if it is new enough.
 * @param {string} root the checkout
 * @returns {string} path of the program
 */
export function findNode(root) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  const name = `node-${platform}-${process.arch}`;
  const pinned = join(root, 'node_modules', name, 'bin', program);
  if (existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= oldest) return process.execPath;
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (name in optionalDependencies) {
    throw new Error(
      `npm did not install the package ${name}: delete the folder ${join(root, 'node_modules')} and start again.`,
    );
  }
  throw new Error(
    `Tradewind needs Node ${oldest}. It contains no Node for ${process.platform} on ${process.arch}, ` +
      `and this machine has Node ${process.versions.node}: install Node ${oldest} from https://nodejs.org and start again.`,
  );
}
