import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunAs, rootHome } from './binaries.ts';

/** Where the files of one embedded database lie. */
export interface ClusterHome {
  /** What the caller named: password and port are kept here. */
  readonly dataDir: string;
  /** Holds the cluster folder and its owner lock; differs from dataDir when `nobody` cannot enter that. */
  readonly home: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  readonly runAs: RunAs | undefined;
}

/** In dataDir when the cluster lies elsewhere: its first line is the path. */
const pointer = 'database-is-in.txt';

/** Creates the folders and decides where the cluster lies and who owns it. */
export function openClusterHome(wantedDataDir: string, runAs: RunAs | undefined): ClusterHome {
  // Only traversable by others where the server runs as `nobody`; never listable.
  const mode = runAs === undefined ? 0o700 : 0o711;
  const created = mkdirSync(wantedDataDir, { recursive: true, mode }) !== undefined;
  if (created) chmodSync(wantedDataDir, mode);
  const dataDir = realpathSync(wantedDataDir);
  const home = chooseHome(dataDir, runAs);
  const cluster = join(home, 'cluster');
  return { dataDir, home, cluster, runAs: ownerOf(cluster, runAs) };
}

function chooseHome(dataDir: string, runAs: RunAs | undefined): string {
  const pointerPath = join(dataDir, pointer);
  if (existsSync(pointerPath)) return requireHome(readFileSync(pointerPath, 'utf8').split('\n')[0] ?? '', pointerPath);
  if (runAs === undefined || existsSync(join(dataDir, 'cluster')) || canOthersEnter(dataDir)) return dataDir;

  // A new name each time: who deletes the data folder and starts again gets an empty database, never the old one.
  const home = mkdtempSync(join(rootHome(), 'database-'));
  chmodSync(home, 0o711);
  const why = 'PostgreSQL runs as the user "nobody", who cannot enter this folder. Keep both when you move or back up.';
  writeFileSync(pointerPath, `${home}\n${why}\n`);
  return home;
}

/** An empty new database in place of a lost one would look as if the trading history had vanished. */
function requireHome(home: string, pointerPath: string): string {
  if (existsSync(home)) return home;
  throw new Error(
    `${pointerPath} says that the database lies in ${home}, which does not exist: restore it, or delete ${pointerPath} to begin with an empty one.`,
  );
}

function canOthersEnter(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (dirname(at) === at) return true;
  }
}

/** Root continues a cluster as the user who began it; others cannot. */
function ownerOf(cluster: string, runAs: RunAs | undefined): RunAs | undefined {
  if (!existsSync(cluster) || process.getuid === undefined) return runAs;
  const { uid, gid } = statSync(cluster);
  if (runAs !== undefined) return { uid, gid };
  if (uid !== process.getuid()) {
    throw new Error(
      `The database in ${cluster} belongs to another user (id ${uid}): start as that user or as root, or choose another --data-dir.`,
    );
  }
  return undefined;
}
