import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { adoptFolder } from './adopt.ts';
import type { Binaries } from './binaries.ts';
import type { ClusterHome } from './cluster-home.ts';
import { unprivilegedUser, type RunAs } from './own-user.ts';

/** Name of the database's superuser. */
export const superuser = 'tradewind';

/** Child processes of PostgreSQL see only this: the caller's environment may hold secrets or settings such as PGDATA. */
export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Reads the superuser's password, or creates one for a new cluster. */
export function readPassword(home: ClusterHome): string {
  const path = join(home.dataDir, 'password');
  if (!existsSync(home.cluster) || keptPassword(path) !== undefined) return readOrMakePassword(path);
  throw new Error(
    `${path} is missing, and the database in ${home.cluster} cannot be opened without it: restore that file from a backup.`,
  );
}

/** Reads or creates a password in a file that only its owner can read. */
export function readOrMakePassword(path: string): string {
  const kept = keptPassword(path);
  if (kept !== undefined) return kept;
  const password = randomBytes(24).toString('base64url');
  writeFileSync(path, password, { mode: 0o600, flush: true });
  return password;
}

function keptPassword(path: string): string | undefined {
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return text === '' ? undefined : text;
}

interface ClusterCreation {
  readonly home: ClusterHome;
  readonly binaries: Binaries;
  readonly password: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Creates the cluster unless it exists. It gets its name only after initdb has finished, so an incomplete cluster is never used.
 * Root runs initdb as `nobody`, because initdb needs an account, in a folder that only the database's group can enter.
 */
export async function createCluster({ home, binaries, password, signal }: ClusterCreation): Promise<void> {
  if (existsSync(home.cluster)) return;
  const closed = `${home.cluster}.draft`;
  const [draft, passwordFile] = [join(closed, 'cluster'), join(closed, 'password')];
  rmSync(closed, { recursive: true, force: true });
  const creator = home.runAs === undefined ? undefined : { uid: unprivilegedUser().uid, gid: home.runAs.gid };
  mkdirSync(closed, { mode: 0o700 });
  try {
    mkdirSync(draft, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (creator !== undefined) {
      for (const path of [draft, passwordFile]) chownSync(path, creator.uid, creator.gid);
      chownSync(closed, 0, creator.gid);
      chmodSync(closed, 0o710);
    }
    await runInitdb({ home, binaries, draft, passwordFile, creator, signal });
    if (home.runAs !== undefined && creator !== undefined) adoptFolder(draft, creator.uid, home.runAs);
    renameSync(draft, home.cluster);
  } finally {
    rmSync(closed, { recursive: true, force: true });
  }
}

interface InitdbRun {
  readonly home: ClusterHome;
  readonly binaries: Binaries;
  readonly draft: string;
  readonly passwordFile: string;
  readonly creator: RunAs | undefined;
  readonly signal: AbortSignal | undefined;
}

async function runInitdb({ home, binaries, draft, passwordFile, creator, signal }: InitdbRun): Promise<void> {
  const flags = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--data-checksums'];
  const program = join(binaries.folder, 'bin', 'initdb');
  const child = spawn(program, [`--pgdata=${draft}`, `--username=${superuser}`, `--pwfile=${passwordFile}`, ...flags], {
    ...creator,
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
