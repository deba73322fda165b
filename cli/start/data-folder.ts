import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OwnerLock } from '#storage/embedded/owner-lock.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { StartProblem } from './start-problem.ts';

/**
 * Creates the folder and makes this process its only owner.
 * Throws StartProblem when it cannot be written, or another start owns it.
 */
export function openDataFolder(path: string): OwnerLock {
  createFolder(path);
  const taken = OwnerLock.take(path);
  if (taken.kind === 'owned') return taken.lock;
  const { pid, note } = taken.owner;
  const where = note === '' ? 'is starting' : `runs at ${note}`;
  throw new StartProblem(
    `Tradewind already ${where} with this data folder (process ${pid}, ${path}); stop it first, or give another --data-dir and --port.`,
  );
}

function createFolder(path: string): void {
  try {
    // The user of its own that runs root's database must be able to pass through.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    makeFolder(path, mode, 0o755);
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    mkdirSync(join(path, 'logs'), { recursive: true, mode: 0o700 });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new StartProblem(
      `The data folder ${path} cannot be written (${cause}); give another one with --data-dir DIR.`,
    );
  }
}
