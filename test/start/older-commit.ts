import { execFileSync } from 'node:child_process';
import { ROOT } from '#test/harness/source-files.ts';

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

const migrationsOf = (commit: string): number =>
  git('ls-tree', '--name-only', commit, 'storage/migrations/').split('\n').filter(Boolean).length;

/** The newest commit of the main line with fewer migrations than this one; undefined where the history is cut off. */
export function olderCommit(): string | undefined {
  const now = migrationsOf('HEAD');
  const commits = git('log', '--first-parent', '--format=%H', '--', 'storage/migrations').split('\n');
  return commits.find((commit) => migrationsOf(commit) < now);
}
