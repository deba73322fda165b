import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OwnerLock } from '#storage/embedded/owner-lock.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { StartProblem } from './start-problem.ts';

/**
 * Creates the folder and locks it for this process.
 * Throws StartProblem when it is not writable, or when another start holds the lock.
 */
export function openDataFolder(path: string): OwnerLock {
  createFolder(path);
  const taken = OwnerLock.take(path);
  if (taken.kind === 'owned') return taken.lock;
  const { pid, note } = taken.owner;
  const where = note === '' ? 'is starting' : `runs at ${note}`;
  throw new StartProblem(
    `Tradewind already ${where} with this data folder (process ${pid}, ${path}); stop it first, or set another --data-dir and --port.`,
  );
}

function createFolder(path: string): void {
  try {
    // Under root the database runs as a separate user, which needs access to the folder.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    makeFolder(path, mode, 0o755);
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    mkdirSync(join(path, 'logs'), { recursive: true, mode: 0o700 });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new StartProblem(`The data folder ${path} is not writable (${cause}); set another one with --data-dir DIR.`);
  }
}
