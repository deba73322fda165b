import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#test/flow/until.ts';
import { findProgram } from '#test/harness/programs.ts';
import { must, run } from './command.ts';
import { CACHE, kept, noteVersion } from './provided.ts';
import { systemTree } from './system-tree.ts';

const FOLDER = join(CACHE, 'engine');
/** The rules of the machine, while the engine has added its own. */
const FIREWALL = join(FOLDER, 'firewall');
const RUN_FOLDER = '/run/tradewind-deploy';
const SOCKET = `unix://${join(FOLDER, 'docker.sock')}`;
const NEEDED = ['dockerd', 'pgrep', 'docker', 'ip', 'iptables-save', 'iptables-restore', 'mmdebstrap'];
/** The firewall of a machine that has no rule. */
const NO_RULES = ['filter', 'nat']
  .map((table) => `*${table}\n:OUTPUT ACCEPT\n:${table === 'nat' ? 'POSTROUTING' : 'FORWARD'} ACCEPT\nCOMMIT\n`)
  .join('');

/** Environment in which the Docker client talks to the engine of the tests. */
export const ENGINE_ENV = { DOCKER_HOST: SOCKET, DOCKER_CONFIG: join(FOLDER, 'config'), DOCKER_BUILDKIT: '1' } as const;

/** The format of `docker inspect` for the address of a container. */
export const ADDRESS = '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}';

/**
 * A container engine of its own: other data, another socket, and no container of an earlier run. Images and layers stay in
 * the cache. Throws with the reason where there can be none. Disposing ends containers, networks and engine, and puts
 * the firewall back as it was.
 */
export async function startEngine(): Promise<AsyncDisposable> {
  if (process.getuid?.() !== 0) throw new Error('only root can start a container engine');
  if (process.platform !== 'linux') throw new Error('a container engine needs Linux');
  const missing = NEEDED.filter((name) => findProgram([name]) === undefined);
  if (missing.length > 0)
    throw new Error(`not on this machine: ${missing.join(', ')} (Debian: docker.io iptables mmdebstrap)`);
  await endEngine(false);
  if ((await run(['pgrep', '--exact', 'dockerd'])).code === 0)
    throw new Error('another container engine runs here, and two would share the network docker0');
  await using stack = new AsyncDisposableStack();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(FIREWALL, await must(['iptables-save']));
  const child = openDaemon();
  stack.defer(async () => {
    await run(['docker', 'system', 'prune', '--force', '--volumes'], { env: ENGINE_ENV });
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    await restoreMachine();
  });
  await until(
    'the engine to answer',
    async () => {
      if (child.exitCode !== null) throw new Error(`the engine ended: ${daemonError()}`);
      return (await run(['docker', 'version'], { env: ENGINE_ENV })).code === 0;
    },
    60_000,
  );
  stack.defer(removeContainers);
  await removeContainers();
  for (const kind of ['volume', 'network']) await must(['docker', kind, 'prune', '--force'], { env: ENGINE_ENV });
  await addPlugins();
  noteVersion(`dockerd ${await must(['docker', 'version', '--format', '{{.Server.Version}}'], { env: ENGINE_ENV })}`);
  return stack.move();
}

function openDaemon() {
  const log = openSync(join(FOLDER, 'dockerd.log'), 'w');
  const at = { root: join(FOLDER, 'data'), run: RUN_FOLDER, pid: join(FOLDER, 'dockerd.pid') };
  const flags = ['--host', SOCKET, '--data-root', at.root, '--exec-root', at.run, '--pidfile', at.pid];
  return spawn('dockerd', flags, { stdio: ['ignore', log, log] });
}

/** Ends the engine that a killed run has left; unless `force`, one whose run still exists stays. */
export async function endEngine(force: boolean): Promise<void> {
  const file = join(FOLDER, 'dockerd.pid');
  const pid = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const shown = async (column: string, of: string): Promise<string> =>
    (await run(['ps', '-o', `${column}=`, '-p', of])).output.trim();
  if (pid !== '' && (await shown('comm', pid)) === 'dockerd') {
    if (!force && (await shown('comm', await shown('ppid', pid))) === 'node') return;
    await must(['kill', pid]);
    await until('the engine of an earlier run to end', () => !existsSync(`/proc/${pid}`));
  }
  if (existsSync(FIREWALL)) await restoreMachine();
}

/** Removes mounts and bridges of the engine, and puts the firewall back as it was before. */
async function restoreMachine(): Promise<void> {
  const mounts = readFileSync('/proc/mounts', 'utf8').matchAll(/^\S+ (\S+)/gm);
  const ours = [...mounts].flatMap(([, path = '']) => (path.startsWith(`${RUN_FOLDER}/`) ? [path] : []));
  for (const path of ours.toReversed()) await run(['umount', '--lazy', path]);
  rmSync(RUN_FOLDER, { recursive: true, force: true });
  const { output } = await run(['ip', '-oneline', 'link', 'show', 'type', 'bridge']);
  for (const [, name] of output.matchAll(/^\d+: (docker0|br-[0-9a-f]{12}):/gm))
    await run(['ip', 'link', 'delete', name ?? '']);
  const firewall = readFileSync(FIREWALL, 'utf8');
  await must(['iptables-restore'], { input: firewall === '' ? NO_RULES : `${firewall}\n` });
  rmSync(FIREWALL);
}

const daemonError = (): string =>
  readFileSync(join(FOLDER, 'dockerd.log'), 'utf8').trim().split('\n').slice(-3).join('\n');

async function removeContainers(): Promise<void> {
  const ids = (await must(['docker', 'ps', '--all', '--quiet'], { env: ENGINE_ENV })).split('\n').filter(Boolean);
  if (ids.length > 0) await must(['docker', 'rm', '--force', '--volumes', ...ids], { env: ENGINE_ENV });
}

/** Compose and the builder are plugins of the client; those of Debian 13 also run on Debian 12. */
async function addPlugins(): Promise<void> {
  const plugins = join(ENGINE_ENV.DOCKER_CONFIG, 'cli-plugins');
  const inTree = './usr/libexec/docker/cli-plugins';
  const folder = await kept('client-plugins-1', async (path) => {
    mkdirSync(path, { recursive: true });
    const tar = ['tar', '--extract', '--file', await systemTree('trixie'), '--directory', path];
    await must([...tar, '--strip-components=5', inTree]);
  });
  mkdirSync(ENGINE_ENV.DOCKER_CONFIG, { recursive: true });
  await must(['ln', '--symbolic', '--force', '--no-dereference', folder, plugins]);
  noteVersion(`compose ${await must(['docker', 'compose', 'version', '--short'], { env: ENGINE_ENV })}`);
}
