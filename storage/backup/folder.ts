import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#storage/postgres/database.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { PART, takeBackup } from './take.ts';

const NAME = /^tradewind-\d{4}-\d\d-\d\dT[\d-]+Z\.backup$/;

/** An unfinished file that has not changed for this time belongs to a killed process. */
const UNFINISHED_MS = 3_600_000;

export const backupName = (at: Date): string => `tradewind-${at.toISOString().replaceAll(/[:.]/g, '-')}.backup`;

interface KeptBackup {
  readonly name: string;
  readonly bytes: number;
  readonly at: Date;
}

/** Complete backups of a folder, newest first; none where there is no folder. */
export async function listBackups(folder: string): Promise<KeptBackup[]> {
  const names = await readdir(folder).catch(() => []);
  const kept = names
    .filter((name) => NAME.test(name))
    .map(async (name) => {
      const { size, mtime } = await stat(join(folder, name));
      return { name, bytes: size, at: mtime };
    });
  return (await Promise.all(kept)).toSorted((a, b) => (a.name < b.name ? 1 : -1));
}

/** Writes a backup under a name of its own. */
export async function keepBackup(database: Database, folder: string, at = new Date()): Promise<string> {
  const path = join(folder, backupName(at));
  makeFolder(folder, 0o700);
  await takeBackup(database, path);
  return path;
}

/** Removes all but the newest `keep` backups, and unfinished files of a process that was killed. */
export async function pruneBackups(folder: string, keep: number, now = new Date()): Promise<void> {
  for (const { name } of (await listBackups(folder)).slice(keep)) await rm(join(folder, name), { force: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.endsWith(PART) || !name.startsWith('tradewind-')) continue;
    const written = await stat(path).catch(() => undefined);
    if (written !== undefined && now.getTime() - written.mtimeMs > UNFINISHED_MS) await rm(path, { force: true });
  }
}
