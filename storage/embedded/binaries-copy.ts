import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';

/** Written into a copy after everything else; holds the digest of what the copy must contain. */
const marker = 'complete.sha256';

/**
 * Copies `source` once to `folder`/native, readable by all users and writable by this user only, and returns that path.
 * The copy gets its name when it is complete, and is compared with the source before each use.
 */
export function placeCopy(source: string, folder: string): string {
  const wanted = digestOf(source);
  requireOwnFolder(dirname(folder));
  if (isWhole(folder, wanted)) return join(folder, 'native');

  const draft = `${folder}.draft-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    fs.mkdirSync(draft, { mode: 0o755 });
    fs.cpSync(source, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    openToReaders(draft);
    fs.writeFileSync(join(draft, marker), wanted, { mode: 0o644 });
    if (!isWhole(folder, wanted)) replaceFolder(draft, folder);
  } finally {
    fs.rmSync(draft, { recursive: true, force: true });
  }
  if (!isWhole(folder, wanted)) {
    throw new Error(
      `The PostgreSQL programs in ${folder} are not the ones just copied there: delete that folder and start again.`,
    );
  }
  return join(folder, 'native');
}

/** Creates a folder that others can read; refuses one that another user made or can change. */
export function requireOwnFolder(folder: string): void {
  if (fs.mkdirSync(folder, { recursive: true, mode: 0o755 }) !== undefined) fs.chmodSync(folder, 0o755);
  const stats = fs.lstatSync(folder);
  const own = stats.isDirectory() && stats.uid === (process.getuid?.() ?? stats.uid);
  const closed = process.platform === 'win32' || (stats.mode & 0o022) === 0;
  if (own && closed) return;
  throw new Error(
    `${folder} belongs to another user or can be changed by others, so no program is started from it: remove it and start again.`,
  );
}

function isWhole(folder: string, wanted: string): boolean {
  if (!fs.existsSync(folder)) return false;
  requireOwnFolder(folder);
  const path = join(folder, marker);
  return fs.existsSync(path) && fs.readFileSync(path, 'utf8') === wanted && digestOf(join(folder, 'native')) === wanted;
}

/** Digest of names and sizes of all files; links are created later and are left out. */
function digestOf(native: string): string {
  if (!fs.existsSync(native)) return 'absent';
  const files = fs
    .readdirSync(native, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const lines = files.map((file) => `${file.slice(native.length)} ${fs.statSync(file).size}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

function openToReaders(folder: string): void {
  fs.chmodSync(folder, 0o755);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const executable = entry.isDirectory() || (fs.statSync(path).mode & 0o100) !== 0;
    fs.chmodSync(path, executable ? 0o755 : 0o644);
  }
}

function replaceFolder(draft: string, folder: string): void {
  const broken = `${draft}.replaced`;
  if (fs.existsSync(folder)) fs.renameSync(folder, broken);
  try {
    fs.renameSync(draft, folder);
  } catch (error) {
    // Another start may have put its own copy there at the same moment.
    if (!fs.existsSync(folder)) throw error;
  }
  fs.rmSync(broken, { recursive: true, force: true });
}
