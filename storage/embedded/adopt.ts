import * as fs from 'node:fs';
import { join } from 'node:path';
import { isOwnUser, type RunAs } from './own-user.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;

/**
 * Changes the owner of a folder and its content. The former owner may change it meanwhile, so every step uses an open file
 * and follows no link. The folder itself comes last, so that an interrupted start is repeated.
 */
export function adoptFolder(path: string, from: number, to: RunAs): void {
  withOpen(path, O_DIRECTORY, (folder) => {
    const owned = requireOwner(folder, { path, from });
    if (!owned.isDirectory()) throw refusal(path);
    const inside = process.platform === 'linux' ? `/proc/self/fd/${folder}` : path;
    for (const entry of fs.readdirSync(inside, { withFileTypes: true })) {
      const place = join(inside, entry.name);
      if (entry.isDirectory()) adoptFolder(place, from, to);
      else adoptFile(place, from, to);
    }
    fs.fchmodSync(folder, owned.mode & 0o700);
    fs.fchownSync(folder, to.uid, to.gid);
  });
}

function adoptFile(path: string, from: number, to: RunAs): void {
  withOpen(path, O_NONBLOCK, (file) => {
    const stats = requireOwner(file, { path, from });
    // A hard link may be anywhere, such as in the folder of another service.
    if (!stats.isFile() || stats.nlink !== 1) throw refusal(path);
    fs.fchownSync(file, to.uid, to.gid);
  });
}

function withOpen(path: string, flags: number, work: (file: number) => void): void {
  const file = openWithoutLink(path, flags);
  try {
    work(file);
  } finally {
    fs.closeSync(file);
  }
}

function openWithoutLink(path: string, flags: number): number {
  try {
    return fs.openSync(path, O_RDONLY | O_NOFOLLOW | flags);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'ENOTDIR'))
      throw refusal(path);
    throw error;
  }
}

function requireOwner(file: number, { path, from }: { readonly path: string; readonly from: number }): fs.Stats {
  const stats = fs.fstatSync(file);
  if (stats.uid === from || isOwnUser(stats.uid)) return stats;
  throw refusal(path);
}

const refusal = (path: string): Error =>
  new Error(
    `The database cannot get a user of its own: ${path} is a link, or belongs to another user than the database. Remove it, or restore a backup into a new --data-dir.`,
  );
