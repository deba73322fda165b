import { accessSync, constants, existsSync, mkdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OwnerLock } from '#storage/embedded/owner-lock.ts';
import { makeFolder } from '#storage/make-folder.ts';
import { StartProblem } from './start-problem.ts';

/** Free space in MB: what a new installation takes on its first days, and below which an existing one is warned. */
const NEW_MB = 250;
const LOW_MB = 100;

/**
 * Creates the folder and locks it for this process. Throws StartProblem when it is not writable, when its disk has no room
 * for a new installation, or when another start holds the lock.
 */
export function openDataFolder(path: string): OwnerLock {
  createFolder(path);
  const logs = join(path, 'logs');
  const freeMb = freeMbOf(path);
  if (freeMb < NEW_MB && !existsSync(logs))
    throw new StartProblem(
      `The disk of the data folder ${path} has ${freeMb} MB free, but a new installation needs ${NEW_MB} MB; free some space, or set another folder with --data-dir DIR.`,
    );
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const taken = OwnerLock.take(path);
  if (taken.kind === 'owned') return taken.lock;
  const { pid, note } = taken.owner;
  const where = note === '' ? 'is starting' : `runs at ${note}`;
  throw new StartProblem(
    `Tradewind already ${where} with this data folder (process ${pid}, ${path}); stop it first, or set another --data-dir and --port.`,
  );
}

/** A sentence when the disk of an existing installation is nearly full: it starts all the same, to keep its stops. */
export function lowDiskWarning(path: string): string | undefined {
  const freeMb = freeMbOf(path);
  if (freeMb >= LOW_MB) return undefined;
  return `The disk of the data folder ${path} has only ${freeMb} MB free: free some space. Once it is full, no order is placed; the stops on the exchange stay.`;
}

function freeMbOf(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return Math.floor((bavail * bsize) / 1e6);
}

function createFolder(path: string): void {
  try {
    // Under root the database runs as a separate user, which needs access to the folder.
    const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
    makeFolder(path, mode, 0o755);
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new StartProblem(`The data folder ${path} is not writable (${cause}); set another one with --data-dir DIR.`);
  }
}
