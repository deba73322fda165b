import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, sep } from 'node:path';

/**
 * Node runs no TypeScript below a folder node_modules. A release that npm has installed there is copied, once, to the cache
 * folder of the user. Returns the root to run: the copy, or a checkout as it is. Throws for a package that is no release.
 * @param {string} root
 * @param {NodeJS.ProcessEnv} environment
 */
export function rootToRun(root, environment) {
  if (!root.split(sep).includes('node_modules')) return root;
  const commit = readFileSync(join(root, 'commit.txt'), 'utf8').trim();
  if (!/^[0-9a-f]{40,64}$/.test(commit))
    throw new Error('This package is not a release: make one with "npm run release", or start in the checkout.');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const cache = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  const copy = join(cache, 'tradewind', `${version}-${commit.slice(0, 12)}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.${process.pid}`;
  try {
    cpSync(root, draft, { recursive: true, filter: (path) => path !== join(root, 'node_modules') });
    renameSync(draft, copy);
  } catch (error) {
    // Another start may have been faster.
    if (!existsSync(copy)) throw new Error(`The release cannot be copied to ${copy}: ${error.message}.`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return copy;
}
