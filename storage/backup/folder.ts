import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Database } from '../database.ts';
import { takeBackup } from './take.ts';

const NAME = /^tradewind-\d{4}-\d\d-\d\dT[\d-]+Z\.backup$/;

export const backupName = (at: Date): string => `tradewind-${at.toISOString().replaceAll(/[:.]/g, '-')}.backup`;

export interface KeptBackup {
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

/** One folder at a time: Node's recursive form never ends below one that takes none, such as /proc. */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder, { mode: 0o700 });
}

/** Writes a backup under a name of its own; until it is complete it has another one, which no reader takes for a backup. */
export async function keepBackup(database: Database, folder: string, at = new Date()): Promise<string> {
  const path = join(folder, backupName(at));
  await makeFolder(folder);
  try {
    await takeBackup(database, `${path}.part`);
    await rename(`${path}.part`, path);
  } finally {
    await rm(`${path}.part`, { force: true });
  }
  return path;
}

/** Removes all but the newest `keep` backups. */
export async function pruneBackups(folder: string, keep: number): Promise<void> {
  for (const { name } of (await listBackups(folder)).slice(keep)) await rm(join(folder, name), { force: true });
}
