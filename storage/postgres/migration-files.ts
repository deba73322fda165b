import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** A migration that cannot or must not run; the message says why and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

export interface MigrationFile {
  readonly number: number;
  /** File name without `.sql`, e.g. `0001-initial`. */
  readonly name: string;
  readonly sql: string;
  readonly digest: string;
  /** Marked by `-- breaking` in the first line: code that does not know it must not run on it. */
  readonly breaking: boolean;
}

export const MIGRATIONS = new URL('../migrations/', import.meta.url);
const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

/** Line ends are left out of the digest: a checkout may rewrite them. */
const digestOf = (sql: string): string => createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex');

async function readMigration(folder: URL, fileName: string): Promise<MigrationFile> {
  const number = FILE_NAME.exec(fileName)?.[1];
  if (number === undefined) {
    throw new MigrationError(`The migration file "${fileName}" must be named like 0001-some-name.sql: rename it.`);
  }
  const sql = await readFile(new URL(fileName, folder), 'utf8');
  const breaking = /^-- breaking\b/.test(sql);
  return { number: Number(number), name: fileName.slice(0, -'.sql'.length), sql, digest: digestOf(sql), breaking };
}

/** All migrations in order; throws MigrationError when a number is given twice. Gaps in the numbers are allowed. */
export async function readMigrationFiles(folder: URL = MIGRATIONS): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted();
  const files = await Promise.all(names.map((name) => readMigration(folder, name)));
  for (const [index, file] of files.entries()) {
    if (file.number !== files[index - 1]?.number) continue;
    throw new MigrationError(`Migration ${file.name} has a number that another one has: give it the next free one.`);
  }
  return files;
}
