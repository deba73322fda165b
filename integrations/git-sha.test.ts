import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { readGitSha } from './git-sha.ts';

const sha = '0123456789abcdef0123456789abcdef01234567';
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tradewind-git-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${text}\n`);
}

test('a branch with a file of its own', () => {
  write('.git/HEAD', 'ref: refs/heads/main');
  write('.git/refs/heads/main', sha);
  assert.equal(readGitSha(root), sha);
});

test('a packed branch', () => {
  write('.git/HEAD', 'ref: refs/heads/main');
  write(
    '.git/packed-refs',
    `# pack-refs with: peeled\n${'f'.repeat(40)} refs/heads/other/refs/heads/main\n${sha} refs/heads/main`,
  );
  assert.equal(readGitSha(root), sha);
});

test('a detached head', () => {
  write('.git/HEAD', sha);
  assert.equal(readGitSha(root), sha);
});

test('a linked worktree, whose branch lies in the repository it belongs to', () => {
  write('main/.git/refs/heads/side', sha);
  write('main/.git/worktrees/tree/HEAD', 'ref: refs/heads/side');
  write('main/.git/worktrees/tree/commondir', '../..');
  write('tree/.git', `gitdir: ${join(root, 'main/.git/worktrees/tree')}`);
  assert.equal(readGitSha(join(root, 'tree')), sha);
});

test('no repository, no commit, and damage are no sha', () => {
  assert.equal(readGitSha(root), undefined);
  write('.git/HEAD', 'ref: refs/heads/main');
  assert.equal(readGitSha(root), undefined);
  write('.git/refs/heads/main', 'not a sha');
  assert.equal(readGitSha(root), undefined);
});
