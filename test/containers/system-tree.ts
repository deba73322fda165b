import { must } from './command.ts';
import { kept } from './provided.ts';

const MIRROR = 'http://deb.debian.org/debian';
/** Counts the changes of PACKAGES: an older tree in the cache is not used. */
export const TREE_VERSION = 2;
/** Packages of each tree beyond the smallest Debian. */
const PACKAGES = {
  bookworm: ['ca-certificates'],
  trixie: ['ca-certificates', 'valkey-server', 'nginx-light', 'docker-compose', 'docker-buildx'],
} as const;

/** The path of a tar file with the root of a Debian, made from packages: no registry of images is needed. */
export const systemTree = (release: keyof typeof PACKAGES): Promise<string> =>
  kept(`${release}-${TREE_VERSION}.tar`, (path) =>
    must([
      ...['mmdebstrap', '--format=tar', '--variant=minbase', `--include=${PACKAGES[release].join(',')}`],
      ...[release, path, MIRROR],
    ]),
  );
