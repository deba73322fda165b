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
import { rootHome } from './binaries.ts';
import { chooseOwnUser, unprivilegedUser, type RunAs } from './own-user.ts';

/** Folders of one embedded database. */
export interface ClusterHome {
  /** The caller's folder; holds password and port. */
  readonly dataDir: string;
  /** Holds the cluster folder and its owner lock; differs from dataDir when the database's user cannot enter dataDir. */
  readonly home: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  /** User that runs the server; undefined for the current user. */
  readonly runAs: RunAs | undefined;
  /** Current owner of a cluster that must be changed to `runAs`. */
  readonly formerUid: number | undefined;
}

/** In dataDir when the cluster lies elsewhere: its first line is the path. */
const pointer = 'database-is-in.txt';

/** Creates the folders and chooses location and owner of the cluster. */
export function openClusterHome(wantedDataDir: string, asRoot: boolean): ClusterHome {
  // Only traversable by others where the server runs as another user; never listable.
  const mode = asRoot ? 0o711 : 0o700;
  const created = mkdirSync(wantedDataDir, { recursive: true, mode }) !== undefined;
  if (created) chmodSync(wantedDataDir, mode);
  const dataDir = realpathSync(wantedDataDir);
  const home = chooseHome(dataDir, asRoot);
  const cluster = join(home, 'cluster');
  return { dataDir, home, cluster, ...ownerOf(cluster, asRoot) };
}

function chooseHome(dataDir: string, asRoot: boolean): string {
  const pointerPath = join(dataDir, pointer);
  if (existsSync(pointerPath)) return requireHome(readFileSync(pointerPath, 'utf8').split('\n')[0] ?? '', pointerPath);
  if (!asRoot || existsSync(join(dataDir, 'cluster')) || canOthersEnter(dataDir)) return dataDir;

  // A new name each time: after deleting the data folder, a start creates an empty database, never finds the old one.
  const home = mkdtempSync(join(rootHome(), 'database-'));
  chmodSync(home, 0o711);
  const why = 'PostgreSQL runs as a user of its own, who cannot enter this folder. Keep both when you move or back up.';
  writeFileSync(pointerPath, `${home}\n${why}\n`);
  return home;
}

/** Throws instead of replacing a lost database with an empty one, which would look like lost trading history. */
function requireHome(home: string, pointerPath: string): string {
  if (existsSync(home)) return home;
  throw new Error(
    `${pointerPath} says that the database lies in ${home}, which does not exist: restore it, or delete ${pointerPath} to start with an empty one.`,
  );
}

function canOthersEnter(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (dirname(at) === at) return true;
  }
}

/** Root runs a cluster as the user that created it, unless that is `nobody`, which other services use too. */
function ownerOf(cluster: string, asRoot: boolean): Pick<ClusterHome, 'runAs' | 'formerUid'> {
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  if (asRoot) {
    if (owner === undefined) return { runAs: chooseOwnUser(), formerUid: undefined };
    const { uid, gid } = owner;
    const shared = uid === unprivilegedUser().uid;
    return shared ? { runAs: chooseOwnUser(), formerUid: uid } : { runAs: { uid, gid }, formerUid: undefined };
  }
  if (owner !== undefined && process.getuid !== undefined && owner.uid !== process.getuid()) {
    throw new Error(
      `The database in ${cluster} belongs to another user (id ${owner.uid}): start as that user or as root, or choose another --data-dir.`,
    );
  }
  return { runAs: undefined, formerUid: undefined };
}
