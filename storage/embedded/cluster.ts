import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import type { ClusterHome } from './cluster-home.ts';

/** Name of the database's superuser. */
export const superuser = 'tradewind';

/** Child processes of PostgreSQL see only this: the caller's environment may hold secrets or settings such as PGDATA. */
export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Reads the superuser's password, or makes one for a cluster that does not exist yet. */
export function readPassword(home: ClusterHome): string {
  const path = join(home.dataDir, 'password');
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  if (existsSync(home.cluster)) {
    throw new Error(
      `${path} is missing, and the database in ${home.cluster} cannot be opened without it: restore that file from a backup.`,
    );
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(path, password, { mode: 0o600, flush: true });
  return password;
}

export interface ClusterCreation {
  readonly home: ClusterHome;
  readonly binaries: Binaries;
  readonly password: string;
  readonly signal: AbortSignal | undefined;
}

/** Creates the cluster unless it exists. It gets its name only when initdb is through, so half a cluster is never used. */
export async function createCluster({ home, binaries, password, signal }: ClusterCreation): Promise<void> {
  if (existsSync(home.cluster)) return;
  const draft = `${home.cluster}.draft`;
  const passwordFile = join(home.home, 'initdb-password');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  rmSync(passwordFile, { force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (home.runAs !== undefined) {
    chownSync(draft, home.runAs.uid, home.runAs.gid);
    chownSync(passwordFile, home.runAs.uid, home.runAs.gid);
  }
  try {
    await runInitdb({ home, binaries, draft, passwordFile, signal });
    renameSync(draft, home.cluster);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

interface InitdbRun {
  readonly home: ClusterHome;
  readonly binaries: Binaries;
  readonly draft: string;
  readonly passwordFile: string;
  readonly signal: AbortSignal | undefined;
}

async function runInitdb({ home, binaries, draft, passwordFile, signal }: InitdbRun): Promise<void> {
  const flags = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--data-checksums'];
  const program = join(binaries.folder, 'bin', 'initdb');
  const child = spawn(program, [`--pgdata=${draft}`, `--username=${superuser}`, `--pwfile=${passwordFile}`, ...flags], {
    ...home.runAs,
    env: serverEnvironment,
    cwd: binaries.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
    signal,
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints = `${complaints}${String(chunk)}`.slice(-2000);
  });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  const code = await promise;
  if (code !== 0) throw new Error(`The database could not be created in ${home.cluster}: ${complaints.trim()}`);
}
