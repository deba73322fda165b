import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { placeCopy, requireOwnFolder } from './binaries-copy.ts';

let folder: string;
let source: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-copy-'));
  source = join(folder, 'source');
  mkdirSync(join(source, 'bin'), { recursive: true });
  writeFileSync(join(source, 'bin', 'postgres'), 'program', { mode: 0o700 });
  writeFileSync(join(source, 'bin', 'note'), 'text', { mode: 0o600 });
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const place = () => placeCopy(source, join(folder, 'home', 'postgres-1'));
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('all users can read and run a copy, and a complete copy is not changed', () => {
  const native = place();
  assert.equal(modeOf(join(native, 'bin')), 0o755);
  assert.equal(modeOf(join(native, 'bin', 'postgres')), 0o755);
  assert.equal(modeOf(join(native, 'bin', 'note')), 0o644);
  const { ino } = statSync(native);
  assert.equal(place(), native);
  assert.equal(statSync(native).ino, ino);
});

test('a copy with a short or missing file is made again', () => {
  const program = join(place(), 'bin', 'postgres');
  truncateSync(program, 3);
  place();
  assert.equal(readFileSync(program, 'utf8'), 'program');
  rmSync(program);
  place();
  assert.equal(readFileSync(program, 'utf8'), 'program');
  assert.deepEqual(readdirSync(join(folder, 'home')), ['postgres-1'], 'drafts are cleared away');
});

test('a folder that others can write is refused', () => {
  chmodSync(join(place(), '..'), 0o777);
  assert.throws(place, /belongs to another user or can be changed by others/);
  chmodSync(folder, 0o777);
  assert.throws(() => requireOwnFolder(folder), /no program is started from it/);
});
