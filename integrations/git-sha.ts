import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const CHECKOUT = resolve(import.meta.dirname, '..');

/** Revision of api and worker: that of the build, else that of the checkout or release, else `unknown`. */
export const ownSha = (built: string | undefined): string => built ?? readGitSha(CHECKOUT) ?? 'unknown';

/** The commit that is checked out in `root`, read from .git itself, or that of a release; undefined where there is neither. */
export function readGitSha(root: string): string | undefined {
  const folder = findGitFolder(root);
  // `git archive` writes the commit into this file.
  if (folder === undefined) return asSha(readText(join(root, 'commit.txt')));
  const head = readText(join(folder, 'HEAD'));
  if (head === undefined) return undefined;
  const reference = /^ref: (.+)$/.exec(head)?.[1];
  if (reference === undefined) return asSha(head);
  // Branches of a linked worktree are in its main repository.
  const common = resolve(folder, readText(join(folder, 'commondir')) ?? '.');
  return (
    asSha(readText(join(folder, reference))) ??
    asSha(readText(join(common, reference))) ??
    findPacked(common, reference)
  );
}

/** A linked worktree or submodule has a file there that names the folder. */
function findGitFolder(root: string): string | undefined {
  const path = join(root, '.git');
  if (!existsSync(path)) return undefined;
  if (statSync(path).isDirectory()) return path;
  const target = /^gitdir: (.+)$/.exec(readText(path) ?? '')?.[1];
  return target === undefined ? undefined : resolve(dirname(path), target);
}

function findPacked(folder: string, reference: string): string | undefined {
  const lines = readText(join(folder, 'packed-refs'))?.split('\n') ?? [];
  return asSha(lines.find((line) => line.endsWith(` ${reference}`))?.split(' ')[0]);
}

function asSha(text: string | undefined): string | undefined {
  return text !== undefined && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
